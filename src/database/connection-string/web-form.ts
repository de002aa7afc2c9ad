import { type Draft, type Notes, take } from './draft.ts'
import { NotRecognised } from './fault.ts'
import { readRest } from './url-form.ts'

/** Reads `https://` and its like, behind which ClickHouse, Turso and rqlite are. Throws {@link NotRecognised}. */
export function readWeb(text: string, notes: Notes): Draft | undefined {
  const found = /^(https?|wss?|tcp|tls):\/\//i.exec(text)
  if (!found) return undefined
  const protocol = found[1]!.toLowerCase()
  const isSecure = /^(?:https|wss|tls)$/.test(protocol)
  const draft = readRest(text.slice(found[0].length), notes)
  const { host = '', port = '', database } = draft
  const as = (family: 'clickhouse' | 'libsql' | 'rqlite', scheme: string): Draft => {
    notes.changes.push(`Read ${protocol}:// as ${scheme}://.`)
    return { ...draft, family, scheme }
  }
  if (/\.turso\.io$/i.test(host)) return as('libsql', 'libsql')
  const isClickhouse =
    /clickhouse|\.tinybird\./i.test(host) || ['8123', '8443', '9000', '9440'].includes(port)
  if (isClickhouse) {
    // `https://host:8443/?user=default&password=…`
    draft.database ??= take(draft, 'database', 'db')
    return as('clickhouse', isSecure ? 'clickhouses' : 'clickhouse')
  }
  if (port === '4001') return as('rqlite', isSecure ? 'rqlites' : 'rqlite')
  if (draft.params.has('authtoken')) return as('libsql', 'libsql')
  throw new NotRecognised(pageSentence(host.toLowerCase(), database), 'engine')
}

/** What is at an address that is no database. */
function pageSentence(host: string, path = ''): string {
  const supabase = /^([a-z]{20})\.supabase\.co$/.exec(host)
  if (supabase) {
    return `This is the address of the API of a Supabase project. Paste the connection string under Connect, or supabase://:TOKEN@${supabase[1]} with an access token that may read this project.`
  }
  if (host === 'dash.cloudflare.com') {
    const ids = /^([\da-f]{32})\/.*d1\/databases\/([\da-f-]{36})/.exec(path)
    const form = ids ? `d1://:TOKEN@${ids[1]}/${ids[2]}` : 'd1://:TOKEN@ACCOUNT/DATABASE'
    return `This is a page of Cloudflare. For a D1 database paste ${form} with a token that may read D1, or d1:BINDING.`
  }
  if (/(?:^|\/)(?:mcp|sse)(?:\/|$)/.test(path)) {
    return 'This is the URL of an MCP server, which is for apps. Paste the connection string of the database: postgres://user:password@host/database.'
  }
  return 'This is the address of a web page. Paste the connection string that stands there: it begins with postgres://, mysql://, clickhouse:// or libsql://.'
}

import { plainName, put } from './draft.ts'
import { guessed, schemeIn, usual } from './engine-of.ts'
import { NotRecognised } from './fault.ts'
import type { Notes, StringDraft } from './pasted.ts'
import { readHost } from './url-form.ts'

/** Reads libpq's `host=… user=…`, and `Host=…;Username=…` from .NET and ODBC. Throws {@link NotRecognised}. */
export function readKeywords(text: string, notes: Notes): StringDraft | undefined {
  if (!/^[a-z][\w .-]{0,40}=/i.test(text)) return undefined
  const words = spaced(text)
  // A password in libpq's form can contain a semicolon. .NET's form has a semicolon after each value.
  const isList = text.includes(';') && (!words || words.length < 2 || words[0]![1].includes(';'))
  const pairs = isList ? listed(text) : words
  if (!pairs?.some(([name]) => KEYS.has(plainName(name)))) return undefined
  const draft: StringDraft = { params: new Map() }
  for (const [name, value] of pairs) put(draft, name, value)
  const engine = notes.engines.find((it) => it.isSpaced)
  const scheme = isList ? told(pairs, draft, notes) : engine && usual(engine)
  notes.changes.push(`Read ${isList ? 'a .NET connection string' : 'libpq keywords'}.`)
  return { ...draft, scheme, ...splitHost(draft, notes) }
}

/** Plain names, at least one of which is required. */
const KEYS = new Set([
  ...['host', 'hostname', 'hostaddr', 'server', 'datasource', 'address', 'addr', 'networkaddress'],
  ...['dbname', 'database', 'initialcatalog', 'service', 'endpoint', 'accountendpoint', 'driver'],
])

/** Splits at semicolons, as .NET does. A value can be quoted, with quotes inside it doubled. */
function listed(text: string): [string, string][] {
  const pairs: [string, string][] = []
  let i = 0
  while (i < text.length) {
    const sign = text.indexOf('=', i)
    if (sign < 0) break
    const name = text.slice(i, sign).replaceAll(';', '').trim()
    let at = sign + 1
    while (text[at] === ' ') at++
    const quote = text[at]
    let value = ''
    const isQuoted = quote === '"' || quote === "'" || quote === '{'
    const close = quote === '{' ? '}' : quote
    if (isQuoted && text.indexOf(close!, at + 1) > 0) {
      for (at++; at < text.length; at++) {
        if (text[at] !== close) value += text[at]
        else if (text[at + 1] === close) value += text[at++]
        else break
      }
      const end = text.indexOf(';', at)
      i = end < 0 ? text.length : end + 1
    } else {
      const end = text.indexOf(';', at)
      value = text.slice(at, end < 0 ? text.length : end).trim()
      i = end < 0 ? text.length : end + 1
    }
    pairs.push([name, value])
  }
  return pairs
}

/** Splits at spaces, as libpq does. A value can be in single quotes, with backslash escapes. */
function spaced(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = []
  let i = 0
  while (i < text.length) {
    if (/[\s,]/.test(text[i]!)) {
      i++
      continue
    }
    const sign = text.indexOf('=', i)
    if (sign < 0) return undefined
    const name = text.slice(i, sign).trim()
    if (!/^\w{1,60}$/.test(name)) return undefined
    i = sign + 1
    while (text[i] === ' ') i++
    const quote = text[i] === "'" || text[i] === '"' ? text[i++] : undefined
    let value = ''
    for (; i < text.length; i++) {
      if (quote === undefined ? /\s/.test(text[i]!) : text[i] === quote) break
      if (text[i] === '\\' && i + 1 < text.length) i++
      value += text[i]
    }
    i++
    pairs.push([name, value])
  }
  return pairs
}

/** Splits a server that is written with its port: `tcp:db.example.com,3306`. */
function splitHost({ host, port }: StringDraft, notes: Notes): Pick<StringDraft, 'host' | 'port'> {
  if (host === undefined || host.startsWith('/')) return { host, port }
  const comma = /^([^,:]*),(\d+)$/.exec(host)
  const read = readHost(comma ? `${comma[1]}:${comma[2]}` : host, notes)
  return { host: read.host, port: port ?? read.port }
}

/** Finds the scheme for the engine of a list. Throws {@link NotRecognised} if nothing indicates the engine. */
function told(
  pairs: readonly (readonly [string, string])[],
  draft: StringDraft,
  notes: Notes,
): string {
  const keywords = new Map(pairs.map(([name, value]) => [plainName(name), value]))
  const engine = guessed(draft, notes) ?? notes.engines.find((it) => it.tells?.(keywords))
  const found = schemeIn(keywords.get('driver') ?? '', notes) ?? (engine && usual(engine))
  if (found === undefined || OTHERS.some((it) => keywords.has(it))) {
    throw new NotRecognised(
      'This does not say which engine it is for. Add its port, such as Port=5432. SQL Server is not supported.',
      'engine',
    )
  }
  return found
}

/** Plain keywords that only SQL Server has. Its connection strings have the same form. */
const OTHERS = ['encrypt', 'integratedsecurity', 'trustedconnection', 'multipleactiveresultsets']

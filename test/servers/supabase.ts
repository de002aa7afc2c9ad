import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { Io } from '../../src/database/database.ts'

/** A server that answers as the SQL of Supabase's Management API does, in front of a real PostgreSQL. */
export interface SupabaseServer {
  readonly port: number
  /** `supabase://:TOKEN@REF`: the token says as whom the statements run. */
  url(user: string): string
  /** What takes what is sent to Supabase here. */
  readonly io: Io
  /** The texts of all requests so far. */
  readonly texts: readonly string[]
  close(): Promise<void>
}

const REF = 'abcdefghijklmnopqrst'
const API = 'https://api.supabase.com'

export interface Options {
  /** Whether the role's transactions are read-only by themselves, as those of Supabase's role are. */
  readonly readOnly?: boolean
  /** What somebody has run in each session. */
  readonly before?: string
  /** What becomes of a text on its way. */
  readonly sent?: (text: string) => string
}

/** Sends what is meant for Supabase to a port of this machine. */
export const toSupabaseAt = (port: number): Io => ({
  bindings: {},
  fetch: (url, init) => fetch(String(url).replace(API, `http://127.0.0.1:${port}`), init),
})

/**
 * Starts one. Behind the API is postgres-meta, which sends the text as it is, on a session that ends
 * with the request: https://github.com/supabase/postgres-meta/blob/master/src/lib/db.ts
 */
export async function startSupabase(
  postgres: pg.ClientConfig,
  { readOnly = true, before = '', sent = (text) => text }: Options = {},
): Promise<SupabaseServer> {
  const texts: string[] = []
  const server = createServer(async (request, response) => {
    const send = (status: number, body?: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body && JSON.stringify(body))
    const [, user] = /^Bearer sbp_(\w+)$/.exec(request.headers.authorization ?? '') ?? []
    const body = await textOf(request)
    if (!user) return send(401, { message: 'Unauthorized' })
    // Of a project that there is not, the API says nothing at all.
    if (request.url !== `/v1/projects/${REF}/database/query/read-only`) return send(404)
    const client = new pg.Client({
      ...postgres,
      user,
      options: readOnly ? '-c default_transaction_read_only=on' : '',
      types: { getTypeParser: parserOf },
    })
    client.on('error', () => {})
    try {
      const { query } = JSON.parse(body) as { query: string }
      texts.push(query)
      await client.connect()
      if (before) await client.query(before)
      send(201, rowsOf(await client.query(sent(query))))
    } catch (error) {
      send(400, { message: `Failed to run sql query: ${formatted(error as pg.DatabaseError)}` })
    } finally {
      await client.end().catch(() => {})
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: (user) => `supabase://:sbp_${user}@${REF}`,
    io: toSupabaseAt(port),
    texts,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Of several results the last that has rows. */
const rowsOf = (result: pg.QueryResult | readonly pg.QueryResult[]): readonly object[] =>
  Array.isArray(result)
    ? (result.findLast(({ rows }) => rows.length > 0)?.rows ?? [])
    : (result as pg.QueryResult).rows

/** As texts: a bigint that a double cannot hold, times and points. The others as `pg` reads them. */
function parserOf(oid: number, format?: string) {
  const { INT8, DATE, INTERVAL, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins
  const POINT = 600 as typeof INT8
  if (oid === INT8) return (it: string) => (Number.isSafeInteger(Number(it)) ? Number(it) : it)
  if ([DATE, INTERVAL, TIMESTAMP, TIMESTAMPTZ, POINT].includes(oid)) return (it: string) => it
  return pg.types.getTypeParser(oid, format as 'text')
}

/** As psql shows it, but for the line that it is about. */
function formatted({ severity, code, message, detail, hint, where }: pg.DatabaseError): string {
  if (!severity) return message
  const lines = { DETAIL: detail, HINT: hint, CONTEXT: where }
  const more = Object.entries(lines).map(([name, it]) => (it ? `${name}:  ${it}\n` : ''))
  return `${severity}:  ${code}: ${message}\n${more.join('')}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

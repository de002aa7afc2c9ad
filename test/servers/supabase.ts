import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { Io } from '../../src/database/database.ts'

/** A server that answers like the SQL endpoint of Supabase's Management API, in front of a real PostgreSQL. */
export interface SupabaseServer {
  readonly port: number
  /** `supabase://:TOKEN@REF`: the token names the role that runs the statements. */
  url(user: string): string
  /** An `Io` that sends requests for Supabase to this server. */
  readonly io: Io
  /** The texts of all requests so far. */
  readonly texts: readonly string[]
  close(): Promise<void>
}

const REF = 'abcdefghijklmnopqrst'
const API = 'https://api.supabase.com'

export interface Options {
  /** True if the role's transactions are read-only by default, as for Supabase's role. */
  readonly readOnly?: boolean
  /** Statements that another client has run in each session. */
  readonly before?: string
  /** Changes a text on its way. */
  readonly sent?: (text: string) => string
}

/** Sends requests for Supabase to a port of this machine. */
export const toSupabaseAt = (port: number): Io => ({
  bindings: {},
  fetch: (url, init) => fetch(String(url).replace(API, `http://127.0.0.1:${port}`), init),
})

/**
 * Starts one. Behind the API is postgres-meta, which sends the text unchanged, in a session that ends
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
    // For an unknown project, the response of the API is empty.
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

/** The rows of the last result that has some. */
const rowsOf = (result: pg.QueryResult | readonly pg.QueryResult[]): readonly object[] =>
  Array.isArray(result)
    ? (result.findLast(({ rows }) => rows.length > 0)?.rows ?? [])
    : (result as pg.QueryResult).rows

/** A bigint that is too large for a double, times and points stay texts. `pg` parses the other types. */
function parserOf(oid: number, format?: string) {
  const { INT8, DATE, INTERVAL, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins
  const POINT = 600 as typeof INT8
  if (oid === INT8) return (it: string) => (Number.isSafeInteger(Number(it)) ? Number(it) : it)
  if ([DATE, INTERVAL, TIMESTAMP, TIMESTAMPTZ, POINT].includes(oid)) return (it: string) => it
  return pg.types.getTypeParser(oid, format as 'text')
}

/** The error as psql prints it, without the line of the statement. */
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

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Connection, createConnection, type ResultSetHeader } from 'mysql2/promise'
import type { TestMariaDb } from '../support/mariadb.ts'
import { described, joined, type Row } from './planetscale-rows.ts'

/** A server that speaks PlanetScale's HTTP protocol in front of a real MySQL or MariaDB. */
export interface PlanetScaleServer {
  /** `planetscale://user@127.0.0.1:port/database`, as the driver expects it. */
  url(user: string): string
  /** The statements so far. */
  readonly queries: readonly string[]
  close(): Promise<void>
}

/** The connection ended with its query, or the whole server did. */
const gone = () => {}

/** Starts one. Like at PlanetScale, a client that sends its session back continues in it. */
export async function startPlanetScale(mysql: TestMariaDb): Promise<PlanetScaleServer> {
  const { host, port: tcp, database } = mysql
  const sessions = new Map<string, Connection>()
  const queries: string[] = []
  // A variable of Vitess, which has other names in the databases behind it.
  const queryTimeout = (_: string, before: string, ms: string) =>
    /mariadb/i.test(mysql.version)
      ? `${before}max_statement_time = ${Number(ms) / 1_000}`
      : `${before}max_execution_time = ${ms}`

  const server = createServer(async (request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const basic = String(request.headers.authorization).replace(/^Basic /, '')
    const [user, password] = Buffer.from(basic, 'base64').toString().split(':')
    const connect = async () => {
      const account = { user: user!, password: password! }
      const connection = await createConnection({ host, port: tcp, database, ...account })
      return connection.on('error', gone)
    }
    const { query, session } = JSON.parse(await text(request))
    try {
      const id = session?.id ?? randomUUID()
      const connection = sessions.get(id) ?? (await connect())
      sessions.set(id, connection)
      queries.push(query)
      // If the client disconnects, its query is cancelled.
      const cancel = async () => {
        const other = await connect()
        await other.query(`kill query ${connection.threadId}`)
        await other.end()
      }
      response.on('close', () => response.writableFinished || cancel().catch(gone))
      const typeCast = (field: { buffer(): unknown }) => field.buffer()
      const sql = query.replace(/^(set .*)\bquery_timeout = (\d+)/, queryTimeout)
      const [rows, fields] = await connection.query({ sql, rowsAsArray: true, typeCast })
      if (query === 'rollback') {
        sessions.delete(id)
        await connection.end()
      }
      const result = fields && { fields: fields.map(described), rows: (rows as Row[]).map(joined) }
      const { affectedRows = 0, insertId = 0 } = rows as Partial<ResultSetHeader>
      const done = { rowsAffected: String(affectedRows), insertId: String(insertId) }
      send(200, { session: { id }, result: result ?? done })
    } catch (thrown) {
      const { errno, sqlState, message } = thrown as Error & { errno?: number; sqlState?: string }
      if (errno === 1045) return send(401, { error: { code: 'UNAUTHENTICATED', message } })
      const said = `target: shop.-.primary: vttablet: rpc error: code = Unknown desc = ${message} (errno ${errno}) (sqlstate ${sqlState}) (CallerID: ${user}): Sql: ${query}`
      send(200, { session, error: { code: 'UNKNOWN', message: said } })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    queries,
    url: (user) => `planetscale://${user}@127.0.0.1:${port}/${database}`,
    async close() {
      for (const connection of sessions.values()) connection.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

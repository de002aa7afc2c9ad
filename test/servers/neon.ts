import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { type Query, run } from './neon-batch.ts'

/** A server that speaks Neon's SQL over HTTP in front of a real PostgreSQL. */
export interface NeonServer {
  /** `neon://user@127.0.0.1:port/database`, as the driver expects it. */
  url(user: string, database: string): string
  /** The statements of every request so far. */
  readonly requests: readonly (readonly string[])[]
  close(): Promise<void>
}

/**
 * Starts one. Like at Neon, each request runs in a clean session. `before` has statements that another
 * client has run in the session.
 */
export async function startNeon(postgres: pg.ClientConfig, before = ''): Promise<NeonServer> {
  const requests: string[][] = []

  const connect = async (connection: string) => {
    const { username, password, pathname } = new URL(connection)
    const client = new pg.Client({
      ...postgres,
      user: decodeURIComponent(username),
      password: decodeURIComponent(password) || postgres.password,
      database: decodeURIComponent(pathname.slice(1)),
    })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  const server = createServer(async (request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const connection = String(request.headers['neon-connection-string'])
    let client: pg.Client | undefined
    try {
      const body = JSON.parse(await textOf(request)) as Query | { queries: readonly Query[] }
      const isBatch = 'queries' in body
      const queries = isBatch ? body.queries : [body]
      requests.push(queries.map(({ query }) => query))
      client = await connect(connection)
      if (before) await client.query(before)
      const { processID } = client as pg.Client & { processID: number }
      // If the client disconnects, its query is cancelled.
      response.on('close', async () => {
        if (response.writableFinished) return
        const other = await connect(connection)
        await other.query('select pg_cancel_backend($1)', [processID]).finally(() => other.end())
      })
      // The headers for batches have no effect on a single query.
      const isReadOnly = request.headers['neon-batch-read-only'] === 'true'
      const begin = isBatch && (isReadOnly ? 'begin read only' : 'begin')
      const results = await run(client, queries, begin)
      send(200, isBatch ? { results } : results[0]!)
    } catch (error) {
      const { code = '', message, position, detail, hint, severity } = error as pg.DatabaseError
      send(code === '507' ? 507 : 400, { message, code, position, detail, hint, severity })
    } finally {
      await client?.end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    requests,
    url: (user, database) => `neon://${user}@127.0.0.1:${port}/${database}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startHrana } from './hrana.ts'
import type { SqliteServer } from './sqlite-child.ts'

/** A libSQL server that stops a statement when its client disconnects. */
export interface CancellingServer {
  readonly port: number
  /** The number of running requests. */
  working(): number
  close(): Promise<void>
}

/**
 * Starts one. libSQL's own server interrupts SQLite when its client disconnects. Node's SQLite cannot be
 * interrupted, so here the process that runs the statement is killed and replaced.
 */
export async function startCancellingHrana(setup: readonly string[]): Promise<CancellingServer> {
  const idle = [startHrana(setup), startHrana(setup)]
  const busy = new Set<SqliteServer>()
  await Promise.all(idle)

  const server = createServer(async (request, response) => {
    const sqlite = await (idle.shift() ?? startHrana(setup))
    busy.add(sqlite)
    response.on('close', () => {
      busy.delete(sqlite)
      if (response.writableFinished) return void idle.push(Promise.resolve(sqlite))
      sqlite.close()
      idle.push(startHrana(setup))
    })
    const { method, url, headers } = request
    const behind = ask({ host: '127.0.0.1', port: sqlite.port, method, path: url, headers })
    behind.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.on('error', () => response.destroy()).pipe(response)
    })
    behind.on('error', () => response.destroy())
    request.pipe(behind)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    working: () => busy.size,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      for (const it of await Promise.all(idle)) it.close()
    },
  }
}

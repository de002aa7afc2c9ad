import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type Spawned, spawned } from './spawned.ts'
import type { RunningWorker } from './worker.ts'

/**
 * The command over stdio in place of a Worker, with a process for each endpoint. Messages that are posted to /mcp
 * go to its input, and its answers come back. There are no other routes.
 */
export async function startStdioWorker(
  variables: Record<string, string>,
): Promise<Omit<RunningWorker, 'd1'>> {
  const processes = new Map<string, Spawned>()
  const processOf = (endpoint: string) => {
    const found = processes.get(endpoint)
    if (found) return found
    const args = endpoint ? ['--endpoint', endpoint] : []
    const demo = variables.ENDPOINTS || variables.DATABASE_URL ? [] : ['--demo']
    const { NODE_EXTRA_CA_CERTS = '' } = process.env
    const started = spawned([...demo, ...args], { NODE_EXTRA_CA_CERTS, ...variables })
    processes.set(endpoint, started)
    return started
  }
  let count = 0
  /** Unanswered requests, by the id from their client. */
  const open = new Map<unknown, { readonly id: string; end(): void }>()
  const server = createServer(async (request, response) => {
    const [, path] = /^\/mcp(?:\/([a-z][\w-]*))?$/.exec(request.url ?? '') ?? []
    if (!/^\/mcp/.test(request.url ?? '')) {
      return void response.writeHead(404).end('Over stdio there is nothing but messages.')
    }
    // The answer to GET of a server without a stream. After a 404, a client would treat the connection as lost.
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    const message = (await json(request)) as Message
    const { send, heard, said } = processOf(path ?? '')
    const id = `bridged-${++count}`
    response.on('close', () => {
      if (response.writableEnded) return
      send({ method: 'notifications/cancelled', params: { requestId: id } })
    })
    const given = message.id
    if (given === undefined) {
      const cancelled = open.get(message.params?.requestId)
      send(cancelled ? { ...message, params: { requestId: cancelled.id } } : message)
      // A cancelled request gets no answer.
      cancelled?.end()
      return void response.writeHead(202).end()
    }
    open.set(given, { id, end: () => response.writeHead(202).end() })
    send({ ...message, id })
    const answer = await heard((it) => it.id === id).catch((error: Error) => {
      return { jsonrpc: '2.0', error: { code: -32603, message: error.message } }
    })
    if (response.writableEnded) return
    open.delete(given)
    // Removes the answer, which is not needed again.
    said.splice(said.indexOf(answer), 1)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...answer, id: message.id }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    logs: () => [...processes.values()].flatMap((it) => it.logs().split('\n').filter(Boolean)),
    env: async () => Promise.reject(new Error('Over stdio nobody reaches into the process.')),
    async close(signal) {
      server.closeAllConnections()
      server.close()
      for (const it of processes.values()) signal ? it.child.kill(signal) : it.end()
      await Promise.all([...processes.values()].map((it) => it.over))
    },
  }
}

interface Message {
  readonly id?: unknown
  readonly params?: { readonly requestId?: unknown }
}

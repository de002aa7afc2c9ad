/**
 * Carries changes between isolates: one Durable Object that all who publish and listen know.
 *
 * @module
 */

import type { Changes } from './changes.ts'
import { mark } from './internal.ts'

const WATCHER = 'watcher:'

/** Changes that reach whoever listens, in whatever isolate. */
export function durableChanges(namespace: () => DurableObjectNamespace): Changes {
  return {
    async publish(change) {
      await ask(namespace(), 'publish', { method: 'POST', body: JSON.stringify(change) })
    },
    async listen(listener, signal) {
      const headers = { upgrade: 'websocket' }
      const { webSocket } = await ask(namespace(), 'listen', { headers })
      if (!webSocket) throw new Error('The hub of changes opened no socket.')
      webSocket.addEventListener('message', ({ data }) => listener(JSON.parse(data as string)))
      webSocket.accept()
      if (signal.aborted) webSocket.close()
      signal.addEventListener('abort', () => webSocket.close())
    },
  }
}

/** Has the session of this name told of changes, or no more. */
export async function watch(namespace: DurableObjectNamespace, name: string, on: boolean) {
  await ask(namespace, `watch/${name}`, { method: on ? 'PUT' : 'DELETE' })
}

function ask(
  namespace: DurableObjectNamespace,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const hub = namespace.get(namespace.idFromName('hub'))
  return hub.fetch(mark(new Request(`https://hub/${path}`, init), { as: 'hub' }))
}

/** The hub's side of all that. */
export async function serveHub(
  request: Request,
  state: DurableObjectState,
  tell: (session: string, change: string) => Promise<unknown>,
): Promise<Response> {
  const [, verb, name = ''] = new URL(request.url).pathname.split('/')
  const { kv } = state.storage
  if (verb === 'listen') {
    const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
    // Hibernating: the hub sleeps while nothing changes.
    state.acceptWebSocket(socket)
    return new Response(null, { status: 101, webSocket: client })
  }
  if (verb === 'watch') {
    if (request.method === 'PUT') kv.put(WATCHER + name, true)
    else kv.delete(WATCHER + name)
  }
  if (verb === 'publish') {
    const change = await request.text()
    for (const socket of state.getWebSockets()) socket.send(change)
    const watchers = [...kv.list({ prefix: WATCHER })].map(([key]) => key.slice(WATCHER.length))
    await Promise.allSettled(watchers.map((it) => tell(it, change)))
  }
  return new Response(null, { status: 204 })
}

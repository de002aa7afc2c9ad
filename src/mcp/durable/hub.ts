/**
 * Carries changes between isolates: one Durable Object to which all isolates publish and listen.
 *
 * @module
 */

import { type Change, type Changes, isNew } from '../features/changes.ts'
import { tag } from './object-request.ts'

const WATCHER = 'watcher:'
const VERSION = 'version:'

/** Changes that reach all isolates. Servers that use different hubs share no changes. */
export function durableChanges(
  namespace: () => DurableObjectNamespace,
  hub = 'hub',
): Changes & { readonly hub: string } {
  return {
    hub,
    async publish(change) {
      await ask(namespace(), hub, 'publish', { method: 'POST', body: JSON.stringify(change) })
    },
    async listen(listener, signal) {
      const headers = { upgrade: 'websocket' }
      const { webSocket } = await ask(namespace(), hub, 'listen', { headers })
      if (!webSocket) throw new Error('The hub of changes opened no socket.')
      webSocket.addEventListener('message', ({ data }) => listener(JSON.parse(data as string)))
      webSocket.accept()
      if (signal.aborted) webSocket.close()
      signal.addEventListener('abort', () => webSocket.close())
    },
  }
}

/** Starts or stops telling a session of the changes in a hub. */
export async function watch(
  namespace: DurableObjectNamespace,
  { hub, name }: Watching,
  on: boolean,
) {
  await ask(namespace, hub, `watch/${name}`, { method: on ? 'PUT' : 'DELETE' })
}

export interface Watching {
  readonly hub: string
  readonly name: string
}

function ask(
  namespace: DurableObjectNamespace,
  name: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const hub = namespace.get(namespace.idFromName(name))
  return hub.fetch(tag(new Request(`https://hub/${path}`, init), { as: 'hub' }))
}

/** Serves these requests in the object of the hub. */
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
    const versions = {
      get: (uri: string) => kv.get(VERSION + uri),
      put: (uri: string, version: string) => kv.put(VERSION + uri, version),
    }
    if (!isNew(JSON.parse(change) as Change, versions)) return new Response(null, { status: 204 })
    for (const socket of state.getWebSockets()) socket.send(change)
    const watchers = [...kv.list({ prefix: WATCHER })].map(([key]) => key.slice(WATCHER.length))
    await Promise.allSettled(watchers.map((it) => tell(it, change)))
  }
  return new Response(null, { status: 204 })
}

import { type Change, isNew } from '../features/changes.ts'

const WATCHER = 'watcher:'
const VERSION = 'version:'

/** Serves a request to the hub of changes, in its object. */
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

// Carries changes between isolates. All isolates publish to one Durable Object, and listen to it.
import type { Changes } from '../features/changes.ts'
import { toObject } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** Changes that reach all isolates. Servers that use different hubs share no changes. */
export function durableChanges(
  namespace: () => ObjectNamespace,
  hub = 'hub',
): Changes & { readonly hub: string } {
  return {
    hub,
    async publish(change) {
      await ask(namespace(), hub, 'publish', { method: 'POST', body: JSON.stringify(change) })
    },
    async listen(listener, signal) {
      const init = { headers: { upgrade: 'websocket' } }
      let socket: WebSocket | undefined
      const connect = async () => {
        socket = (await ask(namespace(), hub, 'listen', init)).webSocket ?? undefined
        if (!socket) throw new Error('The change hub did not open a socket.')
        socket.addEventListener('message', ({ data }) => listener(JSON.parse(data as string)))
        // An object that restarts loses its sockets.
        socket.addEventListener('close', later)
        socket.accept()
        if (signal.aborted) socket.close()
      }
      const later = () => {
        if (!signal.aborted) setTimeout(reconnect, Math.random() * RECONNECT_MS)
      }
      const reconnect = () => {
        if (signal.aborted) return
        connect().catch((error: unknown) => {
          console.error(error)
          later()
        })
      }
      signal.addEventListener('abort', () => socket?.close())
      await connect()
    },
  }
}

/** Listeners reconnect at a random time within this period, because an object handles 1,000 requests a second. */
const RECONNECT_MS = 5_000

/** A session's subscription to a hub. */
export interface Watching {
  readonly hub: string
  readonly name: string
}

/** Subscribes a session to a hub's changes. */
export const watch = (namespace: ObjectNamespace, { hub, name }: Watching): Promise<Response> =>
  ask(namespace, hub, `watch/${name}`, { method: 'PUT' })

/** Unsubscribes a session from a hub. */
export const unwatch = (namespace: ObjectNamespace, { hub, name }: Watching): Promise<Response> =>
  ask(namespace, hub, `watch/${name}`, { method: 'DELETE' })

function ask(
  namespace: ObjectNamespace,
  hub: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const request = new Request(`https://hub/${path}`, init)
  return toObject(namespace, hub, request, { as: 'hub', name: hub })
}

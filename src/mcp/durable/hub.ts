/**
 * Carries changes between isolates: one Durable Object to which all isolates publish and listen. One
 * that has many watchers sends new ones to its leaves, which are objects too, and tells the leaves.
 *
 * @module
 */

import type { Changes } from '../features/changes.ts'
import { tag } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** Leaves of a hub. Watchers that are stored were given to a leaf by this number: never change it. */
const LEAVES = 64

/** The HTTP status with which a hub sends a watcher to its leaf. */
export const FULL = 421

/** Changes that reach all isolates. Servers that use different hubs share no changes. */
export function durableChanges(
  namespace: () => ObjectNamespace,
  hub = 'hub',
): Changes & { readonly hub: string } {
  return {
    hub,
    async publish(change) {
      await ask(namespace(), { node: hub }, 'publish', {
        method: 'POST',
        body: JSON.stringify(change),
      })
    },
    async listen(listener, signal) {
      const init = { headers: { upgrade: 'websocket' } }
      let socket: WebSocket | undefined
      const connect = async () => {
        const answer = await join(namespace(), hub, crypto.randomUUID(), (place) =>
          ask(namespace(), place, 'listen', init),
        )
        socket = answer.webSocket ?? undefined
        if (!socket) throw new Error('The hub of changes opened no socket.')
        socket.addEventListener('message', ({ data }) => listener(JSON.parse(data as string)))
        // An object that restarts loses its sockets.
        socket.addEventListener('close', () => {
          if (!signal.aborted) setTimeout(reconnect, Math.random() * RECONNECT_MS)
        })
        socket.accept()
        if (signal.aborted) socket.close()
      }
      const reconnect = () => {
        if (!signal.aborted) connect().catch(console.error)
      }
      signal.addEventListener('abort', () => socket?.close())
      await connect()
    },
  }
}

/** Listeners come back within this time, not all at once. */
const RECONNECT_MS = 1_000

/** What a session watches, and the name of the session. */
export interface Watching {
  /** The hub, or the node of it that tells this session. */
  readonly hub: string
  readonly name: string
}

/**
 * Has a session told of the changes in a hub.
 *
 * @param joining Called before a node is asked, which may tell the session before it answers.
 * @returns the node that tells the session
 */
export async function watch(
  namespace: ObjectNamespace,
  { hub, name }: Watching,
  joining: (node: string) => void,
): Promise<string> {
  let at = hub
  await join(namespace, hub, name, (place) => {
    at = place.node
    joining(at)
    return ask(namespace, place, `watch/${name}`, { method: 'PUT' })
  })
  return at
}

/** Has a node of a hub tell a session nothing more. */
export async function unwatch(namespace: ObjectNamespace, { hub, name }: Watching) {
  await ask(namespace, { node: hub }, `watch/${name}`, { method: 'DELETE' })
}

/** A hub, or a leaf of one. */
export interface Place {
  readonly node: string
  readonly isLeaf?: boolean
}

/** All leaves of a hub. */
export const leavesOf = (hub: string): string[] =>
  Array.from({ length: LEAVES }, (_, i) => leafOf(hub, i))

const leafOf = (hub: string, index: number) => `${hub}/${index}`

/** Asks an object of the hub. */
export function ask(
  namespace: ObjectNamespace,
  { node, isLeaf }: Place,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const object = namespace.get(namespace.idFromName(node))
  const request = new Request(`https://hub/${path}`, init)
  return object.fetch(tag(request, { as: isLeaf ? 'leaf' : 'hub', name: node }))
}

/** Asks the hub to take a watcher, and a leaf if the hub is full: which it stays, once it is. */
async function join(
  namespace: ObjectNamespace,
  hub: string,
  watcher: string,
  ask: (place: Place) => Promise<Response>,
): Promise<Response> {
  const id = namespace.idFromName(hub).toString()
  if (!full.has(id)) {
    const answer = await ask({ node: hub })
    if (answer.status !== FULL) return answer
    if (full.size >= MAX_REMEMBERED) full.clear()
    full.add(id)
  }
  return ask({ node: leafOf(hub, hash(watcher) % LEAVES), isLeaf: true })
}

/** Hubs that are known to be full. They are spared the question. */
const full = new Set<string>()

const MAX_REMEMBERED = 1_000

/** Spreads names evenly (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  }
  return value >>> 0
}

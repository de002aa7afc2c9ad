import { type Change, isNew } from '../features/changes.ts'
import { type Delivery, HubQueue } from './hub-queue.ts'
import { toObject } from './object-request.ts'
import { type ObjectNamespace, type ObjectState, openSocket } from './object-state.ts'

const WATCHER = 'watcher:'
const VERSION = 'version:'

/** HTTP status that a session returns when it no longer needs changes from this hub. */
export const GONE = 410

/** Maximum number of objects that one invocation notifies. The free plan allows it 1,000 requests to objects. */
export const BATCH = 500

/** Time limit for an object's response. An object that takes longer may be stuck. */
const ANSWER_MS = 15_000

/** A change hub in its Durable Object. It notifies sessions with requests, and listeners over open sockets. */
export class Hub {
  readonly #state: ObjectState
  readonly #namespace: ObjectNamespace
  readonly #queue: HubQueue

  constructor(state: ObjectState, namespace: ObjectNamespace) {
    this.#state = state
    this.#namespace = namespace
    this.#queue = new HubQueue(state.storage, {
      watchers: (after, limit) => this.#watchers(after, limit),
      tell: (delivery, names) => this.#tellAll(delivery, names),
    })
  }

  async serve(request: Request, hub: string): Promise<Response> {
    const [, verb, name = ''] = new URL(request.url).pathname.split('/')
    const { kv } = this.#state.storage
    if (verb === 'listen') return openSocket(this.#state).response
    if (verb === 'publish') await this.#publish(await request.text(), hub)
    else if (request.method === 'PUT') kv.put(WATCHER + name, crypto.randomUUID())
    else kv.delete(WATCHER + name)
    return new Response(null, { status: 204 })
  }

  /** Continues with the work that did not fit in one invocation. */
  wake(): Promise<void> {
    return this.#queue.work(BATCH)
  }

  async #publish(change: string, hub: string): Promise<void> {
    const { kv } = this.#state.storage
    const versions = {
      get: (uri: string) => kv.get(VERSION + uri),
      put: (uri: string, version: string) => kv.put(VERSION + uri, version),
    }
    if (!isNew(JSON.parse(change) as Change, versions)) return
    this.#tellListeners(change)
    const delivery = { change, hub }
    const watchers = this.#watchers('', BATCH + 1)
    if (watchers.length > BATCH) this.#queue.add({ ...delivery, after: '' })
    else this.#queue.again(delivery, await this.#tellAll(delivery, watchers))
  }

  #watchers(after: string, limit: number): string[] {
    const options = { prefix: WATCHER, limit, ...(after && { startAfter: WATCHER + after }) }
    return [...this.#state.storage.kv.list(options)].map(([key]) => key.slice(WATCHER.length))
  }

  #tellListeners(change: string): void {
    for (const socket of this.#state.getWebSockets()) {
      try {
        socket.send(change)
      } catch {
        // The socket is closing.
      }
    }
  }

  /** @returns names of the sessions that could not be reached */
  async #tellAll(delivery: Delivery, names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return []
    let timer: ReturnType<typeof setTimeout> | null = null
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The object did not respond in time.')), ANSWER_MS)
    })
    const results = await Promise.allSettled(
      names.map((it) => Promise.race([this.#tellWatcher(delivery, it), late])),
    )
    clearTimeout(timer)
    return names.filter((_, i) => results[i]!.status === 'rejected')
  }

  async #tellWatcher({ change, hub }: Delivery, session: string): Promise<void> {
    const { kv } = this.#state.storage
    const watching = kv.get(WATCHER + session)
    if (watching === undefined) return
    const request = new Request('https://session/', { method: 'POST', body: change })
    const tag = { as: 'change', name: hub } as const
    const { status } = await toObject(this.#namespace, session, request, tag)
    // The session may have come back in the meantime.
    if (status === GONE && kv.get(WATCHER + session) === watching) kv.delete(WATCHER + session)
  }
}

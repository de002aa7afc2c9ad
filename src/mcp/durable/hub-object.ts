import { type Change, isNew } from '../features/changes.ts'
import { ask, FULL, leavesOf } from './hub.ts'
import { HubQueue, type Told } from './hub-queue.ts'
import { tag } from './object-request.ts'
import { openSocket } from './object-socket.ts'
import type { ObjectNamespace, ObjectState } from './object-state.ts'

const WATCHER = 'watcher:'
const VERSION = 'version:'
const SPLIT = 'split'
const HEARD = 'heard'

/** The HTTP status with which a session says that this node need not tell it any more. */
export const GONE = 410

/**
 * How many objects one invocation tells, and how many watchers and listeners a hub has without leaves.
 * A free plan allows 1,000 requests to objects in an invocation.
 */
export const BATCH = 250

/** Changes that a leaf remembers, so that it is not told one twice. */
const REMEMBERED = 50

/** An object that did not answer by then may be stuck. */
const ANSWER_MS = 15_000

/**
 * A node of a hub of changes, in its object: the hub itself, or a leaf. A node has watchers, which are
 * sessions that it tells by a request, and listeners, which hold a socket.
 */
export class HubNode {
  readonly #state: ObjectState
  readonly #namespace: ObjectNamespace
  readonly #queue: HubQueue

  constructor(state: ObjectState, namespace: ObjectNamespace) {
    this.#state = state
    this.#namespace = namespace
    this.#queue = new HubQueue(state.storage, {
      watchers: (after, limit) => this.#watchers(after, limit),
      tell: (told, names) => this.#tellAll(told, names),
    })
  }

  /** Serves a request to the hub itself. */
  async serve(request: Request, node: string): Promise<Response> {
    const [, verb, name = ''] = new URL(request.url).pathname.split('/')
    if (verb === 'publish') await this.#publish(await request.text(), node)
    else if (request.method !== 'DELETE' && this.#isFull(name)) return answer(FULL)
    else return this.#take(request, verb, name)
    return answer()
  }

  /** Serves a request to a leaf. */
  async serveLeaf(request: Request, node: string): Promise<Response> {
    const [, verb, name = ''] = new URL(request.url).pathname.split('/')
    if (verb !== 'change') return this.#take(request, verb, name)
    this.#hear(await request.text(), name, node)
    return answer()
  }

  /** Goes on with what one invocation could not do. */
  wake(): Promise<void> {
    return this.#queue.work(BATCH)
  }

  #take(request: Request, verb: string | undefined, name: string): Response {
    const { kv } = this.#state.storage
    if (verb === 'listen') return openSocket(this.#state).response
    if (verb === 'watch') {
      if (request.method === 'PUT') kv.put(WATCHER + name, crypto.randomUUID())
      else kv.delete(WATCHER + name)
    }
    return answer()
  }

  /** Whether a new watcher has to go to a leaf. Once there are leaves, they stay. */
  #isFull(name: string): boolean {
    const { kv } = this.#state.storage
    if (name && kv.get(WATCHER + name) !== undefined) return false
    if (kv.get(SPLIT)) return true
    const listeners = this.#state.getWebSockets().length
    if (listeners < BATCH && this.#watchers('', BATCH).length < BATCH) return false
    kv.put(SPLIT, true)
    return true
  }

  async #publish(change: string, node: string): Promise<void> {
    const { kv } = this.#state.storage
    const versions = {
      get: (uri: string) => kv.get(VERSION + uri),
      put: (uri: string, version: string) => kv.put(VERSION + uri, version),
    }
    if (!isNew(JSON.parse(change) as Change, versions)) return
    this.#tellListeners(change)
    const told = { change, node, id: crypto.randomUUID() }
    const isSplit = kv.get(SPLIT) !== undefined
    if (isSplit) this.#queue.add({ ...told, names: leavesOf(node), areLeaves: true })
    const watchers = this.#watchers('', BATCH + 1)
    if (isSplit || watchers.length > BATCH) this.#queue.add({ ...told, after: '' })
    else this.#queue.again(told, await this.#tellAll(told, watchers))
  }

  /** Hears of a change from the hub, which repeats it if the answer is lost. */
  #hear(change: string, id: string, node: string): void {
    const { kv } = this.#state.storage
    const heard = kv.get<string[]>(HEARD) ?? []
    if (heard.includes(id)) return
    kv.put(HEARD, [...heard.slice(1 - REMEMBERED), id])
    this.#tellListeners(change)
    if (this.#watchers('', 1).length > 0) this.#queue.add({ change, node, id, after: '' })
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
        // It is closing.
      }
    }
  }

  /** @returns those that could not be told */
  async #tellAll(told: Told, names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return []
    const tell = told.areLeaves ? this.#tellLeaf : this.#tellWatcher
    let timer: ReturnType<typeof setTimeout> | null = null
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('There was no answer in time.')), ANSWER_MS)
    })
    const results = await Promise.allSettled(
      names.map((it) => Promise.race([tell.call(this, told, it), late])),
    )
    clearTimeout(timer)
    return names.filter((_, i) => results[i]!.status === 'rejected')
  }

  async #tellLeaf({ change, id }: Told, leaf: string): Promise<void> {
    const init = { method: 'POST', body: change }
    await ask(this.#namespace, { node: leaf, isLeaf: true }, `change/${id}`, init)
  }

  async #tellWatcher({ change, node }: Told, session: string): Promise<void> {
    const { kv } = this.#state.storage
    const watching = kv.get(WATCHER + session)
    if (watching === undefined) return
    const request = new Request('https://session/', { method: 'POST', body: change })
    const object = this.#namespace.get(this.#namespace.idFromName(session))
    const { status } = await object.fetch(tag(request, { as: 'change', name: node }))
    // It may have come back since.
    if (status === GONE && kv.get(WATCHER + session) === watching) kv.delete(WATCHER + session)
  }
}

const answer = (status = 204) => new Response(null, { status })

import type { DatabaseSync } from 'node:sqlite'
import { waitUntil } from '../workers.ts'
import { Alarms } from './alarms.ts'
import { Room } from './room.ts'
import { Socket } from './sockets.ts'
import type { StateFile } from './state-file.ts'
import { ObjectStorage } from './storage.ts'

/** A class of objects, as a Worker exports it. */
export type ObjectClass = new (state: never, env: never) => object

/** How a class of objects is kept. */
export interface Kind {
  readonly made: ObjectClass
  /** Whether each has tables of its own. The others only have values, and share a database. */
  readonly hasTables: boolean
  /** Whether what it keeps in memory may be lost if there are too many. */
  readonly mayBeLost?: boolean | undefined
  /** The names of those that are forgotten where there is no room. */
  readonly forgettable?: RegExp | undefined
}

/** Objects that nobody asked for this long are forgotten, if what they keep is not. Longer than any call. */
const IDLE_MS = 15 * 60_000

/** Objects that are open at once. More are closed again as soon as they rest; those with tables have a database. */
const MAX_OPEN = { tables: 500, values: 5_000 }

/** All objects of this process: one for each name of each kind, made when it is first asked for. */
export class Objects {
  readonly #kinds: Readonly<Record<string, Kind>>
  readonly #state: StateFile
  readonly #env: object
  readonly #open = new Map<string, OpenObject>()
  readonly #alarms: Alarms
  readonly #room: Room
  readonly #sweep = setInterval(() => this.#forgetIdle(), IDLE_MS / 5).unref()

  /** @param env Given to each object. Its namespaces may be added later. */
  constructor(kinds: Readonly<Record<string, Kind>>, state: StateFile, env: object) {
    this.#kinds = kinds
    this.#state = state
    this.#env = env
    this.#alarms = new Alarms(state.database, async (kind, name) => {
      if (kind in kinds) await this.#find(kind, name).call('alarm', [])
    })
    this.#room = new Room(state.database, state.maxBytes, (key) => this.#drop(key))
  }

  /** Wakes objects at their times, also at those that an earlier process has set. */
  start(): void {
    this.#alarms.start()
  }

  /** What a Worker has as a binding. */
  namespace(kind: string): DurableObjectNamespace {
    const idOf = (name: string) => ({ name, toString: () => `${kind}:${name}` })
    const get = ({ name = '' }: { name?: string }) => this.#stub(kind, name)
    return { idFromName: idOf, get, getByName: (name: string) => get({ name }) } as never
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#alarms.stop()
    for (const object of this.#open.values()) object.close()
    this.#open.clear()
  }

  /** Asks by name each time: the object may have been forgotten since. Arguments and results are copies. */
  #stub(kind: string, name: string) {
    const ask = (method: string, args: readonly unknown[]) =>
      this.#find(kind, name).call(method, args)
    return new Proxy(
      {
        fetch: (...args: Asked) => ask('fetch', [requestOf(...args)]),
      },
      {
        get(own, method) {
          if (method === 'fetch') return own.fetch
          // It is no promise.
          if (typeof method !== 'string' || method === 'then') return undefined
          return async (...args: unknown[]) =>
            structuredClone(await ask(method, structuredClone(args)))
        },
      },
    )
  }

  #find(kind: string, name: string): OpenObject {
    const key = `${kind}:${name}`
    const found = this.#open.get(key)
    if (found) {
      // Behind all others: what was used last is closed last.
      this.#open.delete(key)
      this.#open.set(key, found)
      this.#room.used(key)
      return found
    }
    const { made, hasTables } = this.#kinds[kind]!
    this.#makeRoom(hasTables)
    let own: DatabaseSync | undefined
    const tables = () => (own ??= this.#state.open(kind, name))
    const values = hasTables ? tables : () => this.#state.database
    const place = {
      ...{ values, name: key, room: this.#room },
      ...(hasTables && { tables, room: undefined }),
    }
    const storage = new ObjectStorage(place, this.#alarms.of(kind, name))
    const object = new OpenObject(made, storage, this.#env, () => own?.close())
    this.#open.set(key, object)
    return object
  }

  #forgetIdle(): void {
    for (const [key, object] of this.#open) if (object.isIdle) this.#forget(key, object)
  }

  /** Closes what was used longest ago, if too many are open. */
  #makeRoom(hasTables: boolean): void {
    const max = hasTables ? MAX_OPEN.tables : MAX_OPEN.values
    if (this.#open.size < max) return
    const alike = [...this.#open].filter(([key]) => this.#kindOf(key).hasTables === hasTables)
    let more = alike.length - max
    if (more < 0) return
    // Some more than needed: the next ones need not look again.
    if (!hasTables) more += max / 10
    for (const [key, object] of alike) {
      if (object.isQuiet && this.#forget(key, object) && more-- <= 0) return
    }
  }

  /** Deletes what an object keeps, unless it is one that has to stay. */
  #drop(key: string): boolean {
    const at = key.indexOf(':')
    const [kind, name] = [key.slice(0, at), key.slice(at + 1)]
    const open = this.#open.get(key)
    if (!this.#kinds[kind]?.forgettable?.test(name) || open?.isQuiet === false) return false
    if (open) this.#forget(key, open)
    this.#state.database.prepare('delete from _cf_KV where object = ?').run(key)
    this.#alarms.of(kind, name).delete()
    this.#room.freed(key)
    return true
  }

  /** Forgets an object, unless memory is all that keeps what it has. @returns whether it did */
  #forget(key: string, object: OpenObject): boolean {
    const { hasTables, mayBeLost } = this.#kindOf(key)
    if (hasTables && !this.#state.isKept && !mayBeLost) return false
    this.#open.delete(key)
    object.close()
    return true
  }

  #kindOf = (key: string): Kind => this.#kinds[key.slice(0, key.indexOf(':'))]!
}

/** An object in memory, with its sockets. */
class OpenObject {
  readonly #object: Readonly<Record<string, unknown>>
  readonly #close: () => void
  readonly #sockets = new Set<Socket>()
  #running = 0
  #usedAt = Date.now()

  constructor(made: ObjectClass, storage: ObjectStorage, env: object, close: () => void) {
    const state = {
      storage,
      waitUntil,
      getWebSockets: () => this.#openSockets(),
      /** Instead of a `WebSocketPair`, which only the platform has. */
      openSocket: () => this.#openSocket(),
    }
    this.#object = new made(state as never, env as never) as never
    this.#close = close
  }

  async call(method: string, args: readonly unknown[]): Promise<unknown> {
    const found = this.#object[method]
    if (typeof found !== 'function') throw new Error(`This object has no ${method}.`)
    this.#running++
    try {
      return await found.apply(this.#object, args)
    } finally {
      this.#running--
      this.#usedAt = Date.now()
    }
  }

  get isQuiet(): boolean {
    return this.#running === 0 && this.#openSockets().length === 0
  }

  get isIdle(): boolean {
    return this.isQuiet && Date.now() - this.#usedAt > IDLE_MS
  }

  close(): void {
    for (const socket of this.#openSockets()) socket.close()
    this.#close()
  }

  #openSockets(): Socket[] {
    for (const socket of this.#sockets) if (socket.isClosed) this.#sockets.delete(socket)
    return [...this.#sockets]
  }

  #openSocket(): { socket: Socket; response: Response } {
    const [client, socket] = Socket.pair()
    socket.accept()
    this.#sockets.add(socket)
    // A `Response` of Node has no status 101.
    return { socket, response: Object.assign(new Response(), { webSocket: client }) }
  }
}

type Asked = ConstructorParameters<typeof Request>

const requestOf = (...[input, init]: Asked) =>
  input instanceof Request && !init ? input : new Request(input, init)

import { Alarms } from './alarms.ts'
import { type Disk, OutputGate } from './disk.ts'
import { IDLE_MS, type ObjectClass, OpenObject } from './open-object.ts'
import { ObjectsFile } from './room.ts'
import type { OwnDatabase, StateFile } from './state-file.ts'
import { FileObjectStorage, type ObjectPlace } from './storage.ts'

/** The storage settings for a class of objects. */
export interface ObjectKind {
  readonly made: ObjectClass
  /** True if each object has its own tables. Other objects have only values, and share a database. */
  readonly hasTables: boolean
  /** True if a power cut is allowed to lose the last changes. Then no result waits for the disk. */
  readonly mayLoseLast?: boolean | undefined
  /** Returns true if a call only reads. It does not wait for the disk, since it confirms no other call's changes. */
  readonly looks?: ((method: string, args: readonly unknown[]) => boolean) | undefined
  /** Matches the names of objects that are deleted when there is no room. */
  readonly forgettable?: RegExp | undefined
}

/** Maximum number of open objects. Beyond it, quiet objects are closed. Each object with tables has a database. */
const MAX_OPEN = { tables: 500, values: 5_000 }

/** All objects in this process: one for each name of each kind, created on first use. */
export class Objects {
  readonly #kinds: Readonly<Record<string, ObjectKind>>
  readonly #state: StateFile
  readonly #env: object
  readonly #open = new Map<string, OpenObject>()
  readonly #alarms: Alarms
  readonly #room: ObjectsFile
  readonly #sweep = setInterval(() => this.#forgetIdle(), IDLE_MS / 5).unref()

  /** @param env Given to each object. Its namespaces can be added later. */
  constructor(kinds: Readonly<Record<string, ObjectKind>>, state: StateFile, env: object) {
    this.#kinds = kinds
    this.#state = state
    this.#env = env
    this.#alarms = new Alarms(state.database, async (kind, name) => {
      if (kind in kinds) await this.#find(kind, name).call('alarm', [])
    })
    this.#room = new ObjectsFile(state.database, state.maxBytes, (key) => this.#drop(key))
  }

  /** Wakes objects at their times, including those that an earlier process set. */
  start(): void {
    this.#alarms.start()
  }

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

  /** Finds the object by name for each call, since it can be closed meanwhile. Arguments and results are copies. */
  #stub(kind: string, name: string) {
    const ask = (method: string, args: readonly unknown[]) =>
      this.#find(kind, name).call(method, args)
    return new Proxy(
      {
        fetch: (...args: RequestArguments) => ask('fetch', [requestOf(...args)]),
      },
      {
        get(own, method) {
          if (method === 'fetch') return own.fetch
          // The stub is not a promise.
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
      // Moves it to the end, because the object used last is closed last.
      this.#open.delete(key)
      this.#open.set(key, found)
      this.#room.used(key)
      return found
    }
    const { made, hasTables, mayLoseLast, looks } = this.#kinds[kind]!
    this.#makeRoom(hasTables)
    const gate = new OutputGate()
    const writing = (disk: () => Disk | undefined) => () => {
      if (!mayLoseLast) gate.wrote(disk())
    }
    const shared = writing(() => this.#state.disk)
    let own: OwnDatabase | undefined
    const tables = () => {
      own ??= this.#state.open(kind, name)
      return own.database
    }
    const place: ObjectPlace = hasTables
      ? { name: key, values: tables, tables, wrote: writing(() => own?.disk) }
      : { name: key, values: () => this.#state.database, room: this.#room, wrote: shared }
    const storage = new FileObjectStorage(place, this.#alarms.of(kind, name, shared))
    const close = () => own?.close()
    const object = new OpenObject(made, { storage, gate, looks, env: this.#env, close })
    this.#open.set(key, object)
    return object
  }

  #forgetIdle(): void {
    for (const [key, object] of this.#open) if (object.isIdle) this.#forget(key, object)
  }

  #makeRoom(hasTables: boolean): void {
    const max = hasTables ? MAX_OPEN.tables : MAX_OPEN.values
    if (this.#open.size < max) return
    const alike = [...this.#open].filter(([key]) => this.#kindOf(key).hasTables === hasTables)
    let more = alike.length - max
    if (more < 0) return
    // Closes a few more than needed, so the next objects need not search again.
    if (!hasTables) more += max / 10
    for (const [key, object] of alike) {
      if (object.isQuiet && this.#forget(key, object) && more-- <= 0) return
    }
  }

  #drop(key: string): boolean {
    const at = key.indexOf(':')
    const [kind, name] = [key.slice(0, at), key.slice(at + 1)]
    const open = this.#open.get(key)
    if (!this.#kinds[kind]?.forgettable?.test(name) || open?.isQuiet === false) return false
    if (open) this.#forget(key, open)
    this.#state.database.prepare('delete from _cf_KV where object = ?').run(key)
    this.#alarms.of(kind, name, () => {}).delete()
    this.#room.freed(key)
    return true
  }

  /** Removes an object from memory, unless its data is only there. @returns true if it was removed */
  #forget(key: string, object: OpenObject): boolean {
    if (this.#kindOf(key).hasTables && !this.#state.isKept) return false
    this.#open.delete(key)
    object.close()
    return true
  }

  #kindOf = (key: string): ObjectKind => this.#kinds[key.slice(0, key.indexOf(':'))]!
}

type RequestArguments = ConstructorParameters<typeof Request>

const requestOf = (...[input, init]: RequestArguments) =>
  input instanceof Request && !init ? input : new Request(input, init)

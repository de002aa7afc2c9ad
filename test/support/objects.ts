/**
 * Durable Objects in this process: the real classes with storage in memory, which counts the work of
 * each object. There is no network, so a request takes no time. Time passes only in `Date.now`.
 *
 * @module
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** The work of one object, in total or in one second. */
export interface Counts {
  requests: number
  rowsRead: number
  rowsWritten: number
}

/** An object of a class. It may have more methods, which are called by name. */
interface Body {
  fetch?(request: Request): Promise<Response>
  alarm?(): Promise<void>
}

/** A sender of requests: an invocation of an object or of a Worker. */
interface Invocation {
  subrequests: number
}

const invocations = new AsyncLocalStorage<Invocation>()

/** Runs an invocation, and counts the requests that it sends. */
export async function invoke<T>(run: () => Promise<T>): Promise<{ value: T; subrequests: number }> {
  const invocation = { subrequests: 0 }
  const value = await invocations.run(invocation, run)
  return { value, subrequests: invocation.subrequests }
}

/** One object. Its storage and its sockets outlive its memory. */
export class SimulatedObject {
  readonly name: string
  readonly rows = new Map<string, unknown>()
  readonly total: Counts = none()
  readonly most: Counts = none()
  /** The start of the second with the most requests. */
  busiestAt = 0
  /** The most requests that one invocation sent to other objects. */
  subrequests = 0
  mostRows = 0
  mostSockets = 0
  /** The length of the longest value, as JSON. */
  mostBytes = 0
  /** The number of next requests that fail before they reach the object. */
  failing = 0
  alarmAt: number | undefined
  #sockets = new Set<SimulatedSocket>()
  #body: Body | undefined
  readonly #make: (state: DurableObjectState) => Body
  #second = 0
  #now: Counts = none()
  #keys: string[] | undefined
  #database: DatabaseSync | undefined
  /** Prepared statements of the database in `#prepared`. */
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  #prepared: DatabaseSync | undefined

  constructor(name: string, make: (state: DurableObjectState) => Body) {
    this.name = name
    this.#make = make
  }

  fetch(request: Request): Promise<Response> {
    if (this.failing > 0) {
      this.failing--
      return Promise.reject(new Error('Network connection lost.'))
    }
    return this.#invoke((body) => body.fetch!(request))
  }

  /** Calls a method by name, with copies of the arguments. */
  call(method: string, args: readonly unknown[]): Promise<unknown> {
    return this.#invoke(async (body) => {
      const called = (body as Record<string, (...args: unknown[]) => unknown>)[method]!
      return structuredClone(await called.apply(body, structuredClone([...args])))
    })
  }

  async alarm(): Promise<void> {
    this.alarmAt = undefined
    await this.#invoke(async (body) => body.alarm?.())
  }

  /** The number of stored rows, including rows in tables. */
  get stored(): number {
    const tables = this.#database
      ?.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all()
    const counts = tables?.map(
      ({ name }) => this.#database!.prepare(`select count(*) as n from "${name}"`).get()!.n,
    )
    return this.rows.size + (counts ?? []).reduce<number>((sum, n) => sum + Number(n), 0)
  }

  /** Drops its memory. */
  evict(): void {
    this.#body = undefined
  }

  /** Drops its storage. */
  clear(): void {
    this.rows.clear()
    this.#keys = undefined
    this.#database = undefined
  }

  /** Resets the counts. */
  forget(): void {
    Object.assign(this, { subrequests: 0, mostRows: 0, mostBytes: 0 })
    for (const counts of [this.total, this.most, this.#now]) Object.assign(counts, none())
  }

  /** Drops its memory, and closes its sockets. */
  restart(): void {
    this.evict()
    for (const socket of this.#sockets) socket.close()
  }

  async #invoke<T>(run: (body: Body) => Promise<T>): Promise<T> {
    this.#count('requests', 1)
    this.#body ??= this.#make(this.#state())
    const body = this.#body
    const { value, subrequests } = await invoke(() => run(body))
    this.subrequests = Math.max(this.subrequests, subrequests)
    return value
  }

  #count(what: keyof Counts, by: number): void {
    const second = Math.floor(Date.now() / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#now = none()
    }
    this.total[what] += by
    this.#now[what] += by
    if (this.#now[what] <= this.most[what]) return
    this.most[what] = this.#now[what]
    if (what === 'requests') this.busiestAt = second * 1_000
  }

  #state(): DurableObjectState {
    const storage = {
      kv: {
        get: (key: string) => {
          this.#count('rowsRead', 1)
          return this.rows.get(key)
        },
        put: (key: string, value: unknown) => {
          this.#count('rowsWritten', 1)
          this.mostBytes = Math.max(this.mostBytes, key.length + JSON.stringify(value).length)
          if (!this.rows.has(key)) this.#keys = undefined
          this.rows.set(key, structuredClone(value))
          this.mostRows = Math.max(this.mostRows, this.rows.size)
        },
        delete: (key: string) => {
          this.#count('rowsWritten', 1)
          this.#keys = undefined
          return this.rows.delete(key)
        },
        list: (options: SyncKvListOptions = {}) => {
          const found = this.#list(options)
          this.#count('rowsRead', Math.max(1, found.length))
          return found
        },
      },
      setAlarm: async (time: number) => {
        this.#count('rowsWritten', 1)
        this.alarmAt = time
      },
      getAlarm: async () => this.alarmAt ?? null,
      deleteAlarm: async () => {
        this.alarmAt = undefined
      },
      deleteAll: async () => this.clear(),
      sql: { exec: (sql: string, ...values: SQLInputValue[]) => this.#exec(sql, values) },
      transactionSync: <T>(run: () => T) => {
        this.#opened.exec('savepoint t')
        try {
          return run()
        } catch (error) {
          this.#opened.exec('rollback to t')
          throw error
        } finally {
          this.#opened.exec('release t')
        }
      },
    }
    const state = {
      id: { name: this.name },
      storage,
      acceptWebSocket: (socket: SimulatedSocket) => {
        this.#sockets.add(socket)
        this.mostSockets = Math.max(this.mostSockets, this.#sockets.size)
        socket.ended = () => this.#sockets.delete(socket)
      },
      getWebSockets: () => [...this.#sockets],
    }
    return state as unknown as DurableObjectState
  }

  get #opened(): DatabaseSync {
    this.#database ??= new DatabaseSync(':memory:')
    return this.#database
  }

  /** Runs a statement. The rows that it returns count as rows read. Cloudflare counts the rows that it visits. */
  #exec(sql: string, values: readonly SQLInputValue[]) {
    let statement = this.#statements.get(sql)
    if (!statement || this.#prepared !== this.#database) {
      if (this.#prepared !== this.#database) this.#statements.clear()
      statement = this.#opened.prepare(sql)
      this.#prepared = this.#database
      this.#statements.set(sql, statement)
    }
    const isRead = /^\s*(select|with|explain)\b/i.test(sql)
    const rows = isRead ? statement.all(...values) : []
    const rowsWritten = isRead ? 0 : Number(statement.run(...values).changes)
    for (const it of values)
      if (typeof it === 'string') this.mostBytes = Math.max(this.mostBytes, it.length)
    this.#count('rowsRead', Math.max(isRead ? 1 : 0, rows.length))
    this.#count('rowsWritten', rowsWritten)
    return {
      rowsWritten,
      rowsRead: rows.length,
      toArray: () => rows,
      one: () => rows[0],
      [Symbol.iterator]: () => rows[Symbol.iterator](),
    }
  }

  #list({ prefix = '', startAfter, limit }: SyncKvListOptions): [string, unknown][] {
    this.#keys ??= [...this.rows.keys()].sort()
    const keys = this.#keys
    const from = startAfter ?? prefix
    let at = firstAtLeast(keys, from)
    if (keys[at] === startAfter) at++
    const found: [string, unknown][] = []
    while (keys[at]?.startsWith(prefix) && found.length !== limit) {
      found.push([keys[at]!, structuredClone(this.rows.get(keys[at]!))])
      at++
    }
    return found
  }
}

/** A namespace of objects of one class. */
export class Objects {
  readonly all = new Map<string, SimulatedObject>()
  readonly #id = crypto.randomUUID()
  readonly #make: (state: DurableObjectState) => Body

  /** @param make Creates the body of an object, like its class. */
  constructor(make: (state: DurableObjectState) => Body) {
    installSockets()
    this.#make = make
  }

  get(name: string): SimulatedObject {
    const object = this.all.get(name) ?? new SimulatedObject(name, this.#make)
    this.all.set(name, object)
    return object
  }

  /** The namespace as a binding of the Worker. */
  readonly binding = this.bindingOf('')

  /** The binding in one isolate. Caches of code by object id are separate for each isolate. */
  bindingOf(isolate: string): DurableObjectNamespace {
    const stubOf = ({ name }: { name: string }) => {
      const ask = async (run: (object: SimulatedObject) => Promise<unknown>) => {
        const invocation = invocations.getStore()
        if (invocation) invocation.subrequests++
        return run(this.get(name))
      }
      const fetch = (input: RequestInfo, init?: RequestInit) =>
        ask((object) =>
          object.fetch(init || typeof input === 'string' ? new Request(input, init) : input),
        )
      return new Proxy(
        {},
        {
          get: (_, method: string) =>
            method === 'fetch'
              ? fetch
              : (...args: unknown[]) => ask((object) => object.call(method, args)),
        },
      )
    }
    const id = `${this.#id} ${isolate}`
    return {
      idFromName: (name: string) => ({ name, toString: () => `${id} ${name}` }),
      get: stubOf,
    } as unknown as DurableObjectNamespace
  }

  /**
   * Runs the alarms that are due, including those that are set meanwhile.
   *
   * @returns how many times the object with the most alarms was woken
   */
  async wake(objects: Iterable<SimulatedObject> = this.all.values()): Promise<number> {
    const list = [...objects]
    for (let rounds = 0; ; rounds++) {
      const due = list.filter(({ alarmAt }) => alarmAt !== undefined && alarmAt <= Date.now())
      if (due.length === 0) return rounds
      await Promise.all(due.map((it) => it.alarm()))
    }
  }
}

const none = (): Counts => ({ requests: 0, rowsRead: 0, rowsWritten: 0 })

function firstAtLeast(keys: readonly string[], wanted: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** One end of a socket. */
class SimulatedSocket {
  other: SimulatedSocket | undefined
  ended: (() => void) | undefined
  readonly #listeners: [string, (event: object) => void][] = []
  #attachment: unknown
  #closed = false

  accept(): void {}

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#listeners.push([type, listener])
  }

  send(data: string): void {
    this.other?.hear('message', { data })
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.ended?.()
    this.other?.hear('close', {})
    this.other?.close()
  }

  hear(type: string, event: object): void {
    for (const [wanted, listener] of this.#listeners) if (wanted === type) listener(event)
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = value
  }

  deserializeAttachment(): unknown {
    return this.#attachment
  }
}

/** Adds features of Workers to Node: pairs of sockets, and responses with a socket. */
function installSockets(): void {
  if ('WebSocketPair' in globalThis) return
  const Plain = globalThis.Response
  const switching = new WeakSet<Response>()
  class WithSocket extends Plain {
    override readonly webSocket: WebSocket | null

    constructor(body?: BodyInit | null, init: ResponseInit = {}) {
      const switches = init.status === 101
      super(body as never, (switches ? { ...init, status: 200 } : init) as never)
      if (switches) switching.add(this)
      this.webSocket = init.webSocket ?? null
    }

    override get status(): number {
      return switching.has(this) ? 101 : super.status
    }
  }
  const WebSocketPair = function pair() {
    const [a, b] = [new SimulatedSocket(), new SimulatedSocket()]
    a.other = b
    b.other = a
    return { 0: a, 1: b }
  }
  Object.assign(globalThis, { Response: WithSocket, WebSocketPair })
}

/**
 * Durable Objects in this process: the real classes on storage in memory, which counts what each
 * object does. There is no network, so a request takes no time; time passes when `Date.now` says so.
 *
 * @module
 */

import { AsyncLocalStorage } from 'node:async_hooks'

/** What one object did, and the most that it did in one second. */
export interface Counts {
  requests: number
  rowsRead: number
  rowsWritten: number
}

interface Body {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}

/** Something that sends requests: an invocation of an object, or of a Worker. */
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
  /** The most requests that one invocation sent to other objects. */
  subrequests = 0
  mostRows = 0
  mostSockets = 0
  /** How many of the next requests fail before the object hears of them. */
  failing = 0
  alarmAt: number | undefined
  #sockets = new Set<SimulatedSocket>()
  #body: Body | undefined
  readonly #make: (state: DurableObjectState) => Body
  #second = 0
  #now: Counts = none()
  #keys: string[] | undefined

  constructor(name: string, make: (state: DurableObjectState) => Body) {
    this.name = name
    this.#make = make
  }

  fetch(request: Request): Promise<Response> {
    if (this.failing > 0) {
      this.failing--
      return Promise.reject(new Error('Network connection lost.'))
    }
    return this.#invoke((body) => body.fetch(request))
  }

  async alarm(): Promise<void> {
    this.alarmAt = undefined
    await this.#invoke((body) => body.alarm())
  }

  /** Forgets what is in memory. */
  evict(): void {
    this.#body = undefined
  }

  /** Forgets what is in memory, and loses its sockets. */
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
    this.most[what] = Math.max(this.most[what], this.#now[what])
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
      deleteAll: async () => {
        this.#keys = undefined
        this.rows.clear()
      },
    }
    const state = {
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
  readonly #make: (state: DurableObjectState) => Body

  /** @param make Makes the body of an object, as its class would. */
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
  readonly binding = {
    idFromName: (name: string) => ({ name, toString: () => `${this.#id} ${name}` }),
    get: ({ name }: { name: string }) => ({
      fetch: async (request: Request) => {
        const invocation = invocations.getStore()
        if (invocation) invocation.subrequests++
        return this.get(name).fetch(request)
      },
    }),
  } as unknown as DurableObjectNamespace

  readonly #id = crypto.randomUUID()

  /**
   * Runs the alarms that are due, also those that are set meanwhile.
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

/** Gives Node what Workers have: pairs of sockets, and answers that hold one. */
function installSockets(): void {
  if ('WebSocketPair' in globalThis) return
  const Plain = globalThis.Response
  class WithSocket extends Plain {
    readonly #switches: boolean
    override readonly webSocket: WebSocket | null

    constructor(body?: BodyInit | null, init: ResponseInit = {}) {
      const switches = init.status === 101
      super(body as never, (switches ? { ...init, status: 200 } : init) as never)
      this.#switches = switches
      this.webSocket = init.webSocket ?? null
    }

    override get status(): number {
      return this.#switches ? 101 : super.status
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

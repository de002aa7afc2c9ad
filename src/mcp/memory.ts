import type { Exchange } from './eras/exchange.ts'
import type { Caller } from './features/context.ts'
import type { Server } from './features/server.ts'
import { answerByStream } from './sessions/http-sse.ts'
import { Session } from './sessions/session.ts'
import { type SessionLimits, sessionLimits } from './sessions/session-limits.ts'
import { type Sessions, signedSessions } from './sessions/sessions.ts'
import type { Listener } from './sessions/streams.ts'
import { sealWith } from './state/seal.ts'
import type { Storage } from './state/storage.ts'
import { StoreState } from './state/store.ts'
import {
  NO_STORE,
  openStore,
  type StoreLimits,
  type Stores,
  signedStores,
  storeLimits,
} from './state/stores.ts'
import { Task } from './state/task.ts'
import { signedTasks, type TaskLimits, type Tasks, taskLimits } from './state/tasks.ts'
import { MAX_TIMER_MS } from './wire/deadline.ts'
import type { RpcMessage, RpcParams } from './wire/jsonrpc.ts'
import { refused } from './wire/refusal.ts'
import { acceptOf } from './wire/reply.ts'
import { eventStream } from './wire/sse.ts'

/** Sessions in memory: for tests, and for a server that is a single process. */
export function memorySessions(
  build: (request: Request, caller: Caller | undefined) => Server,
  limits: SessionLimits = sessionLimits,
): Sessions {
  const seal = sealWith()
  const sessions = new Map<string, MemorySession>()
  return signedSessions(seal, async (name, request, caller, sse) => {
    const server = build(request, caller)
    const memory =
      sessions.get(name) ?? new MemorySession(server, limits, () => sessions.delete(name))
    sessions.set(name, memory)
    try {
      if (request.method === 'GET') {
        if (sse) memory.session.begin(caller?.subject)
        return memory.listen(request, caller)
      }
      const accept = acceptOf(request.headers.get('accept'))
      const { callMs } = limits
      const exchange = { request, server, caller, accept, seal, callMs }
      const { session } = memory
      return await (sse ? answerByStream(session, exchange) : session.fetch(exchange))
    } catch (error) {
      return refused(request, error)
    } finally {
      memory.keep()
    }
  })
}

/** Stores in memory: for tests, and for a server that is a single process. */
export function memoryStores(limits: StoreLimits = storeLimits): Stores {
  const stores = new Map<string, StoreState>()
  const open = (name: string) => {
    const alarm = alarmClock(() => store.wake())
    const store: StoreState = new StoreState({
      storage: mapStorage(),
      limits,
      wakeAt: alarm.set,
      clear: async () => {
        alarm.clear()
        stores.delete(name)
      },
    })
    stores.set(name, store)
  }
  return signedStores(sealWith(), async (name, order) => {
    if (order.to === 'begin') open(name)
    return stores.get(name)?.take(order) ?? { refusal: NO_STORE }
  })
}

/** Tasks in memory: for tests, and for a server that is a single process. */
export function memoryTasks(
  build: (request: Request, caller: Caller | undefined) => Server,
  limits: TaskLimits = taskLimits,
  stores?: Stores,
): Tasks {
  const tasks = new Map<string, { task: Task; followers: Set<(task: RpcParams) => void> }>()
  const open = (name: string) => {
    const followers = new Set<(task: RpcParams) => void>()
    const alarm = alarmClock(() => task.wake())
    const task = new Task({
      storage: mapStorage(),
      limits,
      tell: (state) => {
        for (const follower of followers) follower(state)
      },
      wakeAt: alarm.set,
      clear: async () => {
        alarm.clear()
        tasks.delete(name)
      },
    })
    tasks.set(name, { task, followers })
  }
  return signedTasks(sealWith(), {
    async send(name, order, { request, caller }) {
      if (order.to === 'begin') open(name)
      return tasks.get(name)?.task.take(order, {
        server: () => build(request, caller),
        caller,
        store: (handle) => openStore(handle, { request, caller, stores }),
      })
    },
    async follow(name, listener, signal) {
      const { task, followers } = tasks.get(name) ?? {}
      if (signal.aborted) return
      if (task?.state) listener(task.state)
      followers?.add(listener)
      signal.addEventListener('abort', () => followers?.delete(listener))
    },
  })
}

/** The session of the one client at the other end of a pipe: all that is not an answer goes there too. */
export class PipedSession {
  readonly #memory: MemorySession
  readonly #write: (message: string) => void
  #listens = false

  constructor(server: Server, limits: SessionLimits, write: (message: string) => void) {
    this.#memory = new MemorySession(server, limits, () => {})
    this.#write = write
  }

  /** Takes a body, and gives back its answer. Throws {@link RpcError} for what it refuses. */
  async take(body: RpcMessage | RpcMessage[], exchange: Exchange): Promise<Response> {
    const response = await this.#memory.session.take(body, exchange)
    if (!this.#listens) this.#memory.pipe(exchange.caller, this.#write)
    this.#listens = true
    return response
  }

  async end(): Promise<void> {
    if (this.#memory.session.isKnown) await this.#memory.session.end()
    this.#memory.stop()
  }
}

/** A session in memory, with its streams and its alarm. */
class MemorySession {
  readonly session: Session
  readonly #listeners = new Set<Listener>()
  readonly #alarm = alarmClock(async () => {
    await this.session.wake()
    this.keep()
  })
  readonly #forget: () => void

  constructor({ changes }: Server, limits: SessionLimits, forget: () => void) {
    const ended = new AbortController()
    const { clear, ...storage } = mapStorage()
    this.#forget = forget
    this.session = new Session({
      storage,
      limits,
      listeners: () => [...this.#listeners],
      wakeAt: this.#alarm.set,
      clear: async () => {
        this.#alarm.clear()
        ended.abort()
        clear()
      },
    })
    void changes?.listen((change) => this.session.announce(change), ended.signal)
  }

  /** Forgets the session once it is not known any longer. */
  keep(): void {
    if (!this.session.isKnown) this.#forget()
  }

  /** Never wakes again. */
  stop(): void {
    this.#alarm.clear()
  }

  /** Sends what comes besides the requests to a client that is always there. */
  pipe(caller: Caller | undefined, send: (message: string) => void): void {
    const { stream } = this.session.listen(caller?.subject, null)
    this.#listeners.add({ stream, send, close: () => {} })
  }

  listen(request: Request, caller: Caller | undefined): Response {
    const { headers } = request
    const begun = this.session.listen(caller?.subject, headers.get('last-event-id'))
    const { stream: name, missed, open, primer } = begun
    const stream = eventStream(() => this.#listeners.delete(listener))
    const listener: Listener = {
      stream: name,
      send: stream.send,
      close: () => {
        this.#listeners.delete(listener)
        stream.close()
      },
    }
    if (primer) stream.prime(primer.id, primer.retryMs)
    for (const { id, message } of missed) stream.send(message, id)
    if (open) this.#listeners.add(listener)
    else stream.close()
    return stream.response
  }
}

/**
 * Wakes a session, a store or a task at the time set last. A timer may fire earlier: it sleeps on.
 */
function alarmClock(wake: () => Promise<void>) {
  let clear = () => {}
  return {
    set(time: number) {
      clear()
      const timer = setTimeout(() => void wake(), Math.min(time - Date.now(), MAX_TIMER_MS))
      clear = () => clearTimeout(timer)
      // A timer should not keep the process alive.
      ;(timer as { unref?(): void }).unref?.()
    },
    clear: () => clear(),
  }
}

function mapStorage(): Storage & { clear(): void } {
  const values = new Map<string, unknown>()
  return {
    get: <T>(key: string) => values.get(key) as T | undefined,
    put: (key, value) => void values.set(key, structuredClone(value)),
    delete: (key) => values.delete(key),
    clear: () => values.clear(),
    list: <T>({ prefix, startAfter = '' }: { prefix: string; startAfter?: string }) =>
      [...values]
        .filter(([key]) => key.startsWith(prefix) && key > startAfter)
        .sort(([a], [b]) => (a < b ? -1 : 1)) as [string, T][],
  }
}

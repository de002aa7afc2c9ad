import type { Exchange } from './eras/exchange.ts'
import type { Caller } from './features/context.ts'
import type { Server } from './features/server.ts'
import { answerByStream } from './sessions/http-sse.ts'
import { ownerOf, type SessionOwner } from './sessions/owner.ts'
import { Session } from './sessions/session.ts'
import { type SessionLimits, sessionLimits } from './sessions/session-limits.ts'
import { type Sessions, signedSessions } from './sessions/sessions.ts'
import type { StreamListener } from './sessions/streams.ts'
import { sealWith } from './state/seal.ts'
import type { StateHost, Storage } from './state/storage.ts'
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

/** Sessions in memory, for tests and for a server that runs as a single process. */
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
        const owner = ownerOf(server, caller)
        if (sse) memory.session.begin(owner)
        return await memory.listen(request, owner)
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

/** Stores in memory, for tests and for a server that runs as a single process. */
export function memoryStores(limits: StoreLimits = storeLimits): Stores {
  const stores = new Map<string, StoreState>()
  const open = (name: string) => {
    const wake = () => store.wake()
    const store: StoreState = new StoreState(memoryHost(limits, wake, () => stores.delete(name)))
    stores.set(name, store)
  }
  return signedStores(sealWith(), async (name, order) => {
    if (order.to === 'begin') open(name)
    return stores.get(name)?.take(order) ?? { refusal: NO_STORE }
  })
}

/** Tasks in memory, for tests and for a server that runs as a single process. */
export function memoryTasks(
  build: (request: Request, caller: Caller | undefined) => Server,
  limits: TaskLimits = taskLimits,
  stores?: Stores,
): Tasks {
  const tasks = new Map<string, { task: Task; followers: Set<(task: RpcParams) => void> }>()
  const open = (name: string) => {
    const followers = new Set<(task: RpcParams) => void>()
    const wake = () => task.wake()
    const task: Task = new Task({
      ...memoryHost(limits, wake, () => tasks.delete(name)),
      tell: (state) => {
        for (const follower of followers) follower(state)
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

/** The session of the only client on a pipe. The client also receives all messages that are not responses. */
export class PipedSession {
  readonly #memory: MemorySession
  readonly #write: (message: string) => void
  #listens = false

  constructor(server: Server, limits: SessionLimits, write: (message: string) => void) {
    this.#memory = new MemorySession(server, limits, () => {})
    this.#write = write
  }

  /** Takes a body and returns the response. Throws {@link RpcError} for invalid requests. */
  async take(body: RpcMessage | RpcMessage[], exchange: Exchange): Promise<Response> {
    const response = await this.#memory.session.take(body, exchange)
    const listens = this.#listens
    this.#listens = true
    if (!listens) await this.#memory.pipe(ownerOf(exchange.server, exchange.caller), this.#write)
    return response
  }

  async end(): Promise<void> {
    if (this.#memory.session.isKnown) await this.#memory.session.end()
    await this.#memory.stop()
  }
}

/** A session in memory, with its streams and its alarm. */
class MemorySession {
  readonly session: Session
  readonly stop: () => Promise<void>
  readonly #listeners = new Set<StreamListener>()
  readonly #forget: () => void

  constructor({ changes }: Server, limits: SessionLimits, forget: () => void) {
    const ended = new AbortController()
    const wake = async () => {
      await this.session.wake()
      this.keep()
    }
    const host = memoryHost(limits, wake, () => ended.abort())
    this.#forget = forget
    this.stop = host.clear
    this.session = new Session({ ...host, listeners: () => [...this.#listeners] })
    void changes?.listen((change) => this.session.announce(change), ended.signal)
  }

  /** Forgets an unknown session. */
  keep(): void {
    if (!this.session.isKnown) this.#forget()
  }

  /** Sends messages not tied to a request to a client that is always connected. */
  async pipe(owner: SessionOwner, send: (message: string) => void): Promise<void> {
    const { stream } = await this.session.listen(owner, null)
    this.#listeners.add({ stream, send, close: () => {} })
  }

  async listen(request: Request, owner: SessionOwner): Promise<Response> {
    const { headers } = request
    const begun = await this.session.listen(owner, headers.get('last-event-id'))
    const { stream: name, missed, open, primer } = begun
    const stream = eventStream(() => this.#listeners.delete(listener))
    const listener: StreamListener = {
      stream: name,
      send: stream.send,
      close: () => {
        this.#listeners.delete(listener)
        stream.close()
      },
    }
    if (primer) stream.prime(primer)
    for (const { id, message } of missed) stream.send(message, id)
    if (open) this.#listeners.add(listener)
    else stream.close()
    return stream.response
  }
}

/** The environment for state in memory. `gone` runs when everything is deleted. */
function memoryHost<Limits>(
  limits: Limits,
  wake: () => Promise<void>,
  gone: () => void,
): StateHost<Limits> {
  const { clear, ...storage } = mapStorage()
  let stop = () => {}
  return {
    storage,
    limits,
    // A timer can fire too early. The state then sets it again.
    wakeAt(time) {
      stop()
      const timer = setTimeout(() => void wake(), Math.min(time - Date.now(), MAX_TIMER_MS))
      stop = () => clearTimeout(timer)
      // A timer should not keep the process alive.
      ;(timer as { unref?(): void }).unref?.()
    },
    async clear() {
      stop()
      clear()
      gone()
    },
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

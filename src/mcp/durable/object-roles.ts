/**
 * What an object does in each of its roles. A Worker that only answers requests never reads this.
 *
 * @module
 */

import type { Change } from '../features/changes.ts'
import type { Caller } from '../features/context.ts'
import type { Server } from '../features/server.ts'
import { answerByStream } from '../sessions/http-sse.ts'
import { Session } from '../sessions/session.ts'
import { type SessionLimits, sessionLimits } from '../sessions/session-limits.ts'
import type { Seal } from '../state/seal.ts'
import { isStore } from '../state/store.ts'
import { openStore, type StoreLimits, storeLimits } from '../state/stores.ts'
import { isTask, type Task } from '../state/task.ts'
import { type TaskLimits, taskLimits } from '../state/tasks.ts'
import { refused } from '../wire/refusal.ts'
import { acceptOf } from '../wire/reply.ts'
import { type Watching, watch } from './hub.ts'
import { serveHub } from './hub-object.ts'
import { type RequestTag, type Role, readTag, tag } from './object-request.ts'
import { serveStore, storeIn } from './store-object.ts'
import { durableStores } from './stores.ts'
import { serveTask, taskIn } from './task-object.ts'

/** What the objects need. */
export interface SessionObjectOptions<Env> {
  /** The server that a request to a session or a task is for. */
  server(env: Env, request: Request, caller: Caller | undefined): Server | Promise<Server>
  seal(env: Env): Seal
  namespace(env: Env): DurableObjectNamespace
  readonly limits?: SessionLimits
  readonly taskLimits?: TaskLimits
  readonly storeLimits?: Partial<StoreLimits>
}

type Serve = (request: Request, tag: RequestTag) => Response | Promise<Response>

/**
 * Answers errors, since a client reads the answer. Without this they fail the request of the
 * Worker.
 */
const orRefused =
  (serve: Serve): Serve =>
  async (request, tag) => {
    try {
      return await serve(request, tag)
    } catch (error) {
      return refused(request, error)
    }
  }

/** One object: a session, a task, a store, the secret or the hub. */
export class ObjectRoles<Env> {
  readonly #options: SessionObjectOptions<Env>
  readonly #env: Env
  readonly #state: DurableObjectState
  #session: Session | undefined
  #task: Task | undefined

  constructor(options: SessionObjectOptions<Env>, state: DurableObjectState, env: Env) {
    this.#options = options
    this.#env = env
    this.#state = state
  }

  /** One row for each role. */
  readonly #roles: Readonly<Record<Role, Serve>> = {
    secret: () => new Response(this.#secret()),
    hub: (request) =>
      serveHub(request, this.#state, (session, change) => this.#tell(session, change)),
    change: (request) => this.#announce(request),
    store: orRefused((request) => serveStore(request, this.#openStore())),
    task: orRefused((request, tag) => this.#serveTask(request, tag)),
    session: orRefused((request, tag) => this.#serveSession(request, tag)),
  }

  async fetch(request: Request): Promise<Response> {
    const tag = readTag(request)
    return this.#roles[tag.as](request, tag)
  }

  async #announce(request: Request): Promise<Response> {
    const session = this.#open()
    session.announce(await request.json<Change>())
    if (!session.mayStillRead) await this.#watch(undefined)
    return new Response(null, { status: 204 })
  }

  async #serveTask(request: Request, { caller }: RequestTag): Promise<Response> {
    const server = await this.#options.server(this.#env, request, caller)
    const stores = durableStores(this.#options.namespace(this.#env), this.#options.seal(this.#env))
    return serveTask(request, this.#state, this.#openTask(), {
      server: () => server,
      caller,
      store: (handle) => openStore(handle, { request, caller, stores }),
    })
  }

  async #serveSession(request: Request, { name = '', caller, sse }: RequestTag) {
    const server = await this.#options.server(this.#env, request, caller)
    if (request.headers.get('upgrade') === 'websocket') {
      if (sse) this.#open().begin(caller?.subject)
      const hub = server.changes?.hub
      return this.#listen(request, caller, hub ? { hub, name } : undefined)
    }
    const accept = acceptOf(request.headers.get('accept'))
    const seal = this.#options.seal(this.#env)
    const { callMs } = this.#options.limits ?? sessionLimits
    const exchange = { request, server, caller, accept, seal, callMs }
    const session = this.#open()
    return sse ? answerByStream(session, exchange) : session.fetch(exchange)
  }

  alarm(): Promise<void> {
    const { kv } = this.#state.storage
    if (isStore(kv)) return this.#openStore().wake()
    return (isTask(kv) ? this.#openTask() : this.#open()).wake()
  }

  #open(): Session {
    const { storage } = this.#state
    this.#session ??= new Session({
      storage: storage.kv,
      limits: this.#options.limits ?? sessionLimits,
      listeners: () => this.#state.getWebSockets().map(listenerOf),
      wakeAt: (time) => void storage.setAlarm(time),
      clear: async () => {
        this.#session = undefined
        const unwatched = this.#watch(undefined)
        await storage.deleteAlarm()
        await storage.deleteAll()
        await unwatched
      },
    })
    return this.#session
  }

  #openTask(): Task {
    this.#task ??= taskIn(this.#state, this.#options.taskLimits ?? taskLimits)
    return this.#task
  }

  #openStore() {
    return storeIn(this.#state, { ...storeLimits, ...this.#options.storeLimits })
  }

  /** @param watching The hub to watch, if the server has one, and the name of this session. */
  async #listen(request: Request, caller: Caller | undefined, watching: Watching | undefined) {
    const lastEventId = request.headers.get('last-event-id')
    const { stream, missed, open, primer } = this.#open().listen(caller?.subject, lastEventId)
    if (watching) await this.#watch(watching)
    const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
    this.#state.acceptWebSocket(socket)
    socket.serializeAttachment(stream)
    if (primer) socket.send(JSON.stringify([primer.id]))
    for (const { id, message } of missed) socket.send(JSON.stringify([id, message]))
    if (!open) socket.close()
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Starts or stops watching the hub of changes. */
  async #watch(wanted: Watching | undefined): Promise<void> {
    const { kv } = this.#state.storage
    const watching = kv.get<Watching>(WATCHING)
    if (!watching === !wanted) return
    if (wanted) kv.put(WATCHING, wanted)
    else kv.delete(WATCHING)
    await watch(this.#options.namespace(this.#env), (wanted ?? watching)!, wanted !== undefined)
  }

  #tell(session: string, change: string): Promise<Response> {
    const namespace = this.#options.namespace(this.#env)
    const object = namespace.get(namespace.idFromName(session))
    const request = new Request('https://session/', { method: 'POST', body: change })
    return object.fetch(tag(request, { as: 'change' }))
  }

  #secret(): string {
    const { kv } = this.#state.storage
    const secret = kv.get<string>('secret') ?? crypto.randomUUID() + crypto.randomUUID()
    kv.put('secret', secret)
    return secret
  }
}

const WATCHING = 'watching'

const listenerOf = (socket: WebSocket) => ({
  stream: socket.deserializeAttachment() as string,
  send: (message: string, id: string) => socket.send(JSON.stringify([id, message])),
  close: () => socket.close(),
})

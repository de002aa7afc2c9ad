// An object's work in each of its roles. A Worker that only answers requests never loads this file.
import type { Change } from '../features/changes.ts'
import type { Caller } from '../features/context.ts'
import type { Server } from '../features/server.ts'
import { answerByStream } from '../sessions/http-sse.ts'
import { ownerOf, type SessionOwner } from '../sessions/owner.ts'
import { Session } from '../sessions/session.ts'
import { type SessionLimits, sessionLimits } from '../sessions/session-limits.ts'
import type { Seal } from '../state/seal.ts'
import { isStore } from '../state/store.ts'
import { openStore, type StoreLimits, storeLimits } from '../state/stores.ts'
import { isTask, type Task } from '../state/task.ts'
import { type TaskLimits, taskLimits } from '../state/tasks.ts'
import { refused } from '../wire/refusal.ts'
import { acceptOf } from '../wire/reply.ts'
import type { Watching } from './hub.ts'
import { GONE, Hub } from './hub-object.ts'
import { isHub } from './hub-queue.ts'
import { type RequestTag, type Role, readTag } from './object-request.ts'
import { type ObjectNamespace, type ObjectState, openSocket } from './object-state.ts'
import { hostIn, serveStore, serveTask, storeIn, taskIn } from './state-objects.ts'
import { durableStores } from './stores.ts'
import { SessionWatch } from './watch.ts'

/** Dependencies of the objects. */
export interface SessionObjectOptions<Env> {
  /** Finds the server for a request to a session or a task. */
  server(env: Env, request: Request, caller: Caller | undefined): Server | Promise<Server>
  seal(env: Env): Seal
  namespace(env: Env): ObjectNamespace
  readonly limits?: SessionLimits
  readonly taskLimits?: TaskLimits
  readonly storeLimits?: Partial<StoreLimits>
}

type Serve = (request: Request, tag: RequestTag) => Response | Promise<Response>

/** Turns errors into responses, because a client reads them. Otherwise an error would fail the Worker's request. */
const orRefused =
  (serve: Serve): Serve =>
  async (request, tag) => {
    try {
      return await serve(request, tag)
    } catch (error) {
      return refused(request, error)
    }
  }

/** One object: a session, a task, a store, the secret, or a hub. */
export class ObjectRoles<Env> {
  readonly #options: SessionObjectOptions<Env>
  readonly #env: Env
  readonly #state: ObjectState
  #session: Session | undefined
  #task: Task | undefined
  #hub: Hub | undefined
  #watch: SessionWatch | undefined

  constructor(options: SessionObjectOptions<Env>, state: ObjectState, env: Env) {
    this.#options = options
    this.#env = env
    this.#state = state
  }

  /** One handler for each role. */
  readonly #roles: Readonly<Record<Role, Serve>> = {
    secret: () => new Response(this.#secret()),
    hub: (request, { name = '' }) => this.#openHub().serve(request, name),
    change: (request, { name }) => this.#announce(request, name),
    store: orRefused((request) => serveStore(request, this.#openStore())),
    task: orRefused((request, tag) => this.#serveTask(request, tag)),
    session: orRefused((request, tag) => this.#serveSession(request, tag)),
  }

  async fetch(request: Request): Promise<Response> {
    const tag = readTag(request)
    return this.#roles[tag.as](request, tag)
  }

  async #announce(request: Request, hub: string | undefined): Promise<Response> {
    const watch = this.#openWatch()
    if (hub !== undefined && !watch.isWatched(hub)) return new Response(null, { status: GONE })
    const session = this.#open()
    session.announce(await request.json<Change>())
    if (session.mayStillRead) return new Response(null, { status: 204 })
    watch.forget()
    return new Response(null, { status: GONE })
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
      const owner = ownerOf(server, caller)
      if (sse) this.#open().begin(owner)
      const hub = server.changes?.hub
      return this.#listen(request, owner, hub ? { hub, name } : undefined)
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
    if (isHub(this.#state.storage)) return this.#openHub().wake()
    return (isTask(kv) ? this.#openTask() : this.#open()).wake()
  }

  #open(): Session {
    const host = hostIn(this.#state.storage, this.#options.limits ?? sessionLimits)
    this.#session ??= new Session({
      ...host,
      listeners: () => this.#state.getWebSockets().map(listenerOf),
      clear: async () => {
        this.#session = undefined
        const unwatched = this.#openWatch().stop()
        await host.clear()
        await unwatched
      },
    })
    return this.#session
  }

  #openHub(): Hub {
    this.#hub ??= new Hub(this.#state, this.#options.namespace(this.#env))
    return this.#hub
  }

  #openWatch(): SessionWatch {
    this.#watch ??= new SessionWatch(this.#state.storage, this.#options.namespace(this.#env))
    return this.#watch
  }

  #openTask(): Task {
    this.#task ??= taskIn(this.#state, this.#options.taskLimits ?? taskLimits)
    return this.#task
  }

  #openStore() {
    return storeIn(this.#state, { ...storeLimits, ...this.#options.storeLimits })
  }

  /** @param watching The hub to watch, if the server has one, and the name of this session. */
  async #listen(request: Request, owner: SessionOwner, watching: Watching | undefined) {
    const lastEventId = request.headers.get('last-event-id')
    const { stream, missed, open, primer } = await this.#open().listen(owner, lastEventId)
    const session = this.#session
    if (watching) await this.#openWatch().start(watching, () => this.#session === session)
    const { socket, response } = openSocket(this.#state)
    socket.serializeAttachment(stream)
    if (primer) socket.send(JSON.stringify([primer]))
    for (const { id, message } of missed) socket.send(JSON.stringify([id, message]))
    if (!open) socket.close()
    return response
  }

  #secret(): string {
    const { kv } = this.#state.storage
    const secret = kv.get<string>('secret') ?? crypto.randomUUID() + crypto.randomUUID()
    kv.put('secret', secret)
    return secret
  }
}

const listenerOf = (socket: WebSocket) => ({
  stream: socket.deserializeAttachment() as string,
  send: (message: string, id: string) => socket.send(JSON.stringify([id, message])),
  close: () => socket.close(),
})

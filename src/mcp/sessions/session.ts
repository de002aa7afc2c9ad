// A legacy session, which `initialize` opens. It can be evicted from memory between two requests. It then continues
// from its stored state.
import type { Exchange } from '../eras/exchange.ts'
import { checkBatch, revisionOfRequest, serveLegacy } from '../eras/legacy.ts'
import { type Change, notificationsOf } from '../features/changes.ts'
import type { StateHost } from '../state/storage.ts'
import { storeWithin } from '../state/store.ts'
import type { Stores } from '../state/stores.ts'
import {
  asRpcError,
  failure,
  isNotification,
  isRequest,
  notification,
  parse,
  RpcError,
  type RpcMessage,
  type RpcRequest,
  success,
} from '../wire/jsonrpc.ts'
import { accepted, type ReplySink, reply } from '../wire/reply.ts'
import { type Revision, revisionOf } from '../wire/revisions.ts'
import { type CallChannel, type CallOutcome, SessionCalls } from './calls.ts'
import { ownerOf, type SessionOwner } from './owner.ts'
import type { SessionLimits } from './session-limits.ts'
import { type SavedSession, SessionState, sessionMethods } from './session-state.ts'
import { isListening, newStream, type OpenedStream, type StreamHost, Streams } from './streams.ts'

/** A session's environment. */
export type SessionHost = StreamHost & StateHost<SessionLimits>

/** A stream not tied to a request, and whether more will come on it. */
interface Listening extends OpenedStream {
  readonly open: boolean
}

export class Session {
  readonly #host: SessionHost
  readonly #state: SessionState
  readonly #streams: Streams
  readonly #calls: SessionCalls
  #wakesAt: number | undefined

  constructor(host: SessionHost) {
    const { storage, limits } = host
    this.#host = host
    this.#state = new SessionState(storage, limits.idleMs)
    this.#streams = new Streams(host)
    this.#calls = new SessionCalls(storage, limits)
    // Alarms that were set before the eviction are still set.
    if (this.#state.saved) this.#wakesAt = this.#nextWake()
  }

  /** Serves a POST or a DELETE. Throws {@link RpcError} for invalid requests. */
  async fetch(exchange: Exchange): Promise<Response> {
    const { request, server, caller } = exchange
    if (request.method === 'DELETE') {
      if (this.isKnown) this.#state.use(ownerOf(server, caller))
      await this.end()
      return new Response(null, { status: 204 })
    }
    return this.take(parse(await request.text()), exchange)
  }

  /** Takes the body of a POST. Throws {@link RpcError} for invalid requests. */
  async take(body: RpcMessage | RpcMessage[], exchange: Exchange): Promise<Response> {
    const owner = ownerOf(exchange.server, exchange.caller)
    const opens = !Array.isArray(body) && isRequest(body) && body.method === 'initialize'
    if (opens && (!this.isKnown || this.#state.saved?.begun)) {
      this.#state.open(body.params ?? {}, owner)
      this.#wakeBy(this.#state.expiresAt)
      return serveLegacy(body, exchange)
    }
    const { version } = await this.#use(owner)
    return this.#post(body, { ...exchange, stores: this.#stores }, revisionOf(version)!)
  }

  /** Begins a session with a stream; `initialize` comes later (the `2024-11-05` transport). */
  begin(owner: SessionOwner): void {
    this.#state.begin(owner)
    this.#wakeBy(this.#state.expiresAt)
  }

  /** Begins a stream not tied to a request: a new one, or the rest of a lost one. */
  async listen(owner: SessionOwner, lastEventId: string | null): Promise<Listening> {
    const { version } = await this.#use(owner)
    const opened = this.#streams.listen(lastEventId, revisionOf(version)!)
    const { stream, resumed } = opened
    if (!resumed) this.#state.change({ listening: stream })
    return { ...opened, open: isListening(stream) || this.#calls.isOpen(stream) }
  }

  /** Sends a message on the newest stream not tied to a request. */
  tell(message: string): void {
    const { listening } = this.#state.saved ?? {}
    if (listening) this.#send(listening, message)
  }

  /**
   * Notifies the client of a change, if it subscribed. Uses only one stream (specification,
   * "Multiple Connections"): the newest, or the one that the client will resume.
   */
  announce(change: Change): void {
    const { initialized, subscriptions = [], listening } = this.#state.saved ?? {}
    const stream = initialized && (this.#streams.newest() ?? listening)
    if (!stream) return
    for (const { method, params } of notificationsOf(change, {
      ...{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
      resourceSubscriptions: subscriptions,
    })) {
      this.#send(stream, notification(method, params))
    }
  }

  /** Runs at the time that `wakeAt` set. Ends everything that has waited too long. */
  async wake(): Promise<void> {
    const now = Date.now()
    for (const outcome of this.#calls.expire(now)) this.#deliver(outcome)
    this.#streams.log.forget()
    this.#wakesAt = undefined
    if (!this.isKnown) return
    if (this.#state.expiresAt <= now) return this.#forget()
    this.#wakeBy(this.#nextWake())
  }

  /** True if this session exists or has ended. False if it never existed. */
  get isKnown(): boolean {
    return this.#state.isKnown
  }

  /** True if the client may still read sent messages. */
  get mayStillRead(): boolean {
    const listening = this.#host.listeners().length > 0
    return listening || this.#state.wasUsedWithin(this.#host.limits.kept.ageMs)
  }

  /** Ends the session. Only the fact that it ended stays stored. */
  async end(): Promise<void> {
    await this.#forget()
    this.#state.end()
    this.#host.wakeAt(this.#nextWake())
  }

  /**
   * Returns the session to its caller. Its stored messages were sent under the rights that the caller had then. If
   * these have changed, the session is forgotten, with its open calls.
   */
  async #use(owner: SessionOwner): Promise<SavedSession> {
    if (this.#state.hasOtherView(owner)) await this.#forget()
    return this.#state.use(owner)
  }

  async #forget(): Promise<void> {
    this.#state.forget()
    this.#calls.stop()
    for (const listener of this.#host.listeners()) listener.close()
    await this.#host.clear()
  }

  async #post(
    body: RpcMessage | RpcMessage[],
    exchange: Exchange,
    revision: Revision,
  ): Promise<Response> {
    // The header must be valid, but the negotiated revision counts.
    revisionOfRequest(exchange.request, false)
    if (Array.isArray(body)) checkBatch(body, revision)
    const messages = Array.isArray(body) ? body : [body]
    for (const message of messages) {
      if (!isRequest(message)) await this.#receive(message, exchange, revision)
    }
    const requests = messages.filter(isRequest)
    if (requests.length === 0) return accepted()

    const stream = newStream('request')
    const work = async (sink: ReplySink) => {
      this.#streams.attach(stream, sink)
      const channel = this.#channel(revision)
      const starting = requests.map((it) => this.#answer(it, stream, exchange, channel))
      const answers = (await Promise.all(starting)).filter((it) => it !== undefined)
      const text = Array.isArray(body) && answers.length > 0 ? `[${answers.join()}]` : answers[0]
      const streaming = sink.streaming
      if (streaming) this.#deliver({ stream, text })
      this.#streams.release(stream)
      return streaming || text === undefined ? undefined : { text, status: 200 }
    }
    // In this era a lost connection cancels nothing, because the client may come back for the response.
    const onCancel = () => this.#streams.release(stream)
    return reply(work, exchange.accept, onCancel, this.#streams.primer(stream, revision))
  }

  async #answer(
    message: RpcRequest,
    stream: string,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<string | undefined> {
    const { id, method, params = {} } = message
    const own = Object.hasOwn(sessionMethods, method) && sessionMethods[method]
    try {
      if (own) own(params, this.#state, this.#host.limits)
      else if (method === 'shutdown') await this.end()
      else return this.#calls.start(message, stream, exchange, channel)
      return success(id, '{}')
    } catch (error) {
      return failure(id, asRpcError(error))
    }
  }

  async #receive(message: RpcMessage, exchange: Exchange, revision: Revision): Promise<void> {
    if (!isNotification(message)) {
      // Not awaited: the client only waits until its answer is accepted.
      const answered = this.#calls.answer(message, exchange, this.#channel(revision))
      void answered.then((outcome) => this.#deliver(outcome))
      return
    }
    const { method, params } = message
    if (method === 'notifications/initialized') this.#state.change({ initialized: true })
    if (method === 'session/end') await this.end()
    if (method === 'notifications/cancelled') this.#deliver(this.#calls.cancel(params?.requestId))
  }

  #channel(revision: Revision): CallChannel {
    const { client, logLevel } = this.#state.saved!
    return {
      ...{ revision, client, logLevel },
      send: (stream, message) => this.#send(stream, message),
      streams: (stream) => this.#streams.isReadable(stream),
      disconnect: (stream) => this.#streams.disconnect(stream),
      wakeBy: (time) => this.#wakeBy(time),
    }
  }

  /** The session's only store. Only its caller can use the session. */
  readonly #stores: Stores = {
    open: async (handle) => {
      const { storage, limits } = this.#host
      return storeWithin(storage, limits.store, () => this.#state.saved !== undefined, handle)
    },
  }

  /** Sends a call's response, and closes its stream unless other responses are still to come. */
  #deliver(outcome: CallOutcome | undefined): void {
    if (!outcome) return
    const { stream, text } = outcome
    if (text !== undefined) this.#send(stream, text)
    if (!this.#calls.isOpen(stream)) this.#streams.close(stream)
  }

  /** Sends a message on a stream that the client reads. */
  #send(stream: string, message: string): void {
    if (!this.#state.saved || !this.#streams.isReadable(stream)) return
    this.#wakeBy(Date.now() + this.#host.limits.kept.ageMs)
    this.#streams.send(stream, message)
  }

  /** Time at which the next thing in this session expires. */
  #nextWake(): number {
    const others = [this.#calls.nextExpiry(), this.#streams.log.nextExpiry()]
    return Math.min(this.#state.expiresAt, ...others.filter((it) => it !== undefined))
  }

  /** Wakes at this time, or earlier if an earlier time is already set. */
  #wakeBy(time: number): void {
    if (this.#wakesAt !== undefined && this.#wakesAt <= time) return
    this.#wakesAt = time
    this.#host.wakeAt(time)
  }
}

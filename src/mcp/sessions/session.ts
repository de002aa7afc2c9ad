/**
 * A session of the legacy era, which `initialize` opens. Between two requests it may be evicted
 * from memory. It then goes on from what it stored.
 *
 * @module
 */

import type { Exchange } from '../eras/exchange.ts'
import { checkBatch, revisionOfRequest, serveLegacy } from '../eras/legacy.ts'
import { type Change, notificationsOf } from '../features/changes.ts'
import { storeWithin } from '../state/store.ts'
import type { Stores } from '../state/stores.ts'
import {
  asRpcError,
  failure,
  isNotification,
  isRequest,
  parse,
  RpcError,
  type RpcMessage,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../wire/jsonrpc.ts'
import { accepted, type ReplySink, reply } from '../wire/reply.ts'
import { type Revision, revisionOf } from '../wire/revisions.ts'
import { type CallChannel, Calls, type Outcome } from './calls.ts'
import type { SessionLimits } from './session-limits.ts'
import { sessionMethods } from './session-methods.ts'
import { type SavedSession, SessionState } from './session-state.ts'
import { isListening, newStream, type OpenedStream, type StreamHost, Streams } from './streams.ts'

/** What a session needs from its surroundings. */
export interface SessionHost extends StreamHost {
  readonly limits: SessionLimits
  /** Calls {@link Session.wake} at this time, instead of the time set before. */
  wakeAt(time: number): void
  /** Deletes everything, also the time to wake. */
  clear(): Promise<void>
}

/** A stream besides the requests, and whether more will come on it. */
export interface Listening extends OpenedStream {
  readonly open: boolean
}

/** A session hears of changes in every list. */
const ALL_LISTS = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
} as const

export class Session {
  readonly #host: SessionHost
  readonly #state: SessionState
  readonly #streams: Streams
  readonly #calls: Calls
  #wakesAt: number | undefined

  constructor(host: SessionHost) {
    const { storage, limits } = host
    this.#host = host
    this.#state = new SessionState(storage, limits.idleMs)
    this.#streams = new Streams(host)
    this.#calls = new Calls(storage, limits)
    // What was due before the eviction is still due.
    if (this.#state.saved) this.#wakesAt = this.#nextWake()
  }

  /** Serves a POST or a DELETE. Throws {@link RpcError} for what it refuses. */
  async fetch(exchange: Exchange): Promise<Response> {
    const { request, caller } = exchange
    if (request.method === 'DELETE') {
      if (this.isKnown) this.#state.use(caller?.subject)
      await this.end()
      return new Response(null, { status: 204 })
    }
    return this.take(parse(await request.text()), exchange)
  }

  /** Takes the body of a POST. Throws {@link RpcError} for what it refuses. */
  async take(body: RpcMessage | RpcMessage[], exchange: Exchange): Promise<Response> {
    const { caller } = exchange
    const opens = !Array.isArray(body) && isRequest(body) && body.method === 'initialize'
    if (opens && (!this.isKnown || this.#state.saved?.begun)) {
      this.#state.open(body.params ?? {}, caller?.subject)
      this.#wakeBy(this.#state.expiresAt)
      return serveLegacy(body, exchange)
    }
    const saved = this.#state.use(caller?.subject)
    return this.#post(body, { ...exchange, stores: this.#stores }, saved)
  }

  /** Begins a session with a stream; `initialize` comes later (the transport of `2024-11-05`). */
  begin(subject: string | undefined): void {
    this.#state.begin(subject)
    this.#wakeBy(this.#state.expiresAt)
  }

  /** Begins a stream besides the requests: a new one, or the rest of a lost one. */
  listen(subject: string | undefined, lastEventId: string | null): Listening {
    const { version } = this.#state.use(subject)
    const opened = this.#streams.listen(lastEventId, revisionOf(version)!)
    const { stream, resumed } = opened
    if (!resumed) this.#state.change({ listening: stream })
    return { ...opened, open: isListening(stream) || this.#calls.isOpen(stream) }
  }

  /** Sends a message on the newest stream besides the requests. */
  tell(message: string): void {
    const { listening } = this.#state.saved ?? {}
    if (listening) this.#send(listening, message)
  }

  /**
   * Tells the client of a change, if it asked for that. Uses only one stream (specification,
   * "Multiple Connections"): the newest, or the one that the client will resume.
   */
  announce(change: Change): void {
    const { initialized, subscriptions = [], listening } = this.#state.saved ?? {}
    const stream = initialized && (this.#streams.newest() ?? listening)
    if (!stream) return
    for (const it of notificationsOf(change, {
      ...ALL_LISTS,
      resourceSubscriptions: subscriptions,
    })) {
      this.#send(stream, JSON.stringify({ jsonrpc: '2.0', ...it }))
    }
  }

  /** Runs at the time that `wakeAt` set. Ends what has waited too long. */
  async wake(): Promise<void> {
    const now = Date.now()
    for (const outcome of this.#calls.expire(now)) this.#deliver(outcome)
    this.#streams.log.forget()
    this.#wakesAt = undefined
    if (!this.isKnown) return
    if (this.#state.expiresAt <= now) return this.#forget()
    this.#wakeBy(this.#nextWake())
  }

  /** Whether this session exists or has ended, and not just never existed. */
  get isKnown(): boolean {
    return this.#state.isKnown
  }

  /** Whether the client may still read what is sent. */
  get mayStillRead(): boolean {
    const listening = this.#host.listeners().length > 0
    return listening || this.#state.wasUsedWithin(this.#host.limits.kept.ageMs)
  }

  /** Ends the session. Only the fact that it ended is kept. */
  async end(): Promise<void> {
    await this.#forget()
    this.#state.end()
    this.#host.wakeAt(this.#nextWake())
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
    saved: SavedSession,
  ): Promise<Response> {
    const revision = revisionOf(saved.version)!
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
    // In this era a lost connection cancels nothing: the client may come back for the answer.
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

  /** Receives a message that needs no answer. */
  async #receive(message: RpcMessage, exchange: Exchange, revision: Revision): Promise<void> {
    if (!isNotification(message)) {
      // Not awaited: the client only waits until its answer is accepted.
      void this.#calls
        .answer(message as RpcResponse, exchange, this.#channel(revision))
        .then((outcome) => outcome && this.#deliver(outcome))
      return
    }
    if (message.method === 'notifications/initialized') this.#state.change({ initialized: true })
    if (message.method === 'session/end') await this.end()
    if (message.method === 'notifications/cancelled') {
      const outcome = this.#calls.cancel(message.params?.requestId)
      if (outcome) this.#deliver(outcome)
    }
  }

  #channel(revision: Revision): CallChannel {
    return {
      revision,
      client: this.#state.saved!.client,
      logLevel: this.#state.saved!.logLevel,
      send: (stream, message) => this.#send(stream, message),
      streams: (stream) => this.#streams.isReadable(stream),
      disconnect: (stream) => this.#streams.disconnect(stream),
      wakeBy: (time) => this.#wakeBy(time),
    }
  }

  /** The only store of the session. Only its caller can use the session. */
  readonly #stores: Stores = {
    open: async (handle) => {
      const { storage, limits } = this.#host
      return storeWithin(storage, limits.store, () => this.#state.saved !== undefined, handle)
    },
  }

  /** Sends the last message of a stream, and closes it. */
  #deliver({ stream, text }: Outcome): void {
    if (text !== undefined) this.#send(stream, text)
    if (!this.#calls.isOpen(stream)) this.#streams.close(stream)
  }

  /** Sends a message on a stream that the client reads. */
  #send(stream: string, message: string): void {
    if (!this.#state.saved || !this.#streams.isReadable(stream)) return
    this.#wakeBy(Date.now() + this.#host.limits.kept.ageMs)
    this.#streams.send(stream, message)
  }

  /** When the next thing in this session expires. */
  #nextWake(): number {
    const others = [this.#calls.nextExpiry(), this.#streams.log.nextExpiry()]
    return Math.min(this.#state.expiresAt, ...others.filter((it) => it !== undefined))
  }

  /** Wakes at this time, or earlier if that is already set. */
  #wakeBy(time: number): void {
    if (this.#wakesAt !== undefined && this.#wakesAt <= time) return
    this.#wakesAt = time
    this.#host.wakeAt(time)
  }
}

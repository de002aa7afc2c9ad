/**
 * A session of the legacy era, which `initialize` opens. Between two requests it may be evicted
 * from memory. It then goes on from what it stored.
 *
 * @module
 */

import type { Exchange } from '../eras/exchange.ts'
import { checkBatch, revisionOfRequest, serveLegacy } from '../eras/legacy.ts'
import { type Change, notificationsOf } from '../features/changes.ts'
import { type Client, type LogLevel, logLevelOf } from '../features/context.ts'
import type { Storage } from '../state/storage.ts'
import { precisionOf, type StoreBounds, storeLimits, storeWithin } from '../state/store.ts'
import type { Stores } from '../state/stores.ts'
import {
  asRpcError,
  codes,
  failure,
  isNotification,
  isObject,
  isRequest,
  parse,
  RpcError,
  type RpcMessage,
  type RpcParams,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../wire/jsonrpc.ts'
import { limits } from '../wire/limits.ts'
import { Refusal } from '../wire/refusal.ts'
import { accepted, type Primer, type ReplySink, reply } from '../wire/reply.ts'
import { negotiate, type Revision, revisionOf } from '../wire/revisions.ts'
import { type CallChannel, type CallLimits, Calls, type Outcome } from './calls.ts'
import { EventLog, type Kept } from './event-log.ts'

/** Bounds on one session. */
export interface SessionLimits extends CallLimits {
  /** A session that is not used for this long is forgotten. So is the fact that it ended. */
  readonly idleMs: number
  /** Open streams besides those of requests. A new one closes the oldest. */
  readonly streams: number
  readonly subscriptions: number
  readonly kept: Kept
  /** Bounds on the store of the session. */
  readonly store: StoreBounds
}

const HOUR = 60 * 60_000
const DAY = 24 * HOUR

export const sessionLimits: SessionLimits = {
  calls: 32,
  callMs: limits.callMs,
  answerMs: HOUR / 4,
  idleMs: 30 * DAY,
  streams: 4,
  subscriptions: 200,
  kept: { events: 500, bytes: 1024 * 1024, ageMs: HOUR },
  store: storeLimits,
}

/** A stream that the client holds open besides its requests. */
export interface Listener {
  readonly stream: string
  send(message: string, id: string): void
  close(): void
}

/** What a session needs from its surroundings. */
export interface Home {
  readonly storage: Storage
  readonly limits: SessionLimits
  /** The open streams, oldest first. */
  listeners(): readonly Listener[]
  /** Calls {@link Session.wake} at this time, instead of the time set before. */
  wakeAt(time: number): void
  /** Deletes everything, also the time to wake. */
  clear(): Promise<void>
}

/** A new or resumed stream: what the client missed, and whether more will come. */
export interface Listening {
  readonly stream: string
  readonly missed: readonly { readonly id: string; readonly message: string }[]
  readonly open: boolean
  /** Opens the stream, in revisions that have that. */
  readonly primer: Primer | undefined
}

/** What is stored of a session. */
interface Saved {
  readonly version: string
  readonly client: Client
  readonly subject: string | undefined
  readonly usedAt: number
  readonly logLevel?: LogLevel
  readonly initialized?: boolean
  readonly subscriptions?: readonly string[]
  /** There is a stream, but no `initialize` yet. */
  readonly begun?: boolean
  /** The newest stream besides those of requests. */
  readonly listening?: string
}

/** A session hears of changes in every list. */
const LISTS = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
} as const

/** The key for the time of its end: all that is kept of an ended session. */
const ENDED = 'ended'

/** The header of a refusal because a session is unknown. The request may be served without one. */
export const UNKNOWN = 'x-mcp-unknown-session'

/** A client whose connection was closed comes back after this time. */
export const RETRY_MS = 1_000

export class Session {
  readonly #home: Home
  readonly #log: EventLog
  readonly #calls: Calls
  /** The open requests, by stream. */
  readonly #sinks = new Map<string, ReplySink>()
  #saved: Saved | undefined
  #wakesAt: number | undefined

  constructor(home: Home) {
    this.#home = home
    this.#log = new EventLog(home.storage, home.limits.kept)
    this.#calls = new Calls(home.storage, home.limits)
    this.#saved = home.storage.get('session')
    // What was due before the eviction is still due.
    if (this.#saved) this.#wakesAt = this.#nextWake()
  }

  /** Serves a POST or a DELETE. Throws {@link RpcError} for what it refuses. */
  async fetch(exchange: Exchange): Promise<Response> {
    const { request, caller } = exchange
    if (request.method === 'DELETE') {
      if (this.isKnown) this.#use(caller?.subject)
      await this.end()
      return new Response(null, { status: 204 })
    }
    const body = parse(await request.text())
    const opens = !Array.isArray(body) && isRequest(body) && body.method === 'initialize'
    if (opens && (!this.isKnown || this.#saved?.begun)) {
      this.#open(body, caller?.subject)
      return serveLegacy(body, exchange)
    }
    return this.#post(body, { ...exchange, stores: this.#stores }, this.#use(caller?.subject))
  }

  /** Begins a session with a stream; `initialize` comes later (the transport of `2024-11-05`). */
  begin(subject: string | undefined): void {
    const client = { name: undefined, version: undefined, capabilities: {} }
    this.#save({ version: '2024-11-05', client, subject, usedAt: Date.now(), begun: true })
    this.#wakeBy(this.#endsAt())
  }

  /** Begins a stream besides the requests: a new one, or the rest of a lost one. */
  listen(subject: string | undefined, lastEventId: string | null): Listening {
    const { limits } = this.#home
    const { version } = this.#use(subject)
    const others = this.#home.listeners()
    for (const it of others.slice(0, Math.max(0, others.length + 1 - limits.streams))) it.close()
    const lost = lastEventId ? this.#log.after(lastEventId) : undefined
    const stream = lost?.stream ?? newStream('g')
    if (!lost) this.#change({ listening: stream })
    const open = stream.startsWith('g') || this.#calls.isOpen(stream)
    // A client that comes back starts where it left, before what it missed.
    const at = lost ? lastEventId! : this.#log.here(stream)
    const primer = revisionOf(version)!.primes ? { id: at, retryMs: RETRY_MS } : undefined
    return { stream, missed: lost?.events ?? [], open, primer }
  }

  /** Sends a message on the newest stream besides the requests. */
  tell(message: string): void {
    if (this.#saved?.listening) this.#send(this.#saved.listening, message)
  }

  /**
   * Tells the client of a change, if it asked for that. Uses only one stream (specification,
   * "Multiple Connections"): the newest, or the one that the client will resume.
   */
  announce(change: Change): void {
    const { initialized, subscriptions = [], listening } = this.#saved ?? {}
    if (!initialized) return
    const newest = this.#home.listeners().findLast((it) => it.stream.startsWith('g'))
    const stream = newest?.stream ?? listening
    if (!stream) return
    for (const it of notificationsOf(change, { ...LISTS, resourceSubscriptions: subscriptions })) {
      this.#send(stream, JSON.stringify({ jsonrpc: '2.0', ...it }))
    }
  }

  /** Runs at the time that `wakeAt` set. Ends what has waited too long. */
  async wake(): Promise<void> {
    const now = Date.now()
    for (const outcome of this.#calls.expire(now)) this.#deliver(outcome)
    this.#log.forget()
    this.#wakesAt = undefined
    if (!this.isKnown) return
    if (this.#endsAt() <= now) return this.#forget()
    this.#wakeBy(this.#nextWake())
  }

  /** Whether this session exists or has ended, and not just never existed. */
  get isKnown(): boolean {
    return this.#saved !== undefined || this.#home.storage.get(ENDED) !== undefined
  }

  /** Whether the client may still read what is sent. */
  get hears(): boolean {
    if (this.#home.listeners().length > 0) return true
    const { idleMs, kept } = this.#home.limits
    const since = Date.now() - kept.ageMs - precisionOf(idleMs)
    return this.#saved !== undefined && this.#saved.usedAt > since
  }

  /** Ends the session. Only the fact that it ended is kept. */
  async end(): Promise<void> {
    await this.#forget()
    this.#home.storage.put(ENDED, Date.now())
    this.#home.wakeAt(this.#nextWake())
  }

  async #forget(): Promise<void> {
    this.#saved = undefined
    this.#calls.stop()
    for (const listener of this.#home.listeners()) listener.close()
    await this.#home.clear()
  }

  #open({ params = {} }: RpcRequest, subject: string | undefined): void {
    const { protocolVersion, clientInfo, capabilities } = params
    const { name, version } = isObject(clientInfo) ? clientInfo : {}
    const word = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : undefined)
    const client = { name: word(name), version: word(version) }
    this.#save({
      version: negotiate(protocolVersion).version,
      client: { ...client, capabilities: isObject(capabilities) ? capabilities : {} },
      subject,
      usedAt: Date.now(),
      ...(this.#saved?.listening && { listening: this.#saved.listening }),
    })
    this.#wakeBy(this.#endsAt())
  }

  async #post(
    body: RpcMessage | RpcMessage[],
    exchange: Exchange,
    saved: Saved,
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

    const stream = newStream('c')
    const work = async (sink: ReplySink) => {
      this.#sinks.set(stream, sink)
      const channel = this.#channel(revision)
      const starting = requests.map((it) => this.#answer(it, stream, exchange, channel))
      const answers = (await Promise.all(starting)).filter((it) => it !== undefined)
      const text = Array.isArray(body) && answers.length > 0 ? `[${answers.join()}]` : answers[0]
      const streaming = sink.streaming
      if (streaming) this.#deliver({ stream, text })
      this.#sinks.delete(stream)
      return streaming || text === undefined ? undefined : { text, status: 200 }
    }
    // In this era a lost connection cancels nothing: the client may come back for the answer.
    const onCancel = () => this.#sinks.delete(stream)
    return reply(work, exchange.accept, onCancel, this.#primer(stream, revision))
  }

  async #answer(
    message: RpcRequest,
    stream: string,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<string | undefined> {
    const own = Object.hasOwn(this.#methods, message.method) && this.#methods[message.method]
    if (!own) return this.#calls.start(message, stream, exchange, channel)
    try {
      await own(message.params ?? {})
      return success(message.id, '{}')
    } catch (error) {
      return failure(message.id, asRpcError(error))
    }
  }

  /** The methods that change the session itself. */
  readonly #methods: Readonly<Record<string, (params: RpcParams) => void | Promise<void>>> = {
    'logging/setLevel': ({ level }) => {
      const logLevel = logLevelOf(level)
      if (!logLevel) throw new RpcError(codes.invalidParams, 'There is no such log level.')
      this.#change({ logLevel })
    },
    'resources/subscribe': ({ uri }) => {
      if (typeof uri !== 'string')
        throw new RpcError(codes.invalidParams, 'Say which resource, as params.uri.')
      const subscriptions = [...new Set([...(this.#saved?.subscriptions ?? []), uri])]
      const most = this.#home.limits.subscriptions
      if (subscriptions.length > most) {
        throw new RpcError(codes.invalidRequest, `A session watches at most ${most} resources.`)
      }
      this.#change({ subscriptions })
    },
    'resources/unsubscribe': ({ uri }) => {
      const subscriptions = (this.#saved?.subscriptions ?? []).filter((it) => it !== uri)
      this.#change({ subscriptions })
    },
    shutdown: () => this.end(),
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
    if (message.method === 'notifications/initialized') this.#change({ initialized: true })
    if (message.method === 'session/end') await this.end()
    if (message.method === 'notifications/cancelled') {
      const outcome = this.#calls.cancel(message.params?.requestId)
      if (outcome) this.#deliver(outcome)
    }
  }

  #channel(revision: Revision): CallChannel {
    return {
      revision,
      client: this.#saved!.client,
      logLevel: this.#saved!.logLevel,
      send: (stream, message) => this.#send(stream, message),
      streams: (stream) => this.#sinks.get(stream)?.readable ?? true,
      disconnect: (stream) => this.#sinks.get(stream)?.disconnect(),
      wakeBy: (time) => this.#wakeBy(time),
    }
  }

  /** The only store of the session. Only its caller can use the session. */
  readonly #stores: Stores = {
    open: async (handle) => {
      const { storage, limits } = this.#home
      return storeWithin(storage, limits.store, () => this.#saved !== undefined, handle)
    },
  }

  /** Sends the last message of a stream, and closes it. */
  #deliver({ stream, text }: Outcome): void {
    if (text !== undefined) this.#send(stream, text)
    if (this.#calls.isOpen(stream)) return
    this.#sinks.delete(stream)
    for (const listener of this.#home.listeners()) if (listener.stream === stream) listener.close()
  }

  /** Sends a message on the current connection of a stream, and keeps it. */
  #send(stream: string, message: string): void {
    const sink = this.#sinks.get(stream)
    if (!this.#saved || (sink && !sink.readable)) return
    const id = this.#log.add(stream, message)
    this.#wakeBy(Date.now() + this.#home.limits.kept.ageMs)
    sink?.send(message, id)
    for (const listener of this.#home.listeners()) {
      if (listener.stream === stream) listener.send(message, id)
    }
  }

  #primer(stream: string, { primes }: Revision): Primer | undefined {
    return primes ? { id: this.#log.here(stream), retryMs: RETRY_MS } : undefined
  }

  /** Gives its caller the session, which counts as used. To others it does not exist. */
  #use(subject: string | undefined): Saved {
    if (!this.#saved || this.#saved.subject !== subject) {
      throw new Refusal(404, NO_SESSION, this.isKnown ? {} : { [UNKNOWN]: '1' })
    }
    const precision = precisionOf(this.#home.limits.idleMs)
    if (Date.now() - this.#saved.usedAt > precision) this.#change({ usedAt: Date.now() })
    return this.#saved
  }

  #change(changes: Partial<Saved>): void {
    if (this.#saved) this.#save({ ...this.#saved, ...changes })
  }

  #save(saved: Saved): void {
    this.#saved = saved
    this.#home.storage.put('session', saved)
  }

  #endsAt(): number {
    const { storage, limits } = this.#home
    const usedAt = this.#saved?.usedAt ?? storage.get<number>(ENDED)!
    return usedAt + limits.idleMs + precisionOf(limits.idleMs)
  }

  /** When the next thing in this session expires. */
  #nextWake(): number {
    const others = [this.#calls.nextExpiry(), this.#log.nextExpiry()]
    return Math.min(this.#endsAt(), ...others.filter((it) => it !== undefined))
  }

  /** Wakes at this time, or earlier if that is already set. */
  #wakeBy(time: number): void {
    if (this.#wakesAt !== undefined && this.#wakesAt <= time) return
    this.#wakesAt = time
    this.#home.wakeAt(time)
  }
}

/** The error for a client whose session does not exist. */
export const NO_SESSION = 'There is no such session: open one with initialize.'

/** A name for a stream: of a request (`c`), or besides the requests (`g`). */
const newStream = (kind: 'c' | 'g') => kind + crypto.randomUUID().slice(0, 8)

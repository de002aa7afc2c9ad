import type { Exchange } from '../eras/exchange.ts'
import { dispatch } from '../eras/methods.ts'
import type { Client, LogLevel } from '../features/context.ts'
import type { InputRequired } from '../features/input.ts'
import type { Storage } from '../state/storage.ts'
import { Stop } from '../wire/deadline.ts'
import {
  asRpcError,
  codes,
  failure,
  RpcError,
  type RpcId,
  type RpcParams,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../wire/jsonrpc.ts'
import type { Revision } from '../wire/revisions.ts'

/** Bounds on the requests of one session. */
export interface CallLimits {
  /** Requests worked on at once. */
  readonly calls: number
  /** A call that takes so long is stopped. Waiting for an answer of the client is not counted. */
  readonly callMs: number
  /** A question that nobody answers for so long ends its call. */
  readonly answerMs: number
}

/** What a call needs to know of its session, and its way out. */
export interface CallChannel {
  readonly revision: Revision
  readonly client: Client
  readonly logLevel: LogLevel | undefined
  /** Sends a message on the call's stream. */
  send(stream: string, message: string): void
  /** Whether the client can be sent anything on this stream before the answer. */
  streams(stream: string): boolean
  /** Closes the connection that carries this stream. */
  disconnect(stream: string): void
  /** Has {@link Calls.expire} called at this time, if not before. */
  wakeBy(time: number): void
}

/** A request that waits for the client to answer questions about it. It outlives the memory. */
interface Waiting {
  readonly key: string
  readonly stream: string
  readonly message: RpcRequest
  readonly answers: RpcParams
  readonly round: number
  /** Keys of the questions not answered yet, by the id each was asked under. */
  readonly asked: Readonly<Record<string, string>>
  readonly until: number
}

type Call = Omit<Waiting, 'asked' | 'until'>

/** What became of a call whose response nobody in this memory waits for. */
export interface Outcome {
  readonly stream: string
  /** The response, or undefined if the call was cancelled. */
  readonly text: string | undefined
}

/** A handler may ask this often before it counts as stuck. */
const MAX_ROUNDS = 8

const PREFIX = 'call:'

/**
 * The requests a session works on. One that asks the client something is put away until the answers
 * are there, and then run again from its beginning: by this instance, or by one that comes after it.
 */
export class Calls {
  readonly #storage: Storage
  readonly #limits: CallLimits
  readonly #running = new Map<string, Stop>()
  readonly #awaited = new Map<string, (text: string | undefined) => void>()

  constructor(storage: Storage, limits: CallLimits) {
    this.#storage = storage
    this.#limits = limits
  }

  /** Works on a request until its response, which is undefined if the client cancels it. */
  start(
    message: RpcRequest,
    stream: string,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<string | undefined> {
    if (this.#running.size >= this.#limits.calls) {
      const busy = `This session works on ${this.#running.size} requests already: wait for one.`
      return Promise.resolve(failure(message.id, new RpcError(codes.invalidRequest, busy)))
    }
    // Two requests of a batch may have the same id.
    const key = `${stream}:${crypto.randomUUID()}`
    return new Promise((resolve) => {
      this.#awaited.set(key, resolve)
      void this.#run({ key, stream, message, answers: {}, round: 0 }, exchange, channel)
    })
  }

  /** Takes an answer of the client, and goes on with the call it was the last one for. */
  async answer(
    { id, result }: RpcResponse,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<Outcome | undefined> {
    const call = this.#waiting().find(({ asked }) => Object.hasOwn(asked, String(id)))
    if (!call) return undefined
    const { [String(id)]: key, ...asked } = call.asked
    // A client that fails to answer has declined to.
    const answers = { ...call.answers, [key!]: result ?? { action: 'cancel' } }
    if (Object.keys(asked).length > 0) {
      this.#storage.put<Waiting>(PREFIX + call.key, { ...call, answers, asked })
      return undefined
    }
    this.#storage.delete(PREFIX + call.key)
    return this.#run({ ...call, answers }, exchange, channel)
  }

  /** Stops a call. It gets no response. */
  cancel(id: unknown): Outcome | undefined {
    if (typeof id !== 'string' && typeof id !== 'number') return undefined
    this.#running.get(idOf(id))?.stop()
    const call = this.#waiting().find(({ message }) => message.id === id)
    return call && this.#finish(call, undefined)
  }

  /** Ends the calls whose questions nobody has answered in time. */
  expire(now: number): Outcome[] {
    return this.#waiting()
      .filter(({ until }) => until <= now)
      .map((call) => {
        const error = new RpcError(codes.internal, 'Nobody answered in time.')
        return this.#finish(call, failure(call.message.id, error))
      })
      .filter((it) => it !== undefined)
  }

  /** When the first question runs out, if one is open. */
  nextExpiry(): number | undefined {
    const times = this.#waiting().map(({ until }) => until)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /** Whether a response is still to come on this stream. */
  isOpen(stream: string): boolean {
    const keys = [...this.#awaited.keys(), ...this.#waiting().map(({ key }) => key)]
    return keys.some((key) => key.startsWith(`${stream}:`))
  }

  /** Stops everything. */
  stop(): void {
    for (const running of this.#running.values()) running.stop()
    for (const resolve of this.#awaited.values()) resolve(undefined)
    this.#awaited.clear()
  }

  async #run(call: Call, exchange: Exchange, channel: CallChannel): Promise<Outcome | undefined> {
    const { message, stream, answers } = call
    const { id } = message
    const { revision, client, logLevel } = channel
    const stop = new Stop()
    this.#running.set(idOf(id), stop)
    const notify = (name: string, about: RpcParams) => {
      channel.send(stream, JSON.stringify({ jsonrpc: '2.0', method: name, params: about }))
    }
    const streams = channel.streams(stream)
    const facts = {
      ...{ id, revision, client, caller: exchange.caller, answers, streams, notify, logLevel },
      stop,
      disconnect: () => channel.disconnect(stream),
    }
    let text: string | undefined
    try {
      const result = await dispatch(exchange, message, facts)
      if (typeof result === 'string') text = success(id, result)
      else if (!stop.stopped) return this.#ask(call, result, channel)
    } catch (error) {
      text = failure(id, asRpcError(error))
    } finally {
      this.#running.delete(idOf(id))
    }
    return this.#finish(call, stop.stopped ? undefined : text)
  }

  /** Puts a call away until the client has answered its questions. */
  #ask(call: Call, { requests }: InputRequired, channel: CallChannel): undefined {
    if (call.round === MAX_ROUNDS) throw new RpcError(codes.internal, 'This asked too often.')
    if (!channel.streams(call.stream)) {
      const needs = 'This asks the client something: accept text/event-stream to be asked.'
      throw new RpcError(codes.invalidRequest, needs)
    }
    const asked: Record<string, string> = {}
    for (const key of Object.keys(requests)) asked[crypto.randomUUID()] = key
    const until = Date.now() + this.#limits.answerMs
    const waiting: Waiting = { ...call, round: call.round + 1, asked, until }
    this.#storage.put(PREFIX + call.key, waiting)
    channel.wakeBy(until)
    for (const [id, key] of Object.entries(asked)) {
      channel.send(call.stream, JSON.stringify({ jsonrpc: '2.0', id, ...requests[key] }))
    }
  }

  /** Hands the response to whoever waits for it here, or else back to the caller. */
  #finish({ key, stream, round }: Call, text: string | undefined): Outcome | undefined {
    // A call that asked nothing was never put away, and a write is dear even if it changes nothing.
    if (round > 0) this.#storage.delete(PREFIX + key)
    const resolve = this.#awaited.get(key)
    this.#awaited.delete(key)
    if (!resolve) return { stream, text }
    resolve(text)
    return undefined
  }

  #waiting(): Waiting[] {
    return [...this.#storage.list<Waiting>({ prefix: PREFIX })].map(([, call]) => call)
  }
}

/** Ids that differ in type are different ids. */
const idOf = (id: RpcId) => JSON.stringify(id)

import type { Exchange } from '../eras/exchange.ts'
import { dispatch } from '../eras/methods.ts'
import type { Client, LogLevel } from '../features/context.ts'
import { type InputRequired, MAX_ROUNDS } from '../features/input.ts'
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
import { type Call, WaitingCalls } from './waiting-calls.ts'

/** Bounds on the requests of one session. */
export interface CallLimits {
  /** Requests worked on at once. */
  readonly calls: number
  /**
   * A call that takes longer is stopped. The time that the client takes to answer is not counted.
   */
  readonly callMs: number
  /** A call ends if the client does not answer its question within this time. */
  readonly answerMs: number
}

/** What a call knows of its session, and how it sends messages. */
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
  /** Calls {@link Calls.expire} at this time or earlier. */
  wakeBy(time: number): void
}

/** The end of a call for which no request waits in memory. */
export interface Outcome {
  readonly stream: string
  /** The response, or undefined if the call was cancelled. */
  readonly text: string | undefined
}

/**
 * The requests that a session works on. A request that asks the client something is stored until
 * the answers are there. Then it runs again from its beginning, in this instance or a later one.
 */
export class Calls {
  readonly #limits: CallLimits
  readonly #waiting: WaitingCalls
  readonly #running = new Map<string, Stop>()
  readonly #awaited = new Map<string, (text: string | undefined) => void>()

  constructor(storage: Storage, limits: CallLimits) {
    this.#limits = limits
    this.#waiting = new WaitingCalls(storage)
  }

  /** Runs a request and gives back its response; undefined if the client cancels it. */
  start(
    message: RpcRequest,
    stream: string,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<string | undefined> {
    if (this.#running.size >= this.#limits.calls) {
      const works = `This session already works on ${this.#running.size} requests`
      const busy = `${works}: wait until one ends.`
      return Promise.resolve(failure(message.id, new RpcError(codes.invalidRequest, busy)))
    }
    // Two requests of a batch may have the same id.
    const key = `${stream}:${crypto.randomUUID()}`
    return new Promise((resolve) => {
      this.#awaited.set(key, resolve)
      void this.#run({ key, stream, message, answers: {}, round: 0 }, exchange, channel)
    })
  }

  /** Takes an answer of the client. If it was the last one for its call, the call goes on. */
  async answer(
    response: RpcResponse,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<Outcome | undefined> {
    const call = this.#waiting.answer(response)
    return call && this.#run(call, exchange, channel)
  }

  /** Stops a call. It gets no response. */
  cancel(id: unknown): Outcome | undefined {
    if (typeof id !== 'string' && typeof id !== 'number') return undefined
    this.#running.get(idOf(id))?.stop()
    const call = this.#waiting.find(id)
    return call && this.#finish(call, undefined)
  }

  /** Ends the calls whose questions were not answered in time. */
  expire(now: number): Outcome[] {
    return this.#waiting
      .expired(now)
      .map((call) => {
        const error = new RpcError(
          codes.internal,
          'The question of this call was not answered in time: call again.',
        )
        return this.#finish(call, failure(call.message.id, error))
      })
      .filter((it) => it !== undefined)
  }

  /** When the first open question expires. */
  nextExpiry(): number | undefined {
    return this.#waiting.nextExpiry()
  }

  /** Whether a response is still to come on this stream. */
  isOpen(stream: string): boolean {
    const keys = [...this.#awaited.keys(), ...this.#waiting.keys()]
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
      id,
      revision,
      client,
      caller: exchange.caller,
      answers,
      streams,
      notify,
      logLevel,
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

  /** Stores a call until the client has answered its questions. */
  #ask(call: Call, { requests }: InputRequired, channel: CallChannel): undefined {
    if (call.round === MAX_ROUNDS)
      throw new RpcError(codes.internal, 'The call asked the client too many times.')
    if (!channel.streams(call.stream)) {
      const needs = 'This has to ask the client something: accept text/event-stream to be asked.'
      throw new RpcError(codes.invalidRequest, needs)
    }
    const until = Date.now() + this.#limits.answerMs
    const questions = this.#waiting.ask(call, requests, until)
    channel.wakeBy(until)
    for (const question of questions) channel.send(call.stream, question)
  }

  /** Gives the response to the request that waits for it; if none waits, gives it back. */
  #finish(call: Call, text: string | undefined): Outcome | undefined {
    const { key, stream } = call
    // A call that asked nothing was never stored, and even a write without effect is expensive.
    if (call.round > 0) this.#waiting.delete(call)
    const resolve = this.#awaited.get(key)
    this.#awaited.delete(key)
    if (!resolve) return { stream, text }
    resolve(text)
    return undefined
  }
}

/** Ids that differ in type are different ids. */
const idOf = (id: RpcId) => JSON.stringify(id)

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
  invalidRequest,
  notification,
  RpcError,
  type RpcId,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../wire/jsonrpc.ts'
import type { Revision } from '../wire/revisions.ts'
import { type PendingCall, WaitingCalls } from './waiting-calls.ts'

/** Bounds on the requests of one session. */
export interface CallLimits {
  readonly calls: number
  /** A longer call is stopped. Time that the client takes to answer does not count. */
  readonly callMs: number
  /** A call ends if the client does not answer its question within this time. */
  readonly answerMs: number
}

/** A call's link to its session, through which it sends messages. */
export interface CallChannel {
  readonly revision: Revision
  readonly client: Client
  readonly logLevel: LogLevel | undefined
  send(stream: string, message: string): void
  /** True if the client can receive messages on this stream before the response. */
  streams(stream: string): boolean
  disconnect(stream: string): void
  /** Calls {@link SessionCalls.expire} at this time or earlier. */
  wakeBy(time: number): void
}

const UNANSWERED = 'The client did not answer the question from this call in time. Call again.'

/** The end of a call that no request in memory is waiting for. */
export interface CallOutcome {
  readonly stream: string
  /** The response, or undefined if the call was cancelled. */
  readonly text: string | undefined
}

/**
 * The requests that a session is working on. A request that asks the client something is stored until
 * the answers arrive. Then it runs again from the beginning, in this instance or a later one.
 */
export class SessionCalls {
  readonly #limits: CallLimits
  readonly #waiting: WaitingCalls
  /** Running calls by key. A client can use the same id for several calls. */
  readonly #running = new Map<string, { readonly id: RpcId; readonly stop: Stop }>()
  readonly #awaited = new Map<string, (text: string | undefined) => void>()

  constructor(storage: Storage, limits: CallLimits) {
    this.#limits = limits
    this.#waiting = new WaitingCalls(storage)
  }

  /** Runs a request and returns its response, or undefined if the client cancels it. */
  start(
    message: RpcRequest,
    stream: string,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<string | undefined> {
    if (this.#running.size >= this.#limits.calls) {
      const works = `This session is already working on ${this.#running.size} requests`
      const busy = `${works}: wait until one finishes.`
      return Promise.resolve(failure(message.id, invalidRequest(busy)))
    }
    // Two requests in a batch can have the same id.
    const key = `${stream}:${crypto.randomUUID()}`
    return new Promise((resolve) => {
      this.#awaited.set(key, resolve)
      void this.#run({ key, stream, message, answers: {}, round: 0 }, exchange, channel)
    })
  }

  /** Takes an answer from the client. If it was the call's last open question, the call continues. */
  async answer(
    response: RpcResponse,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<CallOutcome | undefined> {
    const call = this.#waiting.answer(response)
    return call && this.#run(call, exchange, channel)
  }

  /** Stops a call. It gets no response. */
  cancel(id: unknown): CallOutcome | undefined {
    if (typeof id !== 'string' && typeof id !== 'number') return undefined
    for (const running of this.#running.values()) if (running.id === id) running.stop.stop()
    const call = this.#waiting.find(id)
    return call && this.#finish(call, undefined)
  }

  expire(now: number): CallOutcome[] {
    const error = new RpcError(codes.internal, UNANSWERED)
    return this.#waiting
      .expired(now)
      .map((call) => this.#finish(call, failure(call.message.id, error)))
      .filter((it) => it !== undefined)
  }

  nextExpiry(): number | undefined {
    return this.#waiting.nextExpiry()
  }

  /** True if a response is still to come on this stream. */
  isOpen(stream: string): boolean {
    const keys = [...this.#awaited.keys(), ...this.#waiting.keys()]
    return keys.some((key) => key.startsWith(`${stream}:`))
  }

  stop(): void {
    for (const { stop } of this.#running.values()) stop.stop()
    for (const resolve of this.#awaited.values()) resolve(undefined)
    this.#awaited.clear()
  }

  async #run(
    call: PendingCall,
    exchange: Exchange,
    channel: CallChannel,
  ): Promise<CallOutcome | undefined> {
    const { message, stream, answers } = call
    const { id } = message
    const { revision, client, logLevel } = channel
    const stop = new Stop()
    this.#running.set(call.key, { id, stop })
    let text: string | undefined
    try {
      const result = await dispatch(exchange, message, {
        ...{ id, revision, client, caller: exchange.caller, answers, logLevel, stop },
        streams: channel.streams(stream),
        notify: (...about) => channel.send(stream, notification(...about)),
        disconnect: () => channel.disconnect(stream),
      })
      if (typeof result === 'string') text = success(id, result)
      else if (!stop.stopped) return this.#ask(call, result, channel)
    } catch (error) {
      text = failure(id, asRpcError(error))
    } finally {
      this.#running.delete(call.key)
    }
    return this.#finish(call, stop.stopped ? undefined : text)
  }

  #ask(call: PendingCall, { requests }: InputRequired, channel: CallChannel): undefined {
    if (call.round === MAX_ROUNDS)
      throw new RpcError(codes.internal, 'The call asked the client too many times.')
    if (!channel.streams(call.stream)) {
      const needs =
        'This call must ask the client a question: accept text/event-stream to receive it.'
      throw invalidRequest(needs)
    }
    const until = Date.now() + this.#limits.answerMs
    const questions = this.#waiting.ask(call, requests, until)
    channel.wakeBy(until)
    for (const question of questions) channel.send(call.stream, question)
  }

  /** Gives the response to the request that is waiting for it. If no request is waiting, returns the response. */
  #finish(call: PendingCall, text: string | undefined): CallOutcome | undefined {
    // A call without questions was never stored, and even a write that changes nothing is expensive.
    if (call.round > 0) this.#waiting.delete(call)
    const resolve = this.#awaited.get(call.key)
    this.#awaited.delete(call.key)
    if (!resolve) return { stream: call.stream, text }
    resolve(text)
    return undefined
  }
}

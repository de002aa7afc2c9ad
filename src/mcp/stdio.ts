/**
 * The stdio transport: one JSON-RPC message a line, both ways, in whichever era the client speaks.
 * Nothing but messages is written.
 *
 * @module
 */

import type { Exchange } from './eras/exchange.ts'
import { opensSession, serveLegacy } from './eras/legacy.ts'
import { claimedVersion, serveModern } from './eras/modern.ts'
import type { Caller } from './features/context.ts'
import type { Server } from './features/server.ts'
import { PipedSession } from './memory.ts'
import { type SessionLimits, sessionLimits } from './sessions/session-limits.ts'
import { type Seal, sealWith } from './state/seal.ts'
import type { Stores } from './state/stores.ts'
import type { Tasks } from './state/tasks.ts'
import {
  asRpcError,
  codes,
  failure,
  isRequest,
  parse,
  RpcError,
  type RpcId,
  type RpcMessage,
} from './wire/jsonrpc.ts'
import { type Limits, limits } from './wire/limits.ts'
import { linesOf } from './wire/lines.ts'
import { messagesIn } from './wire/sse.ts'

/** The two ends of a pipe. */
export interface Pipe {
  /** What the client writes, in pieces of any size. */
  readonly input: AsyncIterable<Uint8Array>
  /** Writes a line, with its end. Resolves when there is room for another. */
  write(line: string): Promise<void> | void
}

export interface StdioOptions {
  readonly server: Server
  /** Who is at the other end. */
  readonly caller?: Caller | undefined
  /** Where tasks live. Without it, tools that can run as a task just run. */
  readonly tasks?: Tasks | undefined
  /** Where handlers keep values between calls of the modern era. Without it, they cannot. */
  readonly stores?: Stores | undefined
  /** Seals values that travel through the client. Without it, only this process opens them. */
  readonly seal?: Seal
  readonly limits?: Limits
  readonly sessionLimits?: SessionLimits
  /** Ends the conversation, as the end of the input does. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds that running calls have to end, once the conversation is over. */
  readonly graceMs?: number
}

/**
 * Serves one client by a pipe, until its input ends (specification, "stdio"). Never throws: a pipe that
 * breaks is the end of the conversation.
 *
 * @example
 *
 * ```ts
 * const write = (line: string) => void process.stdout.write(line)
 * await serveStdio({ input: process.stdin, write }, { server })
 * ```
 */
export async function serveStdio(pipe: Pipe, options: StdioOptions): Promise<void> {
  const conversation = new Conversation(pipe, options)
  const { signal, limits: { bodyBytes } = limits } = options
  try {
    for await (const line of linesOf(until(signal, pipe.input), bodyBytes)) {
      await conversation.take(line)
    }
  } catch {
    // The input broke: nothing more comes.
  }
  await conversation.end()
}

/** What a message would be sent to, if it came by HTTP. Ids are signed for it. */
const URL_OF_PIPE = 'http://stdio/'

const GRACE_MS = 2_000

/** Lines whose answers are not written yet. */
const MAX_ANSWERING = 200

class Conversation {
  readonly #pipe: Pipe
  readonly #options: StdioOptions
  readonly #seal: Seal
  /** By the id of the request, as JSON. */
  readonly #running = new Map<string, { readonly stop: AbortController; readonly method: string }>()
  readonly #answering = new Set<Promise<void>>()
  #session: PipedSession | undefined

  constructor(pipe: Pipe, options: StdioOptions) {
    this.#pipe = pipe
    this.#options = options
    this.#seal = options.seal ?? sealWith()
  }

  /** Takes a line of the client. Its answer is written when it is there. Resolves when another may come. */
  async take(line: string | undefined): Promise<void> {
    const answering = this.#take(line).catch(() => {})
    this.#answering.add(answering)
    void answering.then(() => this.#answering.delete(answering))
    // A client that writes and does not read waits here.
    if (this.#answering.size >= MAX_ANSWERING) await Promise.race(this.#answering)
  }

  /** Ends what runs: calls have a moment, and what waits for changes has none. */
  async end(): Promise<void> {
    for (const { method, stop } of this.#running.values()) {
      if (method === 'subscriptions/listen') stop.abort()
    }
    await this.#settled(this.#options.graceMs ?? GRACE_MS)
    for (const { stop } of this.#running.values()) stop.abort()
    await this.#session?.end()
    await this.#settled(LAST_MS)
  }

  async #settled(ms: number): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    await Promise.race([over, Promise.all(this.#answering)])
    clearTimeout(timer)
  }

  async #take(line: string | undefined): Promise<void> {
    let body: RpcMessage | RpcMessage[]
    try {
      body = parse(this.#checked(line), this.#options.limits)
    } catch (error) {
      const fault = asRpcError(error)
      return this.#write(failure(fault.id ?? null, fault))
    }
    if (!Array.isArray(body) && 'method' in body && body.method === 'notifications/cancelled') {
      const key = JSON.stringify(body.params?.requestId)
      this.#running.get(key)?.stop.abort()
      this.#running.delete(key)
    }
    const requests = [body].flat().filter(isRequest)
    if (this.#running.size + requests.length > this.#limits.calls) {
      const busy = `This works on ${this.#running.size} requests already: wait until one ends.`
      for (const { id } of requests) {
        await this.#write(failure(id, new RpcError(codes.invalidRequest, busy)))
      }
      return
    }
    const stop = new AbortController()
    const keys = requests.map(({ id, method }) => this.#begin(id, method, stop))
    try {
      const response = await this.#serve(body, stop.signal)
      for await (const message of messagesIn(response)) {
        if (!stop.signal.aborted) await this.#write(message)
      }
    } catch (error) {
      const fault = asRpcError(error)
      for (const { id } of requests) await this.#write(failure(id, fault))
    } finally {
      for (const key of keys) if (this.#running.get(key)?.stop === stop) this.#running.delete(key)
    }
  }

  #begin(id: RpcId, method: string, stop: AbortController): string {
    const key = JSON.stringify(id)
    this.#running.set(key, { stop, method })
    return key
  }

  #serve(body: RpcMessage | RpcMessage[], signal: AbortSignal): Promise<Response> {
    const { server, caller, tasks, stores, limits: { callMs } = limits } = this.#options
    const request = new Request(URL_OF_PIPE, { method: 'POST', signal })
    const accept = { json: true, stream: true, stays: true } as const
    const seal = this.#seal
    const exchange: Exchange = {
      ...{ request, server, caller, accept, seal, callMs, tasks, stores },
      hasHeaders: false,
    }
    if (!Array.isArray(body) && claimedVersion(body) !== undefined) {
      return serveModern(body, exchange)
    }
    if (opensSession(body)) {
      this.#session ??= new PipedSession(server, this.#limits, (it) => void this.#write(it))
    }
    return this.#session?.take(body, exchange) ?? serveLegacy(body, exchange)
  }

  get #limits(): SessionLimits {
    return this.#options.sessionLimits ?? sessionLimits
  }

  #checked(line: string | undefined): string {
    if (line !== undefined) return line
    const { bodyBytes } = this.#options.limits ?? limits
    throw new RpcError(codes.invalidRequest, `A line is UTF-8, and has at most ${bodyBytes} bytes.`)
  }

  async #write(message: string): Promise<void> {
    await this.#pipe.write(`${message}\n`)
  }
}

/** How long a call that was stopped may take to notice. */
const LAST_MS = 200

/** The same pieces, until a signal aborts. */
async function* until(
  signal: AbortSignal | undefined,
  pieces: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  while (!signal?.aborted) {
    // A race with one promise for all pieces would hold every piece as long as the client stays.
    const { promise, resolve, reject } = Promise.withResolvers<
      IteratorResult<Uint8Array> | undefined
    >()
    const stop = () => resolve(undefined)
    signal?.addEventListener('abort', stop, { once: true })
    iterator.next().then(resolve, reject)
    const next = await promise.finally(() => signal?.removeEventListener('abort', stop))
    if (!next || next.done) return
    yield next.value
  }
}

// The stdio transport: one JSON-RPC message per line, both ways, in whichever era the client speaks. Nothing but
// messages is written.
import type { Exchange } from './eras/exchange.ts'
import { opensSession, serveLegacy } from './eras/legacy.ts'
import { claimedVersion, serveModern } from './eras/modern.ts'
import type { Caller } from './features/context.ts'
import type { ServedParts } from './http.ts'
import { PipedSession } from './memory.ts'
import { type SessionLimits, sessionLimits } from './sessions/session-limits.ts'
import { type Seal, sealWith } from './state/seal.ts'
import {
  asRpcError,
  failure,
  invalidRequest,
  isRequest,
  parse,
  type RpcMessage,
} from './wire/jsonrpc.ts'
import { limits } from './wire/limits.ts'
import { linesOf } from './wire/lines.ts'
import { messagesIn } from './wire/sse.ts'

/** The two ends of a pipe. */
export interface Pipe {
  /** The client's output, in chunks of any size. */
  readonly input: AsyncIterable<Uint8Array>
  /** Writes a line, which includes its line ending. Resolves when there is room for another line. */
  write(line: string): Promise<void> | void
}

export interface StdioOptions extends ServedParts {
  /** The caller at the other end. */
  readonly caller?: Caller | undefined
  readonly sessionLimits?: SessionLimits
  /** Ends the conversation, just as the end of the input does. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for running calls to finish once the conversation is over. */
  readonly graceMs?: number
}

/**
 * Serves one client over a pipe, until its input ends (specification, "stdio"). Never throws: a broken
 * pipe ends the conversation.
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
    // The input broke: nothing more will arrive.
  }
  await conversation.end()
}

/** Stands in for the URL that a message has over HTTP. Ids are signed for it. */
const URL_OF_PIPE = 'http://stdio/'

const GRACE_MS = 2_000

/** Maximum number of lines whose responses are not written yet. */
const MAX_ANSWERING = 200

class Conversation {
  readonly #pipe: Pipe
  readonly #options: StdioOptions
  readonly #seal: Seal
  /** Running requests by id, as JSON. */
  readonly #running = new Map<string, { readonly stop: AbortController; readonly method: string }>()
  readonly #answering = new Set<Promise<void>>()
  #session: PipedSession | undefined

  constructor(pipe: Pipe, options: StdioOptions) {
    this.#pipe = pipe
    this.#options = options
    this.#seal = options.seal ?? sealWith()
  }

  /** Takes a line from the client, and later writes its response. Resolves when the next line can come. */
  async take(line: string | undefined): Promise<void> {
    const answering = this.#take(line).catch(() => {})
    this.#answering.add(answering)
    void answering.then(() => this.#answering.delete(answering))
    // Blocks a client that writes without reading.
    if (this.#answering.size >= MAX_ANSWERING) await Promise.race(this.#answering)
  }

  /** Ends running work. Calls have a short time to finish. Subscriptions end at once. */
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
      const busy = `This server is already working on ${this.#running.size} requests: wait until one finishes.`
      for (const { id } of requests) {
        await this.#write(failure(id, invalidRequest(busy)))
      }
      return
    }
    const stop = new AbortController()
    const keys = requests.map(({ id, method }) => {
      const key = JSON.stringify(id)
      this.#running.set(key, { stop, method })
      return key
    })
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
    throw invalidRequest(`A line must be UTF-8 and at most ${bodyBytes} bytes.`)
  }

  async #write(message: string): Promise<void> {
    await this.#pipe.write(`${message}\n`)
  }
}

/** Milliseconds that a stopped call has to finish. */
const LAST_MS = 200

/** Passes on chunks until a signal aborts. */
async function* until(
  signal: AbortSignal | undefined,
  pieces: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  while (!signal?.aborted) {
    // Racing one promise against every chunk would keep all chunks in memory as long as the client stays.
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

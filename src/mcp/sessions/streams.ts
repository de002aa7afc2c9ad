import type { Storage } from '../state/storage.ts'
import type { Primer, ReplySink } from '../wire/reply.ts'
import type { Revision } from '../wire/revisions.ts'
import { RETRY_MS } from '../wire/sse.ts'
import { EventLog } from './event-log.ts'
import type { SessionLimits } from './session-limits.ts'

/** A stream that the client holds open besides its requests. */
export interface Listener {
  readonly stream: string
  send(message: string, id: string): void
  close(): void
}

/** What the streams of a session need from its surroundings. */
export interface StreamHost {
  readonly storage: Storage
  readonly limits: Pick<SessionLimits, 'streams' | 'kept'>
  /** The open streams besides those of requests, oldest first. */
  listeners(): readonly Listener[]
}

/** A new or resumed stream besides the requests, with what the client missed on it. */
export interface OpenedStream {
  readonly stream: string
  readonly missed: readonly { readonly id: string; readonly message: string }[]
  readonly resumed: boolean
  /** Opens the stream, in revisions that have that. */
  readonly primer: Primer | undefined
}

/**
 * The streams of a session: those of its requests, and those that the client opens besides. Each
 * message is kept, so that a client that lost a stream can catch up.
 */
export class Streams {
  readonly #host: StreamHost
  /** The messages that are kept. */
  readonly log: EventLog
  /** The open requests, by stream. */
  readonly #sinks = new Map<string, ReplySink>()

  constructor(host: StreamHost) {
    this.#host = host
    this.log = new EventLog(host.storage, host.limits.kept)
  }

  /** Answers a request on its stream. */
  attach(stream: string, sink: ReplySink): void {
    this.#sinks.set(stream, sink)
  }

  /** The request has no connection any more. */
  release(stream: string): void {
    this.#sinks.delete(stream)
  }

  /** Closes the connection of a request. The client comes back for the rest. */
  disconnect(stream: string): void {
    this.#sinks.get(stream)?.disconnect()
  }

  /** Whether the client reads this stream. */
  isReadable(stream: string): boolean {
    return this.#sinks.get(stream)?.readable ?? true
  }

  /** Opens a stream besides the requests: a new one, or the rest of a lost one. */
  listen(lastEventId: string | null, revision: Revision): OpenedStream {
    const { limits } = this.#host
    const others = this.#host.listeners()
    for (const it of others.slice(0, Math.max(0, others.length + 1 - limits.streams))) it.close()
    const lost = lastEventId ? this.log.after(lastEventId) : undefined
    const stream = lost?.stream ?? newStream('listener')
    return {
      stream,
      missed: lost?.events ?? [],
      resumed: lost !== undefined,
      // A client that comes back starts where it left, before what it missed.
      primer: this.primer(stream, revision, lost && lastEventId!),
    }
  }

  /** The start of a stream, in revisions that have that. */
  primer(stream: string, { primes }: Revision, id = this.log.here(stream)): Primer | undefined {
    return primes ? { id, retryMs: RETRY_MS } : undefined
  }

  /** The newest open stream besides the requests. */
  newest(): string | undefined {
    return this.#host.listeners().findLast((it) => isListening(it.stream))?.stream
  }

  /** Sends a message on the current connection of a stream, and keeps it. */
  send(stream: string, message: string): void {
    const id = this.log.add(stream, message)
    this.#sinks.get(stream)?.send(message, id)
    for (const it of this.#listenersOf(stream)) it.send(message, id)
  }

  /** Closes a stream after its last message. */
  close(stream: string): void {
    this.#sinks.delete(stream)
    for (const it of this.#listenersOf(stream)) it.close()
  }

  #listenersOf(stream: string): readonly Listener[] {
    return this.#host.listeners().filter((it) => it.stream === stream)
  }
}

/** A name for a new stream: of a request (`c`), or besides the requests (`g`). */
export const newStream = (kind: 'request' | 'listener'): string =>
  (kind === 'request' ? 'c' : 'g') + crypto.randomUUID().slice(0, 8)

/** Whether a stream is one besides the requests. */
export const isListening = (stream: string): boolean => stream.startsWith('g')

import type { Storage } from '../state/storage.ts'
import type { ReplySink } from '../wire/reply.ts'
import type { Revision } from '../wire/revisions.ts'
import { EventLog } from './event-log.ts'
import type { SessionLimits } from './session-limits.ts'

/** A stream that the client holds open in addition to its requests. */
export interface StreamListener {
  readonly stream: string
  send(message: string, id: string): void
  close(): void
}

/** The environment of a session's streams. */
export interface StreamHost {
  readonly storage: Storage
  readonly limits: Pick<SessionLimits, 'streams' | 'kept'>
  /** Open streams not tied to a request, oldest first. */
  listeners(): readonly StreamListener[]
}

/** A new or resumed stream not tied to a request, with the messages that the client missed. */
export interface OpenedStream {
  readonly stream: string
  readonly missed: readonly { readonly id: string; readonly message: string }[]
  readonly resumed: boolean
  /** The id in the stream's first event, in revisions that support it. */
  readonly primer: string | undefined
}

/**
 * A session's streams: those for its requests, and those that the client opens in addition. Each message
 * is stored, so that a client that lost a stream can catch up.
 */
export class Streams {
  readonly #host: StreamHost
  readonly log: EventLog
  readonly #sinks = new Map<string, ReplySink>()

  constructor(host: StreamHost) {
    this.#host = host
    this.log = new EventLog(host.storage, host.limits.kept)
  }

  attach(stream: string, sink: ReplySink): void {
    this.#sinks.set(stream, sink)
  }

  release(stream: string): void {
    this.#sinks.delete(stream)
  }

  /** Closes a request's connection. The client comes back for the rest. */
  disconnect(stream: string): void {
    this.#sinks.get(stream)?.disconnect()
  }

  isReadable(stream: string): boolean {
    return this.#sinks.get(stream)?.readable ?? true
  }

  /** Opens a stream not tied to a request: a new one, or the rest of a lost one. */
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
      // A client that comes back resumes where it left off, before the messages that it missed.
      primer: this.primer(stream, revision, lost && lastEventId!),
    }
  }

  primer(stream: string, { primes }: Revision, id = this.log.here(stream)): string | undefined {
    return primes ? id : undefined
  }

  newest(): string | undefined {
    return this.#host.listeners().findLast((it) => isListening(it.stream))?.stream
  }

  /** Sends a message on a stream's current connection, and stores it. */
  send(stream: string, message: string): void {
    const id = this.log.add(stream, message)
    this.#sinks.get(stream)?.send(message, id)
    for (const it of this.#listenersOf(stream)) it.send(message, id)
  }

  close(stream: string): void {
    this.#sinks.delete(stream)
    for (const it of this.#listenersOf(stream)) it.close()
  }

  #listenersOf(stream: string): readonly StreamListener[] {
    return this.#host.listeners().filter((it) => it.stream === stream)
  }
}

/** A name for a new stream. It starts with `c` for a request, and with `g` for a listener. */
export const newStream = (kind: 'request' | 'listener'): string =>
  (kind === 'request' ? 'c' : 'g') + crypto.randomUUID().slice(0, 8)

/** True for a listener's stream. */
export const isListening = (stream: string): boolean => stream.startsWith('g')

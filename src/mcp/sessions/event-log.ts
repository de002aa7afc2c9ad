import type { Storage } from '../state/storage.ts'

/** Bounds on the messages stored for clients that lose their stream. The oldest messages are deleted first. */
export interface EventBounds {
  readonly events: number
  /** Total size of the messages in UTF-8. */
  readonly bytes: number
  readonly ageMs: number
}

interface Event {
  readonly stream: string
  readonly message: string
  readonly at: number
}

const PREFIX = 'event:'

/** A larger message is sent but not stored. A storage value can hold 2 MB. */
const MAX_KEPT_BYTES = 512 * 1024

/**
 * Stores messages, so that a client that lost a stream can catch up. The id of an event is the name
 * of its stream and a number that increases across all streams in the session.
 */
export class EventLog {
  readonly #storage: Storage
  readonly #bounds: EventBounds
  #last = 0
  #count = 0
  #bytes = 0

  constructor(storage: Storage, bounds: EventBounds) {
    this.#storage = storage
    this.#bounds = bounds
    for (const [key, { message }] of storage.list<Event>({ prefix: PREFIX })) {
      this.#last = Number(key.slice(PREFIX.length))
      this.#count++
      this.#bytes += bytesOf(message)
    }
    this.#last = Math.max(this.#last, storage.get<number>('sent') ?? 0)
  }

  add(stream: string, message: string): string {
    const number = ++this.#last
    this.#storage.put('sent', number)
    const bytes = bytesOf(message)
    if (bytes <= MAX_KEPT_BYTES) {
      this.#storage.put<Event>(keyOf(number), { stream, message, at: Date.now() })
      this.#count++
      this.#bytes += bytes
      this.forget()
    }
    return `${stream}-${number}`
  }

  /** An id that marks the current end of a stream. A client that resumes from it gets the later messages. */
  here(stream: string): string {
    return `${stream}-${this.#last}`
  }

  /** The stream of an event, and the messages sent on it afterward. */
  after(id: string): { stream: string; events: { id: string; message: string }[] } | undefined {
    const [, stream, number] = /^([cg][0-9a-f]{8})-(\d{1,12})$/.exec(id) ?? []
    if (!stream || !number) return undefined
    const later = [
      ...this.#storage.list<Event>({ prefix: PREFIX, startAfter: keyOf(Number(number)) }),
    ]
    return {
      stream,
      events: later
        .filter(([, event]) => event.stream === stream)
        .map(([key, { message }]) => ({
          id: `${stream}-${Number(key.slice(PREFIX.length))}`,
          message,
        })),
    }
  }

  /** Deletes the oldest messages until all bounds are met. */
  forget(): void {
    const since = Date.now() - this.#bounds.ageMs
    for (const [key, { message, at }] of this.#storage.list<Event>({ prefix: PREFIX })) {
      if (this.#count <= this.#bounds.events && this.#bytes <= this.#bounds.bytes && at > since)
        return
      this.#storage.delete(key)
      this.#count--
      this.#bytes -= bytesOf(message)
    }
  }

  nextExpiry(): number | undefined {
    for (const [, { at }] of this.#storage.list<Event>({ prefix: PREFIX }))
      return at + this.#bounds.ageMs
    return undefined
  }
}

const keyOf = (number: number) => PREFIX + String(number).padStart(12, '0')

const bytesOf = (message: string) => encoder.encode(message).byteLength

const encoder = new TextEncoder()

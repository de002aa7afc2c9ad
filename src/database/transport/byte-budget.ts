import type { Limits } from '../rows.ts'

/** A socket of Node or of Workers, as far as its bytes are counted. */
export interface Stream {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  removeAllListeners(event: 'data'): unknown
}

/** The most that is read for one answer, however large its cap is. */
const MAX_BYTES = 10 * 1024 * 1024

/** Bytes beside the rows: the login, settings, descriptions of columns. */
const SLACK_BYTES = 1024 * 1024

/** What is left of the bytes of one answer. */
export interface Room {
  left: number
}

/** Why an answer is not read: the one before it was too long, and the connection reads no more. */
export const unread = Symbol('unread')

/** Bounds how many bytes are read from a socket: more than any answer may have. */
export class ByteBudget {
  #spent = Promise.withResolvers<void>()
  readonly #streams: Stream[] = []
  /** What is read while no answer is expected. */
  #beside: Room
  /** Of the answers that are still to come, in their order. */
  readonly #expected: Room[] = []
  /** The room of the answer that was read when reading stopped. */
  spentBy: Room | undefined

  constructor(limits: Pick<Limits, 'maxBytes'>) {
    this.#beside = roomOf(limits)
  }

  /** Whether reading has stopped. */
  get isSpent(): boolean {
    return this.spentBy !== undefined
  }

  /** Resolves when reading has stopped. */
  get spent(): Promise<void> {
    return this.#spent.promise
  }

  /** Makes room for one more answer, behind those that are still to come. */
  expect(limits: Pick<Limits, 'maxBytes'>): Room {
    const room = roomOf(limits)
    this.#expected.push(room)
    return room
  }

  /** Makes room anew for what is read while no answer is expected: the connection goes on to another call. */
  renew(): void {
    this.#beside = roomOf({ maxBytes: 0 })
    // What waited for the old one would be kept as long as the connection.
    this.#spent = Promise.withResolvers()
  }

  /** Takes note that an answer has come, or never will. */
  came(room: Room): void {
    const at = this.#expected.indexOf(room)
    if (at >= 0) this.#expected.splice(at, 1)
  }

  /** Counts what a stream brings, and stops reading it when that is too much. */
  watch(stream: Stream): void {
    this.#streams.push(stream)
    stream.on('data', (chunk) => {
      const room = this.#current()
      room.left -= chunk.byteLength
      if (room.left < 0) this.spend()
    })
  }

  /** Stops reading now. The streams stay open. */
  spend(): void {
    this.spentBy ??= this.#current()
    for (const stream of this.#streams) stream.removeAllListeners('data')
    this.#spent.resolve()
  }

  #current = (): Room => this.#expected[0] ?? this.#beside
}

const roomOf = ({ maxBytes }: Pick<Limits, 'maxBytes'>): Room => ({
  left: Math.min(2 * maxBytes + SLACK_BYTES, MAX_BYTES),
})

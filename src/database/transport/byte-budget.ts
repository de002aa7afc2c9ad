import type { Limits } from '../rows.ts'

/** The part of a Node or Workers socket that is needed to count its bytes. */
export interface CountedStream {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  removeAllListeners(event: 'data'): unknown
}

/** Maximum number of bytes read for one result, regardless of its cap. */
const MAX_BYTES = 10 * 1024 * 1024

/** Bytes allowed in addition to rows: the login, settings, column descriptions. */
const SLACK_BYTES = 1024 * 1024

/** Remaining byte budget for one result. */
export interface ByteRoom {
  left: number
}

/** Marks a result that is not read because the connection stopped reading after an earlier result was too long. */
export const unread = Symbol('unread')

/** Limits the bytes read from a socket. The limit is higher than the maximum size of a result. */
export class ByteBudget {
  #spent = Promise.withResolvers<void>()
  readonly #streams: CountedStream[] = []
  /** Budget for bytes that arrive while no result is expected. */
  #beside: ByteRoom
  /** Budgets for the pending results, in order. */
  readonly #expected: ByteRoom[] = []
  /** Budget for the result during which reading stopped. */
  spentBy: ByteRoom | undefined

  constructor(limits: Pick<Limits, 'maxBytes'>) {
    this.#beside = roomOf(limits)
  }

  /** True once reading has stopped. */
  get isSpent(): boolean {
    return this.spentBy !== undefined
  }

  /** Resolves when reading has stopped. */
  get spent(): Promise<void> {
    return this.#spent.promise
  }

  /** Adds a budget for one more result, after the pending results. */
  expect(limits: Pick<Limits, 'maxBytes'>): ByteRoom {
    const room = roomOf(limits)
    this.#expected.push(room)
    return room
  }

  /** Resets the budget for unexpected bytes when the connection goes to another call. */
  renew(): void {
    this.#beside = roomOf({ maxBytes: 0 })
    // Otherwise, callbacks waiting for the old promise would stay in memory as long as the connection.
    this.#spent = Promise.withResolvers()
  }

  /** Records that a result has arrived, or never will. */
  came(room: ByteRoom): void {
    const at = this.#expected.indexOf(room)
    if (at >= 0) this.#expected.splice(at, 1)
  }

  /** Counts a stream's bytes, and stops reading when there are too many. */
  watch(stream: CountedStream): void {
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

  #current = (): ByteRoom => this.#expected[0] ?? this.#beside
}

const roomOf = ({ maxBytes }: Pick<Limits, 'maxBytes'>): ByteRoom => ({
  left: Math.min(2 * maxBytes + SLACK_BYTES, MAX_BYTES),
})

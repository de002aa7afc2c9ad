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

/** Bounds how many bytes are read from a socket: more than any answer may have. */
export class ByteBudget {
  readonly #spent = Promise.withResolvers<void>()
  readonly #streams: Stream[] = []
  #left: number
  /** Whether reading has stopped. */
  isSpent = false

  constructor({ maxBytes }: Pick<Limits, 'maxBytes'>) {
    this.#left = Math.min(2 * maxBytes + SLACK_BYTES, MAX_BYTES)
  }

  /** Resolves when reading has stopped. */
  get spent(): Promise<void> {
    return this.#spent.promise
  }

  /** Counts what a stream brings, and stops reading it when that is too much. */
  watch(stream: Stream): void {
    this.#streams.push(stream)
    stream.on('data', (chunk) => {
      this.#left -= chunk.byteLength
      if (this.#left < 0) this.spend()
    })
  }

  /** Stops reading now. The streams stay open. */
  spend(): void {
    this.isSpent = true
    for (const stream of this.#streams) stream.removeAllListeners('data')
    this.#spent.resolve()
  }
}

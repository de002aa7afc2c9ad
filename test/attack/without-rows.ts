import { Socket } from 'node:net'

/** The type and the length in front of every message of PostgreSQL. */
const HEADER = 5
const DATA_ROW = 'D'.charCodeAt(0)

/**
 * A connection to PostgreSQL whose rows are thrown away before a client reads them: a value over 512 MB is
 * more than JavaScript can hold as a text.
 */
export class WithoutRows extends Socket {
  /** The beginning of a header whose end is still to come. */
  #header = Buffer.alloc(0)
  /** How many bytes of the current message are still to come, and whether they are of a row. */
  #left = 0
  #isRow = false

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...args)
    const kept = this.#withoutRows(args[0] as Buffer)
    return kept.length === 0 || super.emit('data', kept)
  }

  #withoutRows(chunk: Buffer): Buffer {
    const kept: Buffer[] = []
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left === 0) {
        const missing = HEADER - this.#header.length
        this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (this.#header.length < HEADER) break
        this.#isRow = this.#header[0] === DATA_ROW
        this.#left = this.#header.readUInt32BE(1) - (HEADER - 1)
        if (!this.#isRow) kept.push(this.#header)
        this.#header = Buffer.alloc(0)
      }
      const part = rest.subarray(0, this.#left)
      if (!this.#isRow) kept.push(part)
      this.#left -= part.length
      rest = rest.subarray(part.length)
    }
    return Buffer.concat(kept)
  }
}

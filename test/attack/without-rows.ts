import { Socket } from 'node:net'

/** The size of the type and the length before every PostgreSQL message. */
const HEADER = 5
const DATA_ROW = 'D'.charCodeAt(0)

/**
 * A connection to PostgreSQL that drops rows before the client reads them, because a value over 512 MB does not
 * fit in a JavaScript string.
 */
export class WithoutRows extends Socket {
  /** The start of an incomplete header. */
  #header = Buffer.alloc(0)
  /** The number of missing bytes of the current message, and whether it is a row. */
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

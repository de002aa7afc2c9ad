import { rowTooLarge } from '../error.ts'
import type { Cell, Limits, Rows } from '../rows.ts'

const encoder = new TextEncoder()

/** Takes as many rows as the limits allow. It needs one more row to know that there are more. */
export function cap(
  rows: Iterable<readonly Cell[]>,
  limits: Limits,
): Pick<Rows, 'rows' | 'truncated'> {
  const collector = new RowCollector(limits)
  for (const row of rows) if (!collector.add(row)) break
  const { truncated } = collector
  return { rows: collector.rows, truncated }
}

/** Collects rows one by one, as far as the limits allow. */
export class RowCollector {
  readonly rows: (readonly Cell[])[] = []
  truncated: Rows['truncated'] = false
  readonly #limits: Limits
  /** An upper bound of the bytes so far. While it fits, no row is written out to be counted. */
  #atMost = 0
  #bytes = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Takes a row. Returns false if there is no room for it, and so for no other. */
  add(row: readonly Cell[]): boolean {
    const { maxRows, maxBytes } = this.#limits
    this.#count(row, maxBytes)
    if (this.rows.length === maxRows) this.truncated = 'rows'
    else if (this.#bytes > maxBytes) this.truncated = 'bytes'
    if (this.truncated === 'bytes' && this.rows.length === 0) throw rowTooLarge(maxBytes)
    if (!this.truncated) this.rows.push(row)
    return !this.truncated
  }

  #count(row: readonly Cell[], maxBytes: number): void {
    const counted = this.#atMost > maxBytes
    this.#atMost += atMost(row)
    if (this.#atMost <= maxBytes) return
    if (!counted) for (const earlier of this.rows) this.#bytes += sizeOf(earlier)
    this.#bytes += sizeOf(row)
  }
}

const sizeOf = (row: readonly Cell[]) => encoder.encode(JSON.stringify(row)).byteLength + 1

/** An upper bound for a number, true, false or null, with what is around it. */
const SHORT_CELL_BYTES = 26

/** An upper bound of the bytes of a row as JSON: no character takes more than six, `\u0000`. */
function atMost(row: readonly Cell[]): number {
  let most = SHORT_CELL_BYTES
  for (const cell of row) {
    if (typeof cell === 'string') most += cell.length * 6 + SHORT_CELL_BYTES
    else if (typeof cell === 'object' && cell !== null) most += sizeOf([cell])
    else most += SHORT_CELL_BYTES
  }
  return most
}

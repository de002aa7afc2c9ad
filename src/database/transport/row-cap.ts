import { rowTooLarge } from '../error.ts'
import type { Answer, Cell, Column, Limits, Rows } from '../rows.ts'

const encoder = new TextEncoder()

/**
 * Makes an answer whose rows are read one by one, so that rows beyond the cap are never read.
 *
 * @param cut true if there were more rows, too large to fetch
 */
export function cappedAnswer<Raw>(
  columns: readonly Column[],
  rows: Iterable<Raw>,
  read: (row: Raw) => readonly Cell[],
  limits: Limits,
  cut = false,
): Answer {
  const capped = cap(mapped(rows, read), limits)
  return { columns, rows: capped.rows, truncated: capped.truncated || (cut && 'bytes') }
}

function* mapped<From, To>(items: Iterable<From>, change: (item: From) => To): Iterable<To> {
  for (const it of items) yield change(it)
}

/** Takes as many rows as the limits allow. It needs one extra row to detect that there are more. */
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
  /** Upper bound of the bytes so far. While it is within the limit, rows do not have to be serialized to be counted. */
  #atMost = 0
  #bytes = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Adds a row. Returns false if there is no room for it. There is then no room for any later row, either. */
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

/** Maximum size in bytes of a number, true, false or null, with its separators. */
const SHORT_CELL_BYTES = 26

/** Upper bound of a row's size as JSON, in bytes. A character takes at most six, as in `\u0000`. */
function atMost(row: readonly Cell[]): number {
  let most = SHORT_CELL_BYTES
  for (const cell of row) {
    if (typeof cell === 'string') most += cell.length * 6 + SHORT_CELL_BYTES
    else if (typeof cell === 'object' && cell !== null) most += sizeOf([cell])
    else most += SHORT_CELL_BYTES
  }
  return most
}

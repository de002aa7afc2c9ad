import { type Cell, DatabaseError, type Limits, type Rows } from './database.ts'

const encoder = new TextEncoder()

/** Takes as many rows as the limits allow. Only from one row too many it learns that there are. */
export function cap(
  rows: Iterable<readonly Cell[]>,
  limits: Limits,
): Pick<Rows, 'rows' | 'truncated'> {
  const taken = new Taken(limits)
  for (const row of rows) if (!taken.take(row)) break
  const { truncated } = taken
  return { rows: taken.rows, truncated }
}

/** The rows of an answer that comes bit by bit, as far as the limits allow. */
export class Taken {
  readonly rows: (readonly Cell[])[] = []
  truncated: Rows['truncated'] = false
  readonly #limits: Limits
  #bytes = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Takes a row, or says that there is no room for it nor for any other. */
  take(row: readonly Cell[]): boolean {
    const { maxRows, maxBytes } = this.#limits
    this.#bytes += encoder.encode(JSON.stringify(row)).byteLength + 1
    if (this.rows.length === maxRows) this.truncated = 'rows'
    else if (this.#bytes > maxBytes) this.truncated = 'bytes'
    if (this.truncated === 'bytes' && this.rows.length === 0) {
      throw new DatabaseError(
        'too_large',
        `One row alone is over the ${maxBytes} bytes of an answer.`,
        {
          hint: 'Select fewer columns, or a substr() of the long ones.',
        },
      )
    }
    if (!this.truncated) this.rows.push(row)
    return !this.truncated
  }
}

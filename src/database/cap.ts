import { type Cell, DatabaseError, type Limits, type Rows } from './database.ts'

const encoder = new TextEncoder()

/** Takes as many rows as the limits allow. Only from one row too many it learns that there are. */
export function cap(
  rows: Iterable<readonly Cell[]>,
  { maxRows, maxBytes }: Limits,
): Pick<Rows, 'rows' | 'truncated'> {
  const taken: (readonly Cell[])[] = []
  let bytes = 0
  for (const row of rows) {
    if (taken.length === maxRows) return { rows: taken, truncated: 'rows' }
    bytes += encoder.encode(JSON.stringify(row)).byteLength + 1
    if (bytes > maxBytes && taken.length > 0) return { rows: taken, truncated: 'bytes' }
    if (bytes > maxBytes) {
      throw new DatabaseError(
        'too_large',
        `One row alone is over the ${maxBytes} bytes of an answer.`,
        {
          hint: 'Select fewer columns, or a substr() of the long ones.',
        },
      )
    }
    taken.push(row)
  }
  return { rows: taken, truncated: false }
}

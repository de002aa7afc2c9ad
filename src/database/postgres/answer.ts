import type { Answer, Cell, Limits } from '../rows.ts'
import { cap } from '../transport/row-cap.ts'
import { readValue } from './values.ts'

/** The answer to one statement as it comes, every value in PostgreSQL's own text. */
export interface Result {
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** A column of an answer. Its type is sent as an OID, without a name. */
export interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** What a statement returned, read by the types of its columns and cut to the limits. */
export const answer = (
  { fields, rows }: Result,
  types: readonly string[],
  limits: Limits,
): Answer => ({
  columns: fields.map(({ name }, i) => ({ name, type: types[i]! })),
  ...cap(cells(rows, types), limits),
})

/** Reads the rows one by one, so that those beyond the cap are never read. */
function* cells(rows: Result['rows'], types: readonly string[]): Iterable<Cell[]> {
  for (const row of rows) {
    yield row.map((text, i) => (text === null ? null : readValue(text, types[i]!)))
  }
}

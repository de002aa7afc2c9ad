import type { Answer, Limits } from '../rows.ts'
import { cappedAnswer } from '../transport/row-cap.ts'
import { readValue } from './values.ts'

/** The raw result of one statement, with every value in PostgreSQL's text format. */
export interface PostgresResult {
  readonly fields: readonly PostgresField[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** True if it was too large to read to the end. */
  readonly cut?: boolean
}

/** A column in a result. Its type is sent as an OID, without a name. */
export interface PostgresField {
  readonly name: string
  readonly dataTypeID: number
}

/** Converts a statement's result by its column types, and cuts it to the limits. */
export const answer = (
  { fields, rows, cut }: PostgresResult,
  types: readonly string[],
  limits: Limits,
): Answer =>
  cappedAnswer(
    fields.map(({ name }, i) => ({ name, type: types[i]! })),
    rows,
    (row) => row.map((text, i) => (text === null ? null : readValue(text, types[i]!))),
    limits,
    cut,
  )

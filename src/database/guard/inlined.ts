import { DatabaseError } from '../error.ts'
import type { Param, Statement } from '../rows.ts'
import type { Rules } from '../rules.ts'
import { refuse } from './guard.ts'

/** A placeholder in a statement: where it is, and its value. */
export interface PlaceholderValue {
  readonly start: number
  readonly end: number
  readonly value: Param
  /** Writes a value of this kind as SQL. */
  literal(value: Param): string
}

/**
 * Writes values into a statement, for a protocol that cannot send them separately. The guard has read the
 * placeholders; here it reads the statement again with literals in their places, but with empty strings, because the
 * content of a string changes nothing: `f $1` becomes the call `f ('…')`. Throws {@link DatabaseError}.
 */
export function inlined(
  { sql, internal }: Statement,
  values: Iterable<PlaceholderValue>,
  rules: Rules,
): string {
  let [text, empty, at] = ['', '', 0]
  for (const { start, end, value, literal } of values) {
    const before = sql.slice(at, start)
    // The spaces keep anything before or after from becoming part of the value.
    text += `${before} ${literal(value)} `
    empty += `${before} ${literal(typeof value === 'string' ? '' : value)} `
    at = end
  }
  const rest = sql.slice(at)
  const refusal = refuse({ sql: empty + rest, internal }, rules)
  if (refusal !== undefined) throw new DatabaseError('refused', refusal)
  return text + rest
}

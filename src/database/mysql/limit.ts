import { read } from '../guard/reading.ts'
import type { Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * A statement that ends with a LIMIT, so that no server gathers or sorts rows that nobody reads; as
 * it is where it ends otherwise, or where it cannot be told how.
 *
 * `sql_select_limit` is not for that: it holds inside stored functions as well, and with Vitess in
 * every subquery, and so changes what a statement computes.
 *
 * @param text the statement as it is sent, its values perhaps written into it
 */
export function limited(statement: Statement, rows: number, text = statement.sql): string {
  let depth = 0
  let selects = false
  // None where it cannot be taken apart: a driver may be asked without the guard.
  for (const { kind, value } of read(statement, rules).tokens) {
    if (kind === 'symbol' && value === '(') depth++
    if (kind === 'symbol' && value === ')') depth--
    if (kind === 'end' || (kind === 'word' && depth === 0 && ENDINGS.has(value))) return text
    selects ||= kind === 'word' && depth === 0 && value === 'select'
  }
  // In a line of its own: a comment may be the last of it.
  return selects && depth === 0 ? `${text}\nlimit ${rows}` : text
}

/** What only a LIMIT of its own would stand before, or what may be one. */
const ENDINGS = new Set(['limit', 'fetch', 'offset', 'for', 'lock', 'into', 'procedure'])

import { read } from '../guard/reading.ts'
import type { Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * Ends a statement with a LIMIT, so that the server does not collect and sort rows that are not read. A
 * statement that ends with another clause, or that cannot be read, stays as it is.
 *
 * `sql_select_limit` also holds inside stored functions, and with Vitess in every subquery: it would
 * change what a statement computes.
 *
 * @param text the statement as it is sent, perhaps with its values written into it
 */
export function limited(statement: Statement, rows: number, text = statement.sql): string {
  let depth = 0
  let selects = false
  // No tokens where it cannot be read: a driver may be asked without the guard.
  for (const { kind, value } of read(statement, rules).tokens) {
    if (kind === 'symbol' && value === '(') depth++
    if (kind === 'symbol' && value === ')') depth--
    if (kind === 'end' || (kind === 'word' && depth === 0 && ENDINGS.has(value))) return text
    selects ||= kind === 'word' && depth === 0 && value === 'select'
  }
  // On a new line, because the statement may end with a comment.
  return selects && depth === 0 ? `${text}\nlimit ${rows}` : text
}

/** Clauses that are a LIMIT, or that have to come after one. */
const ENDINGS = new Set(['limit', 'fetch', 'offset', 'for', 'lock', 'into', 'procedure'])

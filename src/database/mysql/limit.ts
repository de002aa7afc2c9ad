import { DatabaseError } from '../error.ts'
import { read } from '../guard/reading.ts'
import type { Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * Adds a LIMIT to a statement, so that the server does not collect and sort rows that nobody reads. A
 * statement that ends with another clause, or that cannot be parsed, stays unchanged.
 *
 * `sql_select_limit` also applies inside stored functions, and with Vitess in every subquery, so it would
 * change a statement's result.
 *
 * @param text the statement as it is sent, with or without its values written into it
 */
export function limited(statement: Statement, rows: number, text = statement.sql): string {
  let depth = 0
  let selects = false
  // There are no tokens if it cannot be parsed: a driver can be used without the guard.
  for (const { kind, value } of read(statement, rules).tokens) {
    if (kind === 'symbol' && value === '(') depth++
    if (kind === 'symbol' && value === ')') depth--
    if (kind === 'end' || (kind === 'word' && depth === 0 && ENDINGS.has(value))) return text
    selects ||= kind === 'word' && depth === 0 && value === 'select'
  }
  // On a new line, because the statement may end with a comment.
  return selects && depth === 0 ? `${text}\nlimit ${rows}` : text
}

/**
 * Runs a statement with a LIMIT, or without one if that causes an error: errors must be about the statement as its
 * author wrote it.
 *
 * @param sql the statement as it is sent
 */
export async function runLimited<T>(
  statement: Statement,
  rows: number,
  sql: string,
  run: (sql: string) => Promise<T>,
): Promise<T> {
  const few = limited(statement, rows, sql)
  return run(few).catch((error) => {
    if (few === sql || !(error instanceof DatabaseError) || error.kind !== 'sql') throw error
    return run(sql)
  })
}

/** First words of a LIMIT, or of clauses that must come after one. */
const ENDINGS = new Set(['limit', 'fetch', 'offset', 'for', 'lock', 'into', 'procedure'])

import { lex, type Token, Unreadable } from '../guard/lexer.ts'
import { rules } from './rules.ts'

/**
 * A statement that ends with a LIMIT, so that no server gathers or sorts rows that nobody reads; as
 * it is where it ends otherwise, or where it cannot be told how.
 *
 * `sql_select_limit` is not for that: it holds inside stored functions as well, and with Vitess in
 * every subquery, and so changes what a statement computes.
 */
export function limited(sql: string, rows: number): string {
  let depth = 0
  let selects = false
  for (const { kind, value } of tokensOf(sql)) {
    if (kind === 'symbol' && value === '(') depth++
    if (kind === 'symbol' && value === ')') depth--
    if (kind === 'end' || (kind === 'word' && depth === 0 && ENDINGS.has(value))) return sql
    selects ||= kind === 'word' && depth === 0 && value === 'select'
  }
  // In a line of its own: a comment may be the last of it.
  return selects && depth === 0 ? `${sql}\nlimit ${rows}` : sql
}

/** None of what cannot be taken apart: a driver may be asked without the guard. */
function tokensOf(sql: string): readonly Token[] {
  try {
    return lex(sql, rules.lexis)
  } catch (error) {
    if (error instanceof Unreadable) return []
    throw error
  }
}

/** What only a LIMIT of its own would stand before, or what may be one. */
const ENDINGS = new Set(['limit', 'fetch', 'offset', 'for', 'lock', 'into', 'procedure'])

import { read } from '../guard/reading.ts'
import type { Token } from '../guard/token.ts'
import type { Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * Rewrites a query so that it returns its column names without rows. In a subquery, the names would change: an `id`
 * that was written as ROWID would be `ROWID`, and a second `id` would be `id:1`.
 */
export function heading(statement: Statement): string {
  const { sql, params = [] } = statement
  const words = outerWords(statement)
  const until = (...ends: string[]) =>
    sql.slice(0, words.find(({ value }) => ends.includes(value))?.start)
  // A LIMIT that was cut off could have contained the last placeholder.
  const none = `\nlimit ${params.length > 0 ? `iif(?${params.length} is null, 0, 0)` : 0}`
  const parts = words.filter(({ value }) => value === 'select' || value === 'values')
  if (parts.at(-1)?.value === 'select') return until('limit') + none
  // VALUES cannot have a LIMIT or an ORDER BY. In that case, only the first part of the query names the columns.
  const first = until('union', 'intersect', 'except')
  return parts[0]?.value === 'select' ? first + none : `select * from (${first}\n)${none}`
}

/** The bare words outside all parentheses. Empty if the statement cannot be tokenized. */
function outerWords(statement: Statement): readonly Token[] {
  let depth = 0
  return read(statement, rules).tokens.filter(({ kind, value }) => {
    if (kind === 'symbol') depth += value === '(' ? 1 : value === ')' ? -1 : 0
    return kind === 'word' && depth === 0
  })
}

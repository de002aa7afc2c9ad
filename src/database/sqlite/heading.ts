import { read } from '../guard/reading.ts'
import type { Token } from '../guard/token.ts'
import type { Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * The same query without its rows, which tells the names of its columns. In a subquery these would
 * change: an `id` that was written ROWID would be `ROWID`, and a second `id` would be `id:1`.
 */
export function heading(statement: Statement): string {
  const { sql, params = [] } = statement
  const words = outerWords(statement)
  const until = (...ends: string[]) =>
    sql.slice(0, words.find(({ value }) => ends.includes(value))?.start)
  // A LIMIT that was cut off may have had the last placeholder.
  const none = `\nlimit ${params.length > 0 ? `iif(?${params.length} is null, 0, 0)` : 0}`
  const parts = words.filter(({ value }) => value === 'select' || value === 'values')
  if (parts.at(-1)?.value === 'select') return until('limit') + none
  // VALUES takes neither LIMIT nor ORDER BY. Then the first part of the query alone names the columns.
  const first = until('union', 'intersect', 'except')
  return parts[0]?.value === 'select' ? first + none : `select * from (${first}\n)${none}`
}

/** The bare words outside of all parentheses; none, if the text cannot be taken apart. */
function outerWords(statement: Statement): readonly Token[] {
  let depth = 0
  return read(statement, rules).tokens.filter(({ kind, value }) => {
    if (kind === 'symbol') depth += value === '(' ? 1 : value === ')' ? -1 : 0
    return kind === 'word' && depth === 0
  })
}

import type { Token } from '../guard/lexer.ts'
import { read } from '../guard/reading.ts'
import type { Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * The same query without its rows: its columns have the names that those of the query have. In a
 * subquery they would have others: `ROWID` for `id`, and `id:1` for a second `id`.
 */
export function heading(statement: Statement): string {
  const { sql, params = [] } = statement
  const words = outerWords(statement)
  const until = (...ends: string[]) =>
    sql.slice(0, words.find(({ value }) => ends.includes(value))?.start)
  // What was cut off may have had a placeholder.
  const none = `\nlimit ${params.length > 0 ? `iif(?${params.length} is null, 0, 0)` : 0}`
  const parts = words.filter(({ value }) => value === 'select' || value === 'values')
  if (parts.at(-1)?.value === 'select') return until('limit') + none
  // VALUES takes no LIMIT. Behind it there is no ORDER BY either: the first part tells all names.
  const first = until('union', 'intersect', 'except')
  return parts[0]?.value === 'select' ? first + none : `select * from (${first}\n)${none}`
}

/** The bare words that stand in no parentheses; none, where the text cannot be taken apart. */
function outerWords(statement: Statement): readonly Token[] {
  let depth = 0
  return read(statement, rules).tokens.filter(({ kind, value }) => {
    if (kind === 'symbol') depth += value === '(' ? 1 : value === ')' ? -1 : 0
    return kind === 'word' && depth === 0
  })
}

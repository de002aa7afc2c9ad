import { lex, type Token, Unreadable } from '../guard/lexer.ts'
import { rules } from './rules.ts'

/**
 * The same query without its rows: its columns have the names that those of the query have. In a
 * subquery they would have others: `ROWID` for `id`, and `id:1` for a second `id`.
 *
 * @param parameters how many the query takes
 */
export function heading(sql: string, parameters: number): string {
  const words = outerWords(sql)
  const until = (...ends: string[]) =>
    sql.slice(0, words?.find(({ value }) => ends.includes(value))?.start)
  // What was cut off may have had a placeholder.
  const none = `\nlimit ${parameters > 0 ? `iif(?${parameters} is null, 0, 0)` : 0}`
  const parts = words?.filter(({ value }) => value === 'select' || value === 'values')
  if (parts?.at(-1)?.value === 'select') return until('limit') + none
  // VALUES takes no LIMIT. Behind it there is no ORDER BY either: the first part tells all names.
  const first = until('union', 'intersect', 'except')
  return parts?.[0]?.value === 'select' ? first + none : `select * from (${first}\n)${none}`
}

/** The bare words that stand in no parentheses; nothing, for a text that the guard refuses. */
function outerWords(sql: string): readonly Token[] | undefined {
  let depth = 0
  try {
    return lex(sql, rules.lexis).filter(({ kind, value }) => {
      if (kind === 'symbol') depth += value === '(' ? 1 : value === ')' ? -1 : 0
      return kind === 'word' && depth === 0
    })
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined
    throw thrown
  }
}

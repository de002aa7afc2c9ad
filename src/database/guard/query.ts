import type { Labels } from './labels.ts'
import { isOne, type Token } from './token.ts'

/** The first words of queries, in all dialects. */
export const QUERY_WORDS = new Set(['select', 'with', 'values', 'table'])

/** True if this word begins a query. In `BY values`, `1 AS select` and `x.select` it is a name. */
export function beginsQuery(tokens: readonly Token[], i: number, labels: Labels): boolean {
  const token = tokens[i]
  // In quotes, each of these words can be the name of a column.
  if (token?.kind !== 'word' || labels.has(i)) return false
  const { value } = token
  if (value === 'values') return isOne(tokens[i + 1], '(', 'row') && !namesExpression(tokens, i)
  return QUERY_WORDS.has(value) && !isOne(tokens[i + 1], 'as')
}

/** True if a word is in the position of a table expression's name: `WITH update AS (…), values (a) AS (…)`. */
export const namesExpression = (tokens: readonly Token[], i: number): boolean =>
  isOne(tokens[i - 1], 'with', ',') ||
  (isOne(tokens[i - 1], 'recursive') && isOne(tokens[i - 2], 'with'))

import { isOne, type Token } from './token.ts'

/** The first words of queries, in all dialects. */
export const QUERY_WORDS = new Set(['select', 'with', 'values', 'table'])

/** Whether this word begins a query. In `BY values` and `1 AS select` it is a name. */
export function beginsQuery(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i]
  // In quotes, each of these words may be the name of a column.
  if (token?.kind !== 'word') return false
  const { value } = token
  if (value === 'values') return isOne(tokens[i + 1], '(', 'row')
  return QUERY_WORDS.has(value) && !isOne(tokens[i - 1], 'as') && !isOne(tokens[i + 1], 'as')
}

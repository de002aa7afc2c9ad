const BLANK = String.raw`(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)`
const EXPLAIN = new RegExp(`^${BLANK}*explain${BLANK}+(?:(query)${BLANK}+plan${BLANK}+)?`, 'i')

/** Matches a pragma. Some pragmas run as soon as they are prepared, so describing them is enough to run them. */
export const PRAGMA = new RegExp(`^${BLANK}*pragma\\b`, 'i')

/** Splits a statement into its EXPLAIN, if it has one, and the query to explain. */
export function withoutExplain(sql: string): [explain: string, query: string] {
  const [words, plan] = EXPLAIN.exec(sql) ?? []
  if (words === undefined) return ['', sql]
  return [plan ? 'explain query plan ' : 'explain ', sql.slice(words.length)]
}

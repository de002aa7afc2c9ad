const BLANK = String.raw`(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)`
const EXPLAIN = new RegExp(`^${BLANK}*explain${BLANK}+(?:(query)${BLANK}+plan${BLANK}+)?`, 'i')

/** Some pragmas act when they are prepared, and so as soon as they are described. */
export const PRAGMA = new RegExp(`^${BLANK}*pragma\\b`, 'i')

/** A statement in two: the EXPLAIN before it, if there is one, and what is to be explained. */
export function withoutExplain(sql: string): [explain: string, query: string] {
  const [words, plan] = EXPLAIN.exec(sql) ?? []
  if (words === undefined) return ['', sql]
  return [plan ? 'explain query plan ' : 'explain ', sql.slice(words.length)]
}

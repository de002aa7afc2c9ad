import type { Dialect } from '../dialect.ts'
import type { Statement } from '../rows.ts'
import type { Table } from '../schema/table.ts'

/** Maximum number of search words that are used. More words would only find fewer rows. */
const MAX_WORDS = 8

/** Builds the search for rows whose columns contain every word, in any case. Names come from the catalog. */
export function textSearch(
  dialect: Dialect,
  table: Table,
  { text, shown, query, limit }: Search,
): Statement {
  const { quote, qualified, page, comparison } = dialect
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS)
  const found = words.map((_, i) => {
    const holding = text.map((column) => comparison.contains(quote(column), `$${i + 1}`))
    return `(${holding.join(' or ')})`
  })
  const sql = [
    `select ${shown.map((column) => quote(column)).join(', ')}`,
    `from ${qualified(table)}`,
    found.length > 0 && `where ${found.join(' and ')}`,
    page(`${Math.trunc(limit)}`),
  ]
  const read = { schema: table.schema, name: table.name, columns: [...shown, ...text] }
  return {
    sql: sql.filter(Boolean).join('\n'),
    params: words,
    isBuilt: true,
    ...(dialect.hidesColumns && { reads: read }),
  }
}

interface Search {
  /** Columns to search. */
  readonly text: readonly string[]
  readonly shown: readonly string[]
  readonly query: string
  readonly limit: number
}

import { doubleQuoted } from '../dialect.ts'
import type { Token } from '../guard/token.ts'
import { lexSql } from './lexed-sql.ts'

/** How many rows and values the tables of a database have. It never changes, so each count runs once. */
export class Counts {
  /** The names of all tables, in lower case. */
  readonly tables: ReadonlySet<string>
  /** The tokens of all views: the plan of a query names what is inside the views it reads. */
  readonly views: readonly Token[]
  readonly #sql: SqlStorage
  /** What was counted, by the statement that counts it. */
  readonly #counted = new Map<string, number>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const schema = `select iif(type = 'table', lower(name), null), iif(type = 'view', sql, null)
      from sqlite_schema where name not like '\\_%' escape '\\'`
    const rows = [...sql.exec(schema).raw<(string | null)[]>()]
    this.tables = new Set(['sqlite_schema', ...rows.flatMap(([table]) => table ?? [])])
    const views = rows.flatMap(([, view]) => view ?? [])
    this.views = lexSql([';', ...views].join('\n;')).tokens
  }

  /** The rows of a table. */
  rows(table: string): number {
    return this.#count(`select count(*) n from ${doubleQuoted(table)}`)
  }

  /** How many rows have the same value of a column as an average row; all, if there is no such column. */
  rowsSharing(table: string, column: string): number {
    const it = doubleQuoted(column)
    // The count has no name here: a column of that name would be taken for it.
    const groups = `select count(*) from ${doubleQuoted(table)} where ${it} is not null group by ${it}`
    return this.#count(
      `with g (n) as (${groups}) select coalesce(sum(n * n) * 1.0 / sum(n), 0) n from g`,
    )
  }

  /** How many values a column has, in the table where it has most; one, if no table has it. */
  valuesOf(column: string): number {
    return Math.max(
      ...[...this.tables].map((it) => this.rows(it) / Math.max(1, this.rowsSharing(it, column))),
    )
  }

  /** The rows of the largest table. */
  get mostRows(): number {
    return Math.max(...[...this.tables].map((it) => this.rows(it)))
  }

  #count(statement: string): number {
    const count = this.#counted.get(statement) ?? this.#sql.exec<{ n: number }>(statement).one().n
    this.#counted.set(statement, count)
    return count
  }
}

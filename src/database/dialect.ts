import type { InspectRole } from './role.ts'
import type { Cell, Param, Rows, Statement } from './rows.ts'
import type { Rules } from './rules.ts'

/** A flavour of SQL: how it is read, how it quotes, and how a database is asked about itself. */
export interface Dialect {
  /** As in a URL or a log: `postgres`, `sqlite`. */
  readonly name: string
  /** As people write it: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** The schema whose tables are named without it. */
  readonly schema: string
  /** How the guard reads this dialect, and what it lets through. */
  readonly rules: Rules
  /** Quotes an identifier that the catalog has named. */
  quote(identifier: string): string
  /** The name of a table as FROM takes it, quoted. */
  qualified(table: TableName): string
  /** The clause that ends a SELECT after so many rows, and begins it behind so many. */
  page(limit: string, offset?: string): string
  /** How many parameters a statement takes; {@link MAX_PARAMS} if left out. */
  readonly maxParams?: number | undefined
  /** What the catalog calls a type of an answer, where it has other words for it. */
  inWords?(type: string): string
  /** The placeholder of the n-th parameter, counted from 1; of this column type, if one is given. */
  placeholder(n: number, type?: string): string
  readonly comparison: Comparison
  /** How its own operators and aggregates are called where others may have made some of that name. */
  readonly calls?: Calls | undefined
  readonly catalog: Catalog
  readonly plan: Plan
  /** What the role of such a database may do besides reading. */
  readonly inspectRole: InspectRole
  readonly unknown: Unknown
}

/** As many parameters as SQLite on Cloudflare takes. Other engines take more. */
export const MAX_PARAMS = 100

/**
 * How an engine words it that a table or a column is not there, or that several tables have a column;
 * the first group is its name.
 */
export interface Unknown {
  readonly table: RegExp
  readonly column: RegExp
  readonly ambiguous: RegExp
}

/** How a dialect tells how it would run a statement. */
export interface Plan {
  /** The statement that tells how this one would run, and does not run it; it ends with its text. */
  of(sql: string): string
  read(rows: Rows): { readonly summary: readonly string[]; readonly plan: Cell }
}

/** How a dialect compares a column, already quoted, with a bound value. */
export interface Comparison {
  /** The column in a form that can be compared and is compared by value. */
  comparable(column: string, type: string): string
  /** The value in the form in which a column of this type compares with it. */
  bound(value: Param, type: string): Param
  like(column: string, placeholder: string): string
  /** Whether the column's text holds the bound one, in any case, `%` and `_` being themselves. */
  contains(column: string, placeholder: string): string
}

/** An operator, or an aggregate of a column; of a type whose operators are in a schema of their own. */
export interface Calls {
  operator(sign: string, operators: string | undefined): string
  aggregate(name: string, column: string, operators: string | undefined): string
}

/**
 * The statements by which a dialect lists and describes what the role may read, and nothing of the
 * system's own. `catalog.ts` says which columns each returns.
 */
export interface Catalog {
  tables(page: Page): Statement
  /** The tables a name may mean, written as `table` or `schema.table`, in whatever case. */
  find(name: string): Statement
  /** Tables whose names look like this one, for a hint. */
  near(name: string): Statement
  /** The columns of some tables, of each in their order, behind its schema and name. */
  columns(tables: readonly TableName[]): Statement
  keys(table: TableName): Statement
  indexes(table: TableName): Statement
  /** Which tables of these names show this role only some of their rows, where a dialect has that. */
  secured?(names: readonly string[]): Statement
  /** The columns of all tables, each with the column it refers to, if it refers to one. */
  overview(): Statement
  /** Rows that stay equal, in whatever order, as long as no table, column, comment or key changes. */
  fingerprint(): Statement
}

/** A stretch of the list of tables. */
export interface Page {
  /** Part of a table's name, of a column's name or of a comment, in whatever case. */
  readonly search?: string | undefined
  /** Searches names of tables alone, with their schemas where there are several. */
  readonly names?: boolean | undefined
  readonly limit: number
  readonly offset?: number | undefined
}

/** Where a table is. A database without schemas calls its only one by a name of its own. */
export interface TableName {
  readonly schema: string
  readonly name: string
}

/** How most dialects take a page: `limit 10 offset 20`. */
export const limitOffset: Dialect['page'] = (limit, offset) =>
  offset === undefined ? `limit ${limit}` : `limit ${limit}\noffset ${offset}`

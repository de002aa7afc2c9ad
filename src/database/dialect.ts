import type { InspectRole } from './role.ts'
import type { Answer, Cell, Param, Rows, Statement } from './rows.ts'
import type { Rules } from './rules.ts'

/** An SQL dialect: its lexical rules, its quoting, and its questions about tables and roles. */
export interface Dialect {
  /** The name in URLs and logs: `postgres`, `sqlite`. */
  readonly name: string
  /** The usual written name: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** The default schema. Its tables are shown without the schema's name. */
  readonly schema: string
  /** The guard's rules for reading this dialect and for the statements it allows. */
  readonly rules: Rules
  /** Quotes an identifier from the catalog. */
  quote(identifier: string): string
  /** The table's quoted name, in the form that FROM accepts. */
  qualified(table: TableName): string
  /** The clause that limits a SELECT to a number of rows, optionally after skipping some. */
  page(limit: string, offset?: string): string
  /** True if the server's logs show the comments in a statement. */
  readonly logsComments?: boolean | undefined
  /** Removes secrets from a cell in the result of a SHOW statement. */
  readonly withoutSecrets?: ((cell: Cell) => Cell) | undefined
  /** Maximum number of parameters in a statement. Defaults to {@link MAX_PARAMS}. */
  readonly maxParams?: number | undefined
  /** Converts a type's name in a result to its name in the catalog, if they differ. */
  catalogTypeName?(type: string): string
  /** The placeholder for the n-th parameter, counted from 1. It can depend on a column type. */
  placeholder(n: number, type?: string): string
  readonly comparison: Comparison
  /** Qualified operators and aggregates, if users can create their own with the same names. */
  readonly qualifiedCalls?: QualifiedCalls | undefined
  readonly catalog: Catalog
  /** Left out if statements are not separate requests. */
  readonly joining?: Joining | undefined
  readonly plan: Plan
  /** Finds out what a database's role can do apart from reading. */
  readonly inspectRole: InspectRole
  /** Statements that an engine must refuse, on a table if one is known. If one ran, it would make no lasting change. */
  writes(table?: TableName): readonly string[]
  readonly errorPatterns: ErrorPatterns
  /** True if only some tables and columns are shown. Our statements then list their columns in `reads`. */
  readonly hidesColumns?: boolean | undefined
  /** True if callers cannot list the tables, so errors mention only tables that the caller mentioned. */
  readonly hidesTables?: boolean | undefined
  /** Asks the engine which tables a statement would read. Left out if the engine cannot report that. */
  readonly tablesRead?: TablesRead | undefined
}

/**
 * Asks an engine which tables a statement would read, without running it. Undefined if that is not certain.
 * If the statement mentions a table that is not readable, the result is undefined or the same error, whether or
 * not the table exists. Throws DatabaseError.
 *
 * @param isReadable Takes a table's name with its ASCII letters in lower case.
 */
export type TablesRead = (
  statement: Statement,
  ask: (statement: Statement) => Promise<Rows>,
  isReadable: (name: string) => boolean,
) => Promise<readonly TableName[] | undefined>

/** The parameter limit for SQLite on Cloudflare. Other engines allow more. */
export const MAX_PARAMS = 100

/** Match errors about an unknown table, an unknown column or an ambiguous column. The first group is its name. */
export interface ErrorPatterns {
  readonly table: RegExp
  readonly column: RegExp
  readonly ambiguous: RegExp
}

/** A dialect's way to request and read a statement's plan. */
export interface Plan {
  /** The statement that plans this one without running it. It ends with this statement's text. */
  of(sql: string): string
  read(rows: Rows): { readonly summary: readonly string[]; readonly plan: Cell }
  /** Requests the engine's own estimate. Left out for engines that do not provide one. */
  readonly estimate?: EstimatedPlan | undefined
}

/** A dialect's way to request and read the engine's cost estimate for a statement. */
export interface EstimatedPlan {
  /** The statement that plans this one without running it. It ends with this statement's text. */
  of(sql: string): string
  read(answer: Answer): Estimate
  /** Advice for making a statement cheaper on this engine: "Filter on an indexed column." */
  readonly advice: string
}

/** The engine's estimate for a statement. Values that it does not report are left out. */
export interface Estimate {
  /** The cost, in the planner's unit. */
  readonly plan?: number | undefined
  /** The number of rows it reads. In PostgreSQL, the number it returns. */
  readonly rows?: number | undefined
}

/** A dialect's way to compare a quoted column with a bound value. */
export interface Comparison {
  /** The column in a form that is compared by value. */
  comparable(column: string, type: string): string
  /** The value in a form that can be compared with a column of this type. */
  bound(value: Param, type: string): Param
  like(column: string, placeholder: string): string
  /** True if the column's text contains the bound text, in any case. `%` and `_` are not wildcards. */
  contains(column: string, placeholder: string): string
}

/** The SQL for operators and aggregates. `operators` is the schema that contains an extension's operators. */
export interface QualifiedCalls {
  operator(sign: string, operators: string | undefined): string
  aggregate(name: string, column: string, operators: string | undefined): string
}

/** Statements about tables that the role can read, except system tables. For rows, see `catalog-rows.ts`. */
export interface Catalog {
  tables(page: CatalogPage): Statement
  /** The tables that a name can refer to, written as `table` or `schema.table`, in any case. */
  find(name: string): Statement
  /** Tables with names similar to this one, for a hint. */
  near(name: string): Statement
  /** The columns of some tables, in their order. A row starts with the table's schema and name. */
  columns(tables: readonly TableName[]): Statement
  keys(table: TableName): Statement
  indexes(table: TableName): Statement
  /** The tables in this list whose rows are only partly visible to the role. Left out if that is unknown. */
  secured?(names: readonly string[]): Statement
  /** The columns of all tables, each with the column it references, if any. */
  overview(): Statement
  /** Rows that stay the same, apart from their order, until a table, column, comment or key changes. */
  fingerprint(): Statement
}

/** A dialect's way to ask the catalog several questions in one statement. */
export interface Joining {
  /** The statement that asks these questions, each for at most this many rows. Each question has a shape. */
  of(questions: readonly Statement[], maxRows: number): Statement
  /** The rows for each question, taken from that statement's rows. */
  read(rows: Rows['rows'], count: number): readonly Rows['rows'][]
}

/** A page of the list of tables. */
export interface CatalogPage {
  /** Part of a table name, a column name or a comment, in any case. */
  readonly search?: string | undefined
  /** Searches only table names, with their schemas if there are several. */
  readonly names?: boolean | undefined
  readonly limit: number
  readonly offset?: number | undefined
}

/** A table's schema and name. In a database without schemas, the schema has a fixed name. */
export interface TableName {
  readonly schema: string
  readonly name: string
}

/** The page clause of most dialects: `limit 10 offset 20`. */
export const limitOffset: Dialect['page'] = (limit, offset) =>
  offset === undefined ? `limit ${limit}` : `limit ${limit}\noffset ${offset}`

/** Quotes an identifier as in the SQL standard: `"x"`. */
export const doubleQuoted: Dialect['quote'] = (identifier) =>
  `"${identifier.replaceAll('"', '""')}"`

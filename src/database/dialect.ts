import type { InspectRole } from './role.ts'
import type { Answer, Cell, Param, Rows, Statement } from './rows.ts'
import type { Rules } from './rules.ts'

/** A dialect of SQL: how it is read, how it quotes, and how to ask a database about its tables and roles. */
export interface Dialect {
  /** As in a URL or a log: `postgres`, `sqlite`. */
  readonly name: string
  /** As people write it: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** The default schema. Its tables are shown without it. */
  readonly schema: string
  /** How the guard reads this dialect, and what it lets through. */
  readonly rules: Rules
  /** Quotes an identifier that the catalog has named. */
  quote(identifier: string): string
  /** The name of a table as FROM takes it, quoted. */
  qualified(table: TableName): string
  /** The clause that limits a SELECT to a number of rows, after skipping some. */
  page(limit: string, offset?: string): string
  /** Whether the logs of a server show the comments in a statement. */
  readonly logsComments?: boolean | undefined
  /** How many parameters a statement takes; {@link MAX_PARAMS} if left out. */
  readonly maxParams?: number | undefined
  /** The catalog's name for a type of an answer, where it has another one. */
  catalogTypeName?(type: string): string
  /** The placeholder of the n-th parameter, counted from 1; of this column type, if one is given. */
  placeholder(n: number, type?: string): string
  readonly comparison: Comparison
  /** How the system's operators and aggregates are called where users can make others of the same name. */
  readonly qualifiedCalls?: QualifiedCalls | undefined
  readonly catalog: Catalog
  /** Left out where a statement costs no request. */
  readonly joining?: Joining | undefined
  readonly plan: Plan
  /** Finds out what the role of a database may do besides reading. */
  readonly inspectRole: InspectRole
  /**
   * Statements that an engine has to refuse, of a table that there is, if one is known. If they ran, they
   * would change nothing that stays.
   */
  writes(table?: TableName): readonly string[]
  readonly errorPatterns: ErrorPatterns
  /**
   * Whether a database shows only some of its tables and columns. Then a statement of ours names every
   * column that it reads, and says so in `reads`.
   */
  readonly hidesColumns?: boolean | undefined
  /**
   * Which tables a statement would read, as the engine itself tells before it runs; undefined where that
   * is not certain. Left out for engines that do not tell.
   */
  readonly tablesRead?: TablesRead | undefined
}

/**
 * Asks an engine which tables a statement would read, without running it. Also undefined, or the same error,
 * if the statement names a table that is not readable, be there one or not. Throws DatabaseError.
 *
 * @param isReadable Gets the name of a table with its ASCII letters in lower case.
 */
export type TablesRead = (
  statement: Statement,
  ask: (statement: Statement) => Promise<Rows>,
  isReadable: (name: string) => boolean,
) => Promise<readonly TableName[] | undefined>

/** As many parameters as SQLite on Cloudflare takes. Other engines take more. */
export const MAX_PARAMS = 100

/**
 * How an engine says that a table or a column does not exist, or that several tables have the column.
 * The first group is its name.
 */
export interface ErrorPatterns {
  readonly table: RegExp
  readonly column: RegExp
  readonly ambiguous: RegExp
}

/** How a dialect asks for the plan of a statement, and reads it. */
export interface Plan {
  /** The statement that plans this one without running it. It ends with the text of this one. */
  of(sql: string): string
  read(rows: Rows): { readonly summary: readonly string[]; readonly plan: Cell }
  /** How the engine's own estimate is asked for. Left out for engines that have none. */
  readonly estimate?: EstimatedPlan | undefined
}

/** How a dialect asks what the engine expects of a statement, and reads it. */
export interface EstimatedPlan {
  /** The statement that plans this one without running it. It ends with the text of this one. */
  of(sql: string): string
  read(answer: Answer): Estimate
  /** What makes a statement cheaper there: "Filter on an indexed column." */
  readonly advice: string
}

/** What an engine expects of a statement. What it does not say is left out. */
export interface Estimate {
  /** What it costs, in the unit of the planner. */
  readonly plan?: number | undefined
  /** How many rows it goes through. PostgreSQL: how many it returns. */
  readonly rows?: number | undefined
}

/** How a dialect compares a column, already quoted, with a bound value. */
export interface Comparison {
  /** The column in a form that can be compared and is compared by value. */
  comparable(column: string, type: string): string
  /** The value in the form in which it compares with a column of this type. */
  bound(value: Param, type: string): Param
  like(column: string, placeholder: string): string
  /** Whether the column's text contains the bound one, in any case. `%` and `_` are no wildcards. */
  contains(column: string, placeholder: string): string
}

/** How operators and aggregates are written. `operators` is the schema of those of an extension. */
export interface QualifiedCalls {
  operator(sign: string, operators: string | undefined): string
  aggregate(name: string, column: string, operators: string | undefined): string
}

/**
 * The statements by which a dialect lists and describes the tables that the role may read, without the
 * system's own. `catalog.ts` says which columns each returns.
 */
export interface Catalog {
  tables(page: Page): Statement
  /** The tables a name may mean, written as `table` or `schema.table`, in any case. */
  find(name: string): Statement
  /** Tables whose names look like this one, for a hint. */
  near(name: string): Statement
  /** The columns of some tables, in their order. A row begins with schema and name of the table. */
  columns(tables: readonly TableName[]): Statement
  keys(table: TableName): Statement
  indexes(table: TableName): Statement
  /** Which of these tables show the role only some of their rows, where a dialect has that. */
  secured?(names: readonly string[]): Statement
  /** The columns of all tables, each with the column it refers to, if it refers to one. */
  overview(): Statement
  /** Rows that stay the same, in any order, as long as no table, column, comment or key changes. */
  fingerprint(): Statement
}

/** How a dialect asks several questions to the catalog in one statement. */
export interface Joining {
  /** The statement that asks them, each for no more rows than these. Each has a shape. */
  of(questions: readonly Statement[], maxRows: number): Statement
  /** The rows of each of so many questions, from the rows of that statement. */
  read(rows: Rows['rows'], count: number): readonly Rows['rows'][]
}

/** A page of the list of tables. */
export interface Page {
  /** Part of a table's name, of a column's name or of a comment, in any case. */
  readonly search?: string | undefined
  /** Searches only names of tables, with their schemas where there are several. */
  readonly names?: boolean | undefined
  readonly limit: number
  readonly offset?: number | undefined
}

/** The schema and the name of a table. A database without schemas has one of a fixed name. */
export interface TableName {
  readonly schema: string
  readonly name: string
}

/** How most dialects take a page: `limit 10 offset 20`. */
export const limitOffset: Dialect['page'] = (limit, offset) =>
  offset === undefined ? `limit ${limit}` : `limit ${limit}\noffset ${offset}`

/** Quotes an identifier as the SQL standard has it: `"x"`. */
export const doubleQuoted: Dialect['quote'] = (identifier) =>
  `"${identifier.replaceAll('"', '""')}"`

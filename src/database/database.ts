import type { Rules } from './guard/guard.ts'

/** A value bound to a placeholder. Big integers and decimals travel as strings. */
export type Param = null | boolean | number | string

/** One value of a row: a JSON number only where nothing is lost, else a string. */
export type Cell =
  | null
  | boolean
  | number
  | string
  | readonly Cell[]
  | { readonly [key: string]: Cell }

export interface Column {
  readonly name: string
  /** The database's own name for the type: `int8`, `timestamptz`, `decimal(12,2)`. */
  readonly type: string
}

/** What a statement returned. Rows are arrays, so that two columns of one name both survive. */
export interface Rows {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** What a clause such as WITH TOTALS adds below the rows, and is none of them. */
  readonly totals?: readonly Cell[] | undefined
  /** Which cap cut the answer short, if one did. */
  readonly truncated: false | 'rows' | 'bytes'
  readonly elapsedMs: number
}

/** SQL text and the values of its placeholders, in order. */
export interface Statement {
  readonly sql: string
  readonly params?: readonly Param[] | undefined
  /**
   * Written here, about the catalog alone: its functions, operators and types are the system's,
   * whatever of that name somebody has put into the schemas that the role looks into first.
   */
  readonly own?: boolean | undefined
}

/** The bounds of one query. It has all of them: none is optional, and none comes from a model. */
export interface Limits {
  readonly maxRows: number
  /** Bytes of the rows as JSON. Only whole rows are left out. */
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
}

/** One open database, whatever carries the statements to it. */
export interface Database {
  readonly dialect: Dialect
  /** Whether the way there is encrypted, where that is known. */
  readonly tls?: boolean | undefined
  /** Whether every transaction is taken back in the end, with whatever it may have changed. */
  readonly undone?: boolean | undefined
  /** Runs one statement that only reads. Throws {@link DatabaseError}. */
  query(statement: Statement, limits: Limits): Promise<Rows>
}

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
  /** What the catalog calls a type of an answer, where it has other words for it. */
  inWords?(type: string): string
  /** The placeholder of the n-th parameter, counted from 1; of this column type, if one is given. */
  placeholder(n: number, type?: string): string
  readonly comparison: Comparison
  /** How its own operators and aggregates are called where others may have made some of that name. */
  readonly calls?: Calls | undefined
  readonly catalog: Catalog
  readonly plan: Plan
  readonly unknown: Unknown
}

/** How an engine words it that a table or a column is not there; the first group is its name. */
export interface Unknown {
  readonly table: RegExp
  readonly column: RegExp
}

/** How a dialect tells how it would run a statement. */
export interface Plan {
  /** What makes a statement one that is planned and not run. */
  readonly prefix: string
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

/** A way to reach a database: which URLs it opens, and what it takes to send a statement there. */
export interface Driver {
  readonly name: string
  opens(url: URL): boolean
  /**
   * Opens it without going there. What it returns may count on one statement that the guard has let
   * through, without a semicolon, and must still let the engine refuse whatever writes.
   */
  open(url: URL, io: Io): Database
}

/** All that drivers touch of the outside world. */
export interface Io {
  readonly fetch: typeof fetch
  /** Bindings of the Worker, for databases that are one. */
  readonly bindings: Readonly<Record<string, unknown>>
}

/**
 * Why a query has no answer. `refused`: the guard, the engine or the role does not let it run;
 * `sql`: the statement is wrong; `timeout`, `too_large`: a cap; `auth`, `network`: for the operator
 * to mend; `config`: this deployment names a database it cannot open.
 */
export type Failure = 'refused' | 'sql' | 'timeout' | 'too_large' | 'auth' | 'network' | 'config'

/** Characters of a message: no engine needs as many for what it has to say. */
const LONGEST = 2_000

/** What the database, or the way to it, said no to. Its message is fit for the model to read. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly kind: Failure
  /** SQLSTATE or the vendor's code. */
  readonly code: string | undefined
  readonly hint: string | undefined
  /** Characters from the start of the statement, counted from 1. */
  readonly position: number | undefined

  constructor(
    kind: Failure,
    message: string,
    details: {
      code?: string | undefined
      hint?: string | undefined
      position?: number | undefined
    } = {},
  ) {
    // Engines repeat what a caller sent, and whoever reads this looks for words in it.
    super(message.slice(0, LONGEST).toWellFormed())
    this.kind = kind
    this.code = details.code
    this.hint = details.hint
    this.position = details.position
  }

  /** The same error at another place, or at none: what was sent was not what its author wrote. */
  at(position: number | undefined): DatabaseError {
    const { kind, message, code, hint } = this
    return new DatabaseError(kind, message, { code, hint, position })
  }
}

import type { Dialect, TableName } from './dialect.ts'
import type { Machine } from './machine.ts'
import type { Answer, Identity, QueryContext, Rows, Statement, TimeLimits } from './rows.ts'

/** One open database with the guard in front of it. */
export interface Database extends UnguardedDatabase {
  /** Sends our own write statements past the guard, so that only the engine can refuse them. */
  tryWrite?(table: TableName | undefined, limits: TimeLimits): Promise<readonly WriteTrial[]>
  /** Runs one statement that only reads. Throws {@link DatabaseError}. */
  query(statement: Statement, limits: QueryContext): Promise<Rows>
}

/** The outcome of a statement that writes. */
export interface WriteTrial {
  readonly statement: string
  /** Undefined if the database did not answer. */
  readonly refused: boolean | undefined
  /** The error message, if the statement did not run. */
  readonly said?: string | undefined
}

/** A database as its driver opens it, without the guard in front. */
export interface UnguardedDatabase {
  readonly dialect: Dialect
  /** True if the connection is encrypted; undefined if that is not known. */
  readonly tls?: boolean | undefined
  /** True if every transaction is rolled back at its end, with any change it made. */
  readonly rollsBack?: boolean | undefined
  /** Describes the way the engine is made to refuse writes. It follows the words "Statements run". */
  readonly refusesBy?: string | undefined
  /** The parts of an identity that its queries apply. A query with any other part is refused. */
  readonly applies?: readonly (keyof Identity)[] | undefined
  /** True if its queries run the gate in their limits themselves, because that is cheaper than two queries. */
  readonly asksGates?: boolean | undefined
  /** Runs one statement that only reads. Throws {@link DatabaseError}. */
  query(statement: Statement, limits: QueryContext): Promise<Answer>
}

/** A way to reach a database: the URLs it opens, and the code that sends statements there. */
export interface Driver {
  readonly name: string
  opens(url: URL): boolean
  /**
   * Opens a database without connecting. Its queries get one statement that passed the guard, without a
   * semicolon. They must still make the engine refuse all writes.
   */
  open(url: URL, io: Io): UnguardedDatabase
  /** Opens a database on a machine, with its environment variables and files. If left out, `open` is used. */
  openOn?(machine: Machine, url: URL, io: Io): Promise<UnguardedDatabase>
}

/** The outside world as drivers see it. */
export interface Io {
  readonly fetch: typeof fetch
  /** The Worker's bindings. Some databases are bindings. */
  readonly bindings: Readonly<Record<string, unknown>>
  /** Lets work continue after the answer. Without it, an answer waits until its session has ended. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
  /** The operator's machine, if this runs on one. */
  readonly machine?: Machine | undefined
}

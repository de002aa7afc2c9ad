import type { Dialect, Estimate, TableName } from './dialect.ts'
import type { Machine } from './machine.ts'
import type { Answer, Identity, Limits, Rows, Statement, TimeLimits } from './rows.ts'

/** One open database, behind the guard. */
export interface Database extends UnguardedDatabase {
  /**
   * Sends statements of our own that write, with the guard passed by, so that the engine alone can refuse
   * them. Left out where there is no engine behind.
   */
  tryWrite?(table: TableName | undefined, limits: TimeLimits): Promise<readonly WriteTrial[]>
  /** Runs one statement that only reads. Throws {@link DatabaseError}. */
  query(statement: Statement, limits: Limits): Promise<Rows>
}

/** What became of a statement that writes. */
export interface WriteTrial {
  readonly statement: string
  /** Undefined if the database did not answer. */
  readonly refused: boolean | undefined
  /** What was said, if it was not run. */
  readonly said?: string | undefined
}

/** A database as its driver opens it, without the guard in front. */
export interface UnguardedDatabase {
  readonly dialect: Dialect
  /** Whether the connection is encrypted, where that is known. */
  readonly tls?: boolean | undefined
  /** Whether every transaction is rolled back in the end, with all that it may have changed. */
  readonly rollsBack?: boolean | undefined
  /** How the engine is made to refuse writes, after "statements run". */
  readonly refusesBy?: string | undefined
  /** What of an identity its queries apply. A query with anything else is refused. */
  readonly applies?: readonly (keyof Identity)[] | undefined
  /** Whether its queries ask the gate of their limits, because that takes less than two queries. */
  readonly asksGates?: boolean | undefined
  /** Runs one statement that only reads. Throws {@link DatabaseError}. */
  query(statement: Statement, limits: Limits): Promise<Answer>
}

/** A way to reach a database: which URLs it opens, and how a statement is sent there. */
export interface Driver {
  readonly name: string
  opens(url: URL): boolean
  /**
   * Opens it without connecting. Its queries get one statement that the guard has let through, without
   * a semicolon. They must still have the engine refuse all writes.
   */
  open(url: URL, io: Io): UnguardedDatabase
  /** The same where there is a machine, by the variables and files that are there. Left out, it is as without. */
  openOn?(machine: Machine, url: URL, io: Io): Promise<UnguardedDatabase>
}

/** What drivers need from the outside world. */
export interface Io {
  readonly fetch: typeof fetch
  /** Bindings of the Worker. Some databases are bindings. */
  readonly bindings: Readonly<Record<string, unknown>>
  /** Lets work go on after the answer. Without it, an answer waits until its session has ended. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
  /** The machine of the operator, where this runs on one. */
  readonly machine?: Machine | undefined
}

/** A kind of database: what is known before its code is loaded, and how to load it. */
export interface Engine {
  /** As people write it: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** Whether its dialect has `tablesRead`. */
  readonly tellsTables?: boolean | undefined
  /** What of an estimate its plans tell, in all versions or in some. */
  readonly estimates?: readonly (keyof Estimate)[] | undefined
  /** What the URLs of its databases begin with, without the colon. */
  readonly schemes: readonly string[]
  /** Those of its URLs that hold no secret. BINDING stands for the name of a binding, PATH for a path. */
  readonly urlsWithoutSecret?: readonly string[] | undefined
  /** What of an identity its drivers can apply, all or some of them. */
  readonly applies?: readonly (keyof Identity)[] | undefined
  /** Reads its drivers. The first one that opens a URL is taken, and one of them opens each of its schemes. */
  read(): Promise<{ readonly drivers: readonly Driver[] }>
}

import type { Dialect } from './dialect.ts'
import type { Answer, Limits, Rows, Statement } from './rows.ts'

/** One open database, whatever carries the statements to it. */
export interface Database extends Opened {
  /** Runs one statement that only reads. Throws {@link DatabaseError}. */
  query(statement: Statement, limits: Limits): Promise<Rows>
}

/** A database as its driver opens it: nothing has looked at what it is asked. */
export interface Opened {
  readonly dialect: Dialect
  /** Whether the way there is encrypted, where that is known. */
  readonly tls?: boolean | undefined
  /** Whether every transaction is taken back in the end, with whatever it may have changed. */
  readonly undone?: boolean | undefined
  /** Runs one statement that only reads. Throws {@link DatabaseError}. */
  query(statement: Statement, limits: Limits): Promise<Answer>
}

/** A way to reach a database: which URLs it opens, and how a statement is sent there. */
export interface Driver {
  readonly name: string
  opens(url: URL): boolean
  /**
   * Opens it without going there. What it returns may count on one statement that the guard has let
   * through, without a semicolon, and must still let the engine refuse whatever writes.
   */
  open(url: URL, io: Io): Opened
}

/** All that drivers touch of the outside world. */
export interface Io {
  readonly fetch: typeof fetch
  /** Bindings of the Worker, for databases that are one. */
  readonly bindings: Readonly<Record<string, unknown>>
}

/** A kind of database: what is known of it before it is read, and where the rest of it is. */
export interface Engine {
  /** As people write it: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** What the URLs of its databases begin with, without the colon. */
  readonly schemes: readonly string[]
  /** Its URLs with nothing to hide, where BINDING stands for the name of one. */
  readonly open?: readonly string[] | undefined
  /** Reads its drivers. The first one that opens a URL is taken, and one of them opens each of its schemes. */
  read(): Promise<{ readonly drivers: readonly Driver[] }>
}

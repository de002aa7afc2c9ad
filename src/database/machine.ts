import type { Answer, QueryContext, Statement } from './rows.ts'

/** Cloudflare Workers; a machine, over HTTP; or a machine over stdio, without pages. */
export type Platform = 'worker' | 'node' | 'stdio'

/** The platform that this runs on: the machine's, if there is one. */
export const platformOf = (machine: Pick<Machine, 'platform'> | undefined): Platform =>
  machine ? (machine.platform ?? 'node') : 'worker'

/**
 * The features of an operator's own machine that a Worker lacks. With a machine, drivers can read the files
 * that a URL refers to, and keep connections from one call to the next.
 */
export interface Machine {
  /** The way Tidegate is served. Defaults to HTTP. */
  readonly platform?: Exclude<Platform, 'worker'> | undefined
  /** Environment variables: `PGPASSWORD`. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
  /** The name of this process's user, for a URL without a user. */
  readonly user: string
  /** Reads a small file that a URL refers to, such as a certificate. Throws a DatabaseError with the file's name. */
  readFile(path: string): Promise<string>
  /** Facts about a file before it is read; undefined if it does not exist. */
  look(path: string): Promise<FileState | undefined>
  /** Connects to a host through something other than the plain network: an SSH tunnel. */
  readonly dial?: ((host: string, port: number, signal: AbortSignal) => Promise<Stream>) | undefined
  /** Sends HTTP requests the same way. */
  readonly fetch?: typeof fetch | undefined
  /** Reports who signed a server's certificate, in a sentence without host names. Undefined if that is unknown. */
  readonly certificate?:
    | ((server: DatabaseServer, signal?: AbortSignal) => Promise<string | undefined>)
    | undefined
  /** Finds a SQLite file by its path. It is opened when it is first read. */
  readonly sqlite?: ((path: string) => SqliteFile) | undefined
  /** This machine for a stranger's URL: without variables or files, and with only these private hosts. */
  readonly guest?: ((allowed: readonly string[]) => Machine) | undefined
  /** True on such a machine. A URL means the same there as in a Worker, and cannot refer to a file. */
  readonly isGuest?: boolean | undefined
  /** Keeps an object by name until the process ends: connection pools, open files. */
  keep<It extends Closable>(name: string, make: () => It): It
}

/** A file's permissions and owner. */
export interface FileState {
  /** Its permission bits, such as `0o600`; undefined if a file has none, as on Windows. */
  readonly mode: number | undefined
  /** The owner's user id. Root's is 0. */
  readonly owner: number
}

/** A SQLite file, read in a separate process, because nothing else could stop a statement. */
export interface SqliteFile extends Closable {
  /** Runs one statement. The engine refuses it if it writes. Throws DatabaseError. */
  read(statement: Statement, limits: QueryContext): Promise<Answer>
  /** True if this process's user can write to the file. */
  isWritable(): Promise<boolean>
}

/** A server that encrypts on request. */
export interface DatabaseServer {
  readonly protocol: 'postgresql' | 'mysql'
  readonly host: string
  readonly port: number
}

/** A Node duplex stream. A library that speaks TCP accepts it in place of a socket. */
export interface Stream {
  on(event: 'close', listener: () => void): unknown
  destroy(error?: Error): unknown
}

/** An object that a machine closes before it ends. */
export interface Closable {
  close(): Promise<void> | void
}

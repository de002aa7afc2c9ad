import type { Answer, Limits, Statement } from './rows.ts'

/** Where this runs, in one word: on Cloudflare Workers; on a machine, over HTTP; or there over stdio, without pages. */
export type Platform = 'worker' | 'node' | 'stdio'

/** Where this runs, of the machine if there is one. */
export const platformOf = (machine: Pick<Machine, 'platform'> | undefined): Platform =>
  machine ? (machine.platform ?? 'node') : 'worker'

/**
 * What a machine of the operator's own has, and a Worker has not. Where there is one, drivers may read the
 * files that a URL names, and keep connections from one call to the next.
 */
export interface Machine {
  /** How it is served: over HTTP if it does not say. */
  readonly platform?: Exclude<Platform, 'worker'> | undefined
  /** Variables of the environment: `PGPASSWORD`. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The folder of the user. */
  readonly home: string
  /** What the user of this process is called, where a URL names nobody. */
  readonly user: string
  /** Reads a small file that a URL names, such as a certificate. Throws DatabaseError, which names the file. */
  readFile(path: string): Promise<string>
  /** What is known of a file before it is read; nothing if there is none. */
  look(path: string): Promise<FileState | undefined>
  /** Connects to a host by another way than the network alone: through an SSH tunnel. */
  readonly dial?: ((host: string, port: number, signal: AbortSignal) => Promise<Stream>) | undefined
  /** Asks over HTTP by that way. */
  readonly fetch?: typeof fetch | undefined
  /** Finds a SQLite file by its path. It is opened when it is first read. */
  readonly sqlite?: ((path: string) => SqliteFile) | undefined
  /** The same machine for a URL of somebody else: without variables and files. */
  readonly guest?: Machine | undefined
  /** Whether it is that one: then a URL means what it means in a Worker, and names no file. */
  readonly isGuest?: boolean | undefined
  /** Keeps what is made by a name until the process ends: pools of connections, open files. */
  keep<It extends Closable>(name: string, make: () => It): It
}

/** Who may do what with a file. */
export interface FileState {
  /** Its permissions, such as `0o600`; undefined where a file has none, as on Windows. */
  readonly mode: number | undefined
  /** The id of the user who owns it. That of root is 0. */
  readonly owner: number
}

/** A SQLite file, which is read in a process of its own: nothing else could stop a statement. */
export interface SqliteFile extends Closable {
  /** Runs one statement, which the engine refuses if it writes. Throws DatabaseError. */
  read(statement: Statement, limits: Limits): Promise<Answer>
  /** Whether the user that this runs as may write to the file. */
  isWritable(): Promise<boolean>
}

/** A duplex stream of Node, which a library that speaks TCP takes in place of a socket. */
export interface Stream {
  on(event: 'close', listener: () => void): unknown
  destroy(error?: Error): unknown
}

/** What a machine closes before it ends. */
export interface Closable {
  close(): Promise<void> | void
}

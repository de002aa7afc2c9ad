/** The part of the package `mysql2` that is used here. Its own types would require Node's types. */

interface Events {
  on(event: string, listener: (...args: never[]) => void): this
  once(event: string, listener: (...args: never[]) => void): this
}

/** A socket from Node or Workers. */
interface Stream extends Events {
  off(event: string, listener: (...args: never[]) => void): unknown
  removeAllListeners(event: string): unknown
  emit(event: string): unknown
  destroy(): unknown
  /** Makes the socket keep a Node process alive. */
  ref?(): unknown
  unref?(): unknown
}

/** The CAs that verify a server, and the certificate sent to it. */
export type SecureContext = object

/** The parts of Node's `tls` module that are used outside Workers. */
interface Tls {
  connect(
    options: {
      readonly socket: Stream
      readonly secureContext: SecureContext
      readonly servername: string | undefined
      readonly rejectUnauthorized: true
      readonly checkServerIdentity: (name: string, certificate: object) => Error | undefined
    },
    secured: () => void,
  ): Stream
  checkServerIdentity(name: string, certificate: object): Error | undefined
  /** Throws for an invalid certificate, or a key that does not belong to it. */
  createSecureContext(options: object): SecureContext
}

export interface Field {
  readonly name: string
  readonly columnType: number
  readonly characterSet: number
  readonly columnLength: number
  readonly flags: number
  readonly decimals: number
  /** MariaDB's `uuid`, `inet6`. */
  readonly extendedTypeName?: string
  /** MariaDB's `json`. */
  readonly extendedFormat?: string
}

export interface Answer extends Events {
  on(event: 'fields', listener: (fields: readonly Field[] | undefined) => void): this
  on(event: 'result', listener: (row: (null | number | string | Uint8Array)[]) => void): this
  on(event: 'error', listener: (error: unknown) => void): this
  on(event: 'end', listener: () => void): this
}

export interface Prepared {
  readonly columns: readonly Field[]
  readonly parameters: readonly Field[]
  /** Undefined if the connection accepts no more commands. */
  execute(values: readonly unknown[]): Answer | undefined
}

/** One exchange with the server. */
export interface Command {
  /** Reads a packet, or sends the first one. Returns true when the exchange is done. */
  execute(packet: unknown, connection: Connection): boolean
}

export interface Connection extends Events {
  /** Replaced by another stream once the connection is encrypted. */
  stream: Stream
  readonly threadId: number | null
  prepare(sql: string, done: (error: unknown, statement: Prepared) => void): unknown
  query(sql: string, done: (error: unknown, rows: readonly (readonly unknown[])[]) => void): unknown
  query(sql: string): Answer
  /** Closes a prepared statement. */
  unprepare(sql: string): unknown
  end(done: (error: unknown) => void): unknown
  /** Makes the server reset the session. */
  reset(done: (error: unknown) => void): unknown

  // Internals, for data that arrives before encryption.
  startTLS(done: (error?: unknown) => void): void
  handlePacket(packet: unknown): void
  emit(event: 'error', error: unknown): unknown
  readonly packetParser: { execute(chunk: Uint8Array): void }

  // Internals, for `pipeline.ts`.
  addCommand<It extends Command>(command: It): It | undefined
  /** The command in progress, then the queue of commands after it. */
  readonly _command: Command | null | undefined
  readonly _commands: { push(command: Command): unknown }
  /** The number of the next packet. */
  sequenceId: number
}

declare const mysql2: {
  createConnection(config: object): Connection
  /** Runs a prepared statement by its number on the server. */
  readonly Execute: new (options: {
    readonly statement: { readonly id: number; readonly parameters: readonly Field[] }
    readonly values: readonly unknown[]
  }) => Command & Answer
  /** Login methods that refuse a key from the server. */
  readonly withoutKey: Readonly<Record<string, unknown>>
  readonly tls: Tls
  /** A number that is bound as an integer. */
  readonly TypedParameter: { LONGLONG(value: number): unknown }
}
export default mysql2

/** All that is used of the package `mysql2`. Its own types would need those of Node. */

interface Events {
  on(event: string, listener: (...args: never[]) => void): this
  once(event: string, listener: (...args: never[]) => void): this
}

/** A socket of Node, or of Workers. */
interface Stream extends Events {
  off(event: string, listener: (...args: never[]) => void): unknown
  removeAllListeners(event: string): unknown
  emit(event: string): unknown
  destroy(): unknown
  /** Whether it keeps a process of Node alive. */
  ref?(): unknown
  unref?(): unknown
}

/** What verifies a server, and what is shown to it. */
export type SecureContext = object

/** The module `tls` of Node, as far as a machine of one's own uses it. */
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
  /** Throws for what is no certificate, or no key of it. */
  createSecureContext(options: {
    readonly ca?: string | undefined
    readonly cert?: string | undefined
    readonly key?: string | undefined
    readonly crl?: string | undefined
    readonly passphrase?: string | undefined
    readonly minVersion?: TlsVersion | undefined
    readonly maxVersion?: TlsVersion | undefined
  }): SecureContext
}

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3'

export interface Field {
  readonly name: string
  readonly columnType: number
  readonly characterSet: number
  readonly columnLength: number
  readonly flags: number
  readonly decimals: number
  readonly extendedTypeName?: string
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
  /** Undefined where the connection takes no more commands. */
  execute(values: readonly unknown[]): Answer | undefined
}

export interface ConnectionConfig {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** A file of this machine that leads to the server. */
  readonly socketPath: string | undefined
  /** What leads to the server in place of a socket. */
  readonly stream: unknown
  /** Whether a server may ask for the password as it is. */
  readonly enableCleartextPlugin: boolean
  readonly ssl: { readonly verifyIdentity: true } | undefined
  /** How to log in, where it is not the library's own way. */
  readonly authPlugins: Readonly<Record<string, unknown>>
  readonly connectTimeout: number
  readonly charset: 'utf8mb4'
  readonly flags: readonly string[]
  readonly multipleStatements: false
  readonly disableEval: true
  readonly rowsAsArray: true
  readonly supportBigNumbers: true
  readonly bigNumberStrings: true
  readonly dateStrings: true
  /** Reads a value: bytes as they are, what is no bytes on the wire by `next`. */
  readonly typeCast: (
    field: { readonly type: string; buffer(): Uint8Array | null },
    next: () => number | string | null,
  ) => unknown
}

/** One exchange with a server. */
export interface Command {
  /** Reads a packet, or sends the first. Returns whether that was all. */
  execute(packet: unknown, connection: Connection): boolean
}

export interface Connection extends Events {
  /** Another one as soon as it is encrypted. */
  stream: Stream
  readonly threadId: number | null
  prepare(sql: string, done: (error: unknown, statement: Prepared) => void): unknown
  query(sql: string, done: (error: unknown, rows: readonly (readonly unknown[])[]) => void): unknown
  query(sql: string): Answer
  /** Forgets what was prepared. */
  unprepare(sql: string): unknown
  end(done: (error: unknown) => void): unknown
  /** Has the server begin the session anew. */
  reset(done: (error: unknown) => void): unknown

  // Inside it, for what comes before encryption.
  startTLS(done: (error?: unknown) => void): void
  handlePacket(packet: unknown): void
  emit(event: 'error', error: unknown): unknown
  readonly packetParser: { execute(chunk: Uint8Array): void }

  // Inside it, for `pipeline.ts`.
  addCommand<It extends Command>(command: It): It | undefined
  /** What is answered at the moment, and what comes then. */
  readonly _command: Command | null | undefined
  readonly _commands: { push(command: Command): unknown }
  /** The number of the next packet. */
  sequenceId: number
}

declare const mysql2: {
  createConnection(config: ConnectionConfig): Connection
  /** Runs what a server has prepared, by its number there. */
  readonly Execute: new (options: {
    readonly statement: { readonly id: number; readonly parameters: readonly Field[] }
    readonly values: readonly unknown[]
  }) => Command & Answer
  /** Ways to log in that take no key from the server. */
  readonly withoutKey: Readonly<Record<string, unknown>>
  readonly tls: Tls
  /** A number that is bound as a whole one. */
  readonly TypedParameter: { LONGLONG(value: number): unknown }
}
export default mysql2

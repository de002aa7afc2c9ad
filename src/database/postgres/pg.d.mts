/** All that is used of the package `pg`. Its own types would need those of Node. */

interface Events {
  on(event: string, listener: (...args: never[]) => void): unknown
  once(event: string, listener: (...args: never[]) => void): unknown
}

/** A socket of Node, or of Workers. */
interface Stream extends Events {
  removeAllListeners(event: string): unknown
  destroy(): unknown
  /** Whether the process has to wait for it. Some streams do not tell. */
  ref?(): unknown
  unref?(): unknown
}

interface Connection extends Events {
  /** Another one as soon as it is encrypted. */
  readonly stream: Stream
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: unknown): void
  parse(message: { readonly text: string }): void
  bind(message: object): void
  execute(message: object): void
}

export interface Query extends Events {
  /** Sends its messages, and a Sync. */
  prepare(connection: Connection): void
  handleCommandComplete(message: unknown, connection: Connection): void
  on(event: 'row', listener: (row: (string | null)[], result: { fields: Field[] }) => void): this
  on(event: 'end', listener: (result: { fields: Field[] }) => void): this
  on(event: 'error', listener: (error: unknown) => void): this
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

export interface ClientConfig {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: () => string
  readonly database: string
  readonly ssl: boolean | TlsOptions
  /** `direct` encrypts without asking first. */
  readonly sslnegotiation: 'postgres' | 'direct'
  readonly options?: string | undefined
  readonly application_name: string
  /** Sends queries without waiting for the answers to those before. */
  readonly pipeline: true
  /** Has the system look after a connection that nobody uses. */
  readonly keepAlive?: boolean
  /** Takes a login that is bound to the certificate, where the server offers it. */
  readonly enableChannelBinding?: boolean
  readonly stream?: object
}

/** Of the options of Node's `tls.connect()`. */
export interface TlsOptions {
  readonly ca?: readonly string[] | string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  readonly crl?: string
  readonly minVersion?: string
  readonly maxVersion?: string
  readonly checkServerIdentity?: () => undefined
}

/** The authorities that this machine trusts, and those that Node brings. */
export function authorities(): readonly string[] | undefined

export default class Client implements Events {
  static readonly Query: new (config: {
    readonly text: string
    readonly values: readonly unknown[]
    readonly rowMode: 'array'
    /** Without it, a text without values runs by the simple protocol, which takes several. */
    readonly queryMode: 'extended'
    readonly types: { getTypeParser(): (text: string) => unknown }
  }) => Query

  constructor(config: ClientConfig)
  readonly connection: Connection
  /** Asked when the server wants one. */
  password: () => string
  readonly processID: number | null
  readonly secretKey: unknown
  on(event: string, listener: (...args: never[]) => void): unknown
  once(event: string, listener: (...args: never[]) => void): unknown
  connect(): Promise<unknown>
  query(query: Query): unknown
  end(): Promise<void>
}

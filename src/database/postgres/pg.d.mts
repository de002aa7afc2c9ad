/** All that is used of the package `pg`. Its own types would need those of Node. */

interface Events {
  on(event: string, listener: (...args: never[]) => void): unknown
  once(event: string, listener: (...args: never[]) => void): unknown
}

/** A socket of Node, or of Workers. */
interface Stream extends Events {
  removeAllListeners(event: string): unknown
  destroy(): unknown
}

interface Connection extends Events {
  /** Another one as soon as it is encrypted. */
  readonly stream: Stream
  connect(port: number, host: string): void
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
  readonly ssl: boolean
  /** `direct` encrypts without asking first. */
  readonly sslnegotiation: 'postgres' | 'direct'
  readonly options?: string | undefined
  readonly application_name: string
  /** Sends queries without waiting for the answers to those before. */
  readonly pipeline: true
}

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
  readonly processID: number | null
  readonly secretKey: unknown
  on(event: string, listener: (...args: never[]) => void): unknown
  once(event: string, listener: (...args: never[]) => void): unknown
  connect(): Promise<unknown>
  query(query: Query): unknown
  end(): Promise<void>
}

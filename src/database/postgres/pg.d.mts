/** The part of the package `pg` that is used here. Its own types would require Node's types. */

interface Events {
  on(event: string, listener: (...args: never[]) => void): unknown
  once(event: string, listener: (...args: never[]) => void): unknown
}

/** A socket from Node or Workers. */
interface Stream extends Events {
  removeAllListeners(event: string): unknown
  destroy(): unknown
  /** Makes the stream keep the process alive. Some streams do not support this. */
  ref?(): unknown
  unref?(): unknown
}

interface Connection extends Events {
  /** Replaced by another stream once the connection is encrypted. */
  readonly stream: Stream
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: unknown): void
  parse(message: { readonly text: string }): void
  bind(message: object): void
  execute(message: object): void
}

export interface Query extends Events {
  /** Sends its messages and a Sync. */
  prepare(connection: Connection): void
  handleCommandComplete(message: unknown, connection: Connection): void
  on(event: 'row', listener: (row: (string | null)[], result: { fields: Field[] }) => void): this
  on(event: 'end', listener: (result: Completed) => void): this
  on(event: 'error', listener: (error: unknown) => void): this
}

/** Result of a statement. `command` and `rowCount` come from the command tag. */
interface Completed {
  fields: Field[]
  command: string | null
  rowCount: number | null
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** The CAs that this machine trusts, and Node's bundled CAs. */
export function authorities(): readonly string[] | undefined

export default class Client implements Events {
  static readonly Query: new (
    config: object,
  ) => Query

  constructor(config: object)
  readonly connection: Connection
  /** Called when the server requests a password. */
  password: () => string
  readonly processID: number | null
  readonly secretKey: unknown
  on(event: string, listener: (...args: never[]) => void): unknown
  once(event: string, listener: (...args: never[]) => void): unknown
  connect(): Promise<unknown>
  query(query: Query): unknown
  end(): Promise<void>
}

/** A connection string in the form that our drivers accept. */
export interface ConnectionString {
  /** URL for our drivers. It can contain a password or a token. */
  readonly url: string
  /** Display name of the engine: `PostgreSQL`. */
  readonly engine: string
  /** The server's provider, if its host reveals it: `Amazon RDS`. */
  readonly service?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly database?: string | undefined
  readonly user?: string | undefined
  /** Number of characters in the password or token. Left out if there is none. */
  readonly secretLength?: number | undefined
  /** The connection's encryption. `offered`: if the server supports it. `within`: inside a binding. */
  readonly encryption: 'required' | 'offered' | 'none' | 'within'
  /** Messages about the changes made while reading it, without secrets: `Removed the quotes.` */
  readonly changes: readonly string[]
  /** Hints about the connection string. */
  readonly hints: readonly string[]
  /** Suggested names for an endpoint with this database. */
  readonly suggested: { readonly name: string; readonly title: string }
}

/** The result for text that is not a usable connection string. */
export interface ConnectionStringFault {
  /** Message that says what is wrong and what to change. It never contains a password. */
  readonly sentence: string
  /** The part that is wrong, if it is a single part. */
  readonly part?: ConnectionStringPart | undefined
  readonly engine?: string | undefined
}

/** The fields in a connection string that have known names. */
export type RecognisedField = 'user' | 'password' | 'host' | 'port' | 'database'

/** A part of a connection string. */
export type ConnectionStringPart = 'engine' | RecognisedField | 'parameter'

/** What a connection string says, in the form that our drivers take. */
export interface Recognised {
  /** The URL for our drivers. It may hold a password or a token. */
  readonly url: string
  /** As people write it: `PostgreSQL`. */
  readonly engine: string
  /** Who runs the server, where its host tells: `Amazon RDS`. */
  readonly service?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly database?: string | undefined
  readonly user?: string | undefined
  /** How many characters the password or the token has; left out if there is none. */
  readonly secretLength?: number | undefined
  /** Whether the way to the database is encrypted. `offered`: if the server does. `within`: by a binding. */
  readonly encryption: 'required' | 'offered' | 'none' | 'within'
  /** What was changed to read it, in sentences without a secret: `Took the quotes off.` */
  readonly changes: readonly string[]
  /** What to know about it, in sentences. */
  readonly hints: readonly string[]
  /** Names for an endpoint with this database. */
  readonly suggested: { readonly name: string; readonly title: string }
}

/** Why a text is no connection string that can be used. */
export interface Unrecognised {
  /** What is wrong and what to change. It holds no password. */
  readonly sentence: string
  /** The part that is wrong, where it is one. */
  readonly part?: Part | undefined
  /** Its engine, where that much is known. */
  readonly engine?: string | undefined
}

/** A part of a connection string. */
export type Part = 'engine' | 'host' | 'port' | 'user' | 'password' | 'database' | 'parameter'

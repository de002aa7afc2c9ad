/**
 * Reasons why a query has no result. `refused`: the guard, the engine or the role does not let it run;
 * `sql`: the statement is wrong; `timeout`, `too_large`: a limit; `auth`: the login is refused; `network`:
 * the database cannot answer; `config`: the deployment refers to a database that it cannot open.
 */
export type Failure = 'refused' | 'sql' | 'timeout' | 'too_large' | 'auth' | 'network' | 'config'

/** The cause of an unusable database, for programs. Set where the error is created, so that messages can change. */
export type Reason =
  /** The server refuses the user, the password, or the token that replaces the password. */
  | 'login_refused'
  /** Only the password is wrong. */
  | 'password_wrong'
  /** No user can log in from this address. */
  | 'address_refused'
  /** The user can log in, but cannot use this database. */
  | 'database_denied'
  /** The server refuses an IAM token. The subject is the token's service. */
  | 'token_refused'
  | 'database_not_found'
  /** None of several servers is of the kind that the URL requests. */
  | 'server_unwanted'
  /** The server does not encrypt. The subject is the service whose token would be sent, if any. */
  | 'not_encrypted'
  /** The server's certificate cannot be trusted. The subject is the service whose token would be sent, if any. */
  | 'certificate_untrusted'
  /** The URL specifies its own certificate authorities where files cannot be read. */
  | 'authority_not_here'
  /** A TLS file that the URL refers to cannot be used. Nothing was sent. */
  | 'tls_file_unusable'
  /** Encryption failed in another way. */
  | 'tls_failed'
  /** This machine can open no more files or connections. */
  | 'no_descriptor'
  /** The host is in a private network and not allowed. */
  | 'host_private'
  /** The deployment has no binding with the name in the URL. */
  | 'binding_missing'
  /** The deployment has no secret with the name in the URL, or the secret is not a URL. */
  | 'secret_missing'
  /** The connection string was sealed with another secret. */
  | 'credential_unreadable'
  /** The secret that seals connection strings is missing or too short. */
  | 'sealing_secret_unusable'
  /** A secret for an IAM login is missing. The subject is its name. */
  | 'login_secret_missing'
  /** Google refuses the key in a secret, or the secret is not a key. The subject is its name. */
  | 'login_key_refused'
  /** Tokens are only sent to hosts that the deployment lists, and this host is not one of them. */
  | 'token_host_not_allowed'

/** An error's reason and its subject. */
export interface Because {
  readonly reason?: Reason | undefined
  readonly subject?: string | undefined
}

/** Maximum length of a message in characters. No engine needs this many. */
const MAX_MESSAGE_CHARACTERS = 2_000

/** Reports that a query has no result, in a message that the model can read. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly kind: Failure
  /** SQLSTATE or the vendor's code. */
  readonly code: string | undefined
  readonly hint: string | undefined
  /** Characters from the start of the statement, counted from 1. */
  readonly position: number | undefined
  readonly reason: Reason | undefined
  /** The reason's subject: the name of a secret, or a service. */
  readonly subject: string | undefined

  constructor(
    kind: Failure,
    message: string,
    details: Because & {
      code?: string | undefined
      hint?: string | undefined
      position?: number | undefined
    } = {},
  ) {
    // Engines repeat the caller's text at any length, and the message is searched for words.
    super(message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed())
    this.kind = kind
    this.code = details.code
    this.hint = details.hint
    this.position = details.position
    this.reason = details.reason
    this.subject = details.subject
  }

  /** This error at another position, or without a position if the engine received a modified statement. */
  at(position: number | undefined): DatabaseError {
    return this.told(this.message, position)
  }

  /** This error with another message. */
  told(message: string, position: number | undefined): DatabaseError {
    return new DatabaseError(this.kind, message, { ...this, position })
  }
}

/** A statement whose estimated cost is above the limit. It was not run. */
export class TooDear extends DatabaseError {
  constructor(message: string) {
    super('refused', message)
  }
}

/** The error for a database that cannot be opened as its deployment configures it. */
export const badConfig = (
  message: string,
  details?: ConstructorParameters<typeof DatabaseError>[2],
) => new DatabaseError('config', message, details)

/** The error for a query that reached its time limit. */
export const tooSlow = (timeoutMs: number, code?: string) =>
  new DatabaseError('timeout', `The query was stopped after ${timeoutMs / 1000} seconds.`, {
    code,
    hint: 'Ask for less: filter on indexed columns, aggregate, or use fewer joins.',
  })

/** The error for a query whose caller has disconnected. */
export const cancelledByCaller = () =>
  new DatabaseError('timeout', 'The query was cancelled by the client.')

/** The error for a database that does not answer. */
export const unreachable = () =>
  new DatabaseError('network', 'The database cannot be reached. Try again later.')

/** The error for a row that does not fit into an answer. `maxBytes` is left out if it is not known. */
export const rowTooLarge = (maxBytes?: number) =>
  new DatabaseError(
    'too_large',
    maxBytes === undefined
      ? 'A single row is larger than the maximum that can be fetched.'
      : `A single row is larger than the ${maxBytes}-byte limit for an answer.`,
    { hint: 'Select fewer columns, or shorter pieces of the long ones with substr().' },
  )

/** The hint for a placeholder that has no value or the wrong form. */
export const PARAMETER_HINT =
  'Write $1 for the first value and $2 for the next, and send the values in params.'

/**
 * Why a query has no answer. `refused`: the guard, the engine or the role does not let it run;
 * `sql`: the statement is wrong; `timeout`, `too_large`: a cap; `auth`: the login is refused;
 * `network`: the database cannot answer; `config`: the deployment names a database it cannot open.
 */
export type Failure = 'refused' | 'sql' | 'timeout' | 'too_large' | 'auth' | 'network' | 'config'

/** The most characters of a message. No engine needs as many. */
const MAX_MESSAGE_CHARACTERS = 2_000

/** Why a query has no answer, in a message that the model may read. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly kind: Failure
  /** SQLSTATE or the vendor's code. */
  readonly code: string | undefined
  readonly hint: string | undefined
  /** Characters from the start of the statement, counted from 1. */
  readonly position: number | undefined

  constructor(
    kind: Failure,
    message: string,
    details: {
      code?: string | undefined
      hint?: string | undefined
      position?: number | undefined
    } = {},
  ) {
    // Engines repeat what a caller sent, however long, and the message is searched for words.
    super(message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed())
    this.kind = kind
    this.code = details.code
    this.hint = details.hint
    this.position = details.position
  }

  /** The same error at another position, or at none, if the engine was sent a changed text. */
  at(position: number | undefined): DatabaseError {
    return this.told(this.message, position)
  }

  /** The same error in other words. */
  told(message: string, position: number | undefined): DatabaseError {
    const { kind, code, hint } = this
    return new DatabaseError(kind, message, { code, hint, position })
  }
}

/** A statement that the engine estimates as dearer than it may be. It was not run. */
export class TooDear extends DatabaseError {
  constructor(message: string) {
    super('refused', message)
  }
}

/** The error for a query that ran into its time limit. */
export const tooSlow = (timeoutMs: number, code?: string) =>
  new DatabaseError('timeout', `The query was stopped after ${timeoutMs / 1000} seconds.`, {
    code,
    hint: 'Ask for less: filter on indexed columns, aggregate, or use fewer joins.',
  })

/** The error for a query whose caller has left. */
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
      ? 'One row alone is more than can be fetched.'
      : `One row alone is over the ${maxBytes} bytes of an answer.`,
    { hint: 'Select fewer columns, or shorter pieces of the long ones.' },
  )

/** The hint for a placeholder that has no value, or the wrong form. */
export const PARAMETER_HINT = 'For a value write $1, for the next $2, and send them in params.'

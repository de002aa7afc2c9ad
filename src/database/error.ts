/**
 * Why a query has no answer. `refused`: the guard, the engine or the role does not let it run;
 * `sql`: the statement is wrong; `timeout`, `too_large`: a cap; `auth`, `network`: for the operator
 * to mend; `config`: this deployment names a database it cannot open.
 */
export type Failure = 'refused' | 'sql' | 'timeout' | 'too_large' | 'auth' | 'network' | 'config'

/** Characters of a message: no engine needs as many for what it has to say. */
const MAX_MESSAGE_CHARACTERS = 2_000

/** What the database, or the way to it, said no to. Its message is fit for the model to read. */
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
    // Engines repeat what a caller sent, and whoever reads this looks for words in it.
    super(message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed())
    this.kind = kind
    this.code = details.code
    this.hint = details.hint
    this.position = details.position
  }

  /** The same error at another place, or at none: what was sent was not what its author wrote. */
  at(position: number | undefined): DatabaseError {
    const { kind, message, code, hint } = this
    return new DatabaseError(kind, message, { code, hint, position })
  }
}

/** The error for a query that ran into its time limit. */
export const tooSlow = (timeoutMs: number, code?: string) =>
  new DatabaseError('timeout', `The query was stopped after ${timeoutMs / 1000} seconds.`, {
    code,
    hint: 'Ask for less: filter on indexed columns, aggregate, or use fewer joins.',
  })

/** The error for a query whose caller has left. */
export const leftAlone = () => new DatabaseError('timeout', 'The query was stopped: nobody waits.')

/** The error for a database that nothing came back from. */
export const unreachable = () =>
  new DatabaseError('network', 'The database cannot be reached. Try again later.')

/** The error for a row that does not fit into an answer, of so many bytes if that is known. */
export const rowTooLarge = (maxBytes?: number) =>
  new DatabaseError(
    'too_large',
    maxBytes === undefined
      ? 'One row alone is more than can be fetched.'
      : `One row alone is over the ${maxBytes} bytes of an answer.`,
    { hint: 'Select fewer columns, or shorter pieces of the long ones.' },
  )

/** What helps where a placeholder has no value, or is not of a form that takes one. */
export const UNBOUND = 'For a value write $1, for the next $2, and send them in params.'

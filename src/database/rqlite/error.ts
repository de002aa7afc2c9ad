import { DatabaseError, tooSlow } from '../error.ts'
import type { Limits } from '../rows.ts'
import { PARAMETERS, statementError } from '../sqlite/error.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'

/** The error for an answer that does not fit. */
export const TOO_LARGE = () =>
  new DatabaseError('too_large', 'The answer, or a value on the way to it, is too large.', {
    hint: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
  })

const broken = () => new DatabaseError('network', 'The database failed. Ask its operator why.')

/**
 * The error for what a node says about a query. SQLite's own messages come without a code.
 *
 * @param ofStatement whether it is about a statement, and not about the request or the cluster
 */
export function rqliteError(said: string, limits: Limits, ofStatement: boolean): DatabaseError {
  if (/^(?:query timeout|context deadline exceeded|interrupted)$/.test(said)) {
    return tooSlow(limits.timeoutMs)
  }
  if (said === 'stale read') {
    return new DatabaseError(
      'network',
      'This node of rqlite has not heard from its leader for longer than freshness allows. Try again later.',
    )
  }
  if (!ofStatement) {
    return new DatabaseError('network', 'The rqlite cluster could not answer. Try again later.')
  }
  if (said === 'attempt to change database via query operation' || /readonly database/.test(said)) {
    return new DatabaseError(
      'refused',
      'This database is read-only, and the statement would write.',
    )
  }
  if (said.startsWith('not enough args')) return new DatabaseError('sql', PARAMETERS)
  if (/^(?:string or blob too big|out of memory|database or disk is full)/.test(said)) {
    return TOO_LARGE()
  }
  if (/^database (?:table |schema )?(?:is locked|has changed)/.test(said)) {
    return new DatabaseError('network', 'The database was busy. Try again.')
  }
  if (/^(?:disk I\/O|database disk image|unable to open|file is not a database)/.test(said)) {
    return broken()
  }
  return statementError(said)
}

/** Why a request has no answer. Its text may hold anything, so it is only compared with a known sentence. */
export function refusal(status: number, text: string): DatabaseError {
  if (status === 401 || status === 403) {
    return new DatabaseError('auth', 'The rqlite server refused the login.', {
      hint: 'Ask the operator to set a user and a password that may query.',
    })
  }
  if (status === 404) return new DatabaseError('config', 'There is no rqlite at this address.')
  if (status === 503 && text.trim() === 'leader not found') {
    return new DatabaseError('network', 'The rqlite cluster has no leader. Try again later.')
  }
  return brokenAnswer(status)
}

import { badConfig, DatabaseError, tooSlow } from '../error.ts'
import type { Limits } from '../rows.ts'
import { PARAMETERS, statementError } from '../sqlite/error.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'

/**
 * The error for a node's message about a query. SQLite's own messages have no code.
 *
 * @param ofStatement true if the message is about a statement, not about the request or the cluster
 */
export function rqliteError(said: string, limits: Limits, ofStatement: boolean): DatabaseError {
  if (/^(?:query timeout|context deadline exceeded|interrupted)$/.test(said)) {
    return tooSlow(limits.timeoutMs)
  }
  if (said === 'stale read') {
    return new DatabaseError(
      'network',
      'This rqlite node has not heard from its leader for longer than freshness allows. Try again later.',
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
    return new DatabaseError('too_large', 'The answer, or an intermediate value, is too large.', {
      hint: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
    })
  }
  if (/^database (?:table |schema )?(?:is locked|has changed)/.test(said)) {
    return new DatabaseError('network', 'The database was busy. Try again.')
  }
  if (/^(?:disk I\/O|database disk image|unable to open|file is not a database)/.test(said)) {
    return new DatabaseError('network', 'The database failed. Ask its operator why.')
  }
  return statementError(said)
}

/**
 * The error for a failed request. The text can contain anything, so it is only compared with a
 * known message.
 */
export function refusal(status: number, text: string): DatabaseError {
  if (status === 401 || status === 403) {
    return new DatabaseError('auth', 'The rqlite server refused the login.', {
      reason: 'login_refused',
      hint: 'Ask the operator to set a user and a password with the permission to query.',
    })
  }
  if (status === 404) return badConfig('There is no rqlite server at this address.')
  if (status === 503 && text.trim() === 'leader not found') {
    return new DatabaseError('network', 'The rqlite cluster has no leader. Try again later.')
  }
  return brokenAnswer(status)
}

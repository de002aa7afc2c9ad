import type { DatabaseError } from '../error.ts'
import type { TraceNote } from '../rows.ts'

/**
 * A comment that says in the logs of a database for which call a statement runs, in the form of
 * sqlcommenter. It comes behind the statement on the same line, so that no position moves.
 */
export function commentOf({ endpoint, traceparent }: TraceNote): string {
  if (!/^[a-z\d_-]{1,64}$/.test(endpoint) || !/^[\da-f-]{55}$/.test(traceparent)) return ''
  return ` /*endpoint='${endpoint}',traceparent='${traceparent}'*/`
}

/** The error of a statement as if the comment had not been there. Engines quote what they read last. */
export function withoutComment(error: DatabaseError, comment: string, sql: string): DatabaseError {
  if (comment === '') return error
  const end = error.position === undefined ? undefined : [...sql].length + 1
  const position = end === undefined ? undefined : Math.min(error.position!, end)
  const message = cut(error.message, comment)
  if (message === error.message && position === error.position) return error
  return error.told(message, position)
}

/** A message without the comment, or without as much of it as was quoted. */
function cut(message: string, comment: string): string {
  for (let chars = comment.length; chars >= 2; chars--) {
    const quoted = comment.slice(0, chars)
    // MariaDB says where it breaks off, MySQL does not.
    if (message.includes(`${quoted}...`)) return message.replace(`${quoted}...`, '')
    if (chars >= MARK_CHARS && message.includes(quoted)) return message.replace(quoted, '')
  }
  return message
}

/** Characters by which a comment is known in a message. */
const MARK_CHARS = 6

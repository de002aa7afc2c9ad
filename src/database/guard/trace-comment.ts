import type { DatabaseError } from '../error.ts'
import type { TraceNote } from '../rows.ts'

/**
 * Makes a comment in sqlcommenter's format that identifies the call in the database's logs. It follows the
 * statement on the same line, so positions in the statement stay the same.
 */
export function commentOf({ endpoint, traceparent }: TraceNote): string {
  if (!/^[a-z\d_-]{1,64}$/.test(endpoint) || !/^[\da-f-]{55}$/.test(traceparent)) return ''
  return ` /*endpoint='${endpoint}',traceparent='${traceparent}'*/`
}

/** Removes the comment from a statement's error. Engines quote the text they read last. */
export function withoutComment(error: DatabaseError, comment: string, sql: string): DatabaseError {
  if (comment === '') return error
  const end = error.position === undefined ? undefined : [...sql].length + 1
  const position = end === undefined ? undefined : Math.min(error.position!, end)
  const message = cut(error.message, comment)
  if (message === error.message && position === error.position) return error
  return error.told(message, position)
}

/** A message without the comment, or without the part of it that was quoted. */
function cut(message: string, comment: string): string {
  for (let chars = comment.length; chars >= 2; chars--) {
    const quoted = comment.slice(0, chars)
    // MariaDB marks where a quotation is cut off; MySQL does not.
    if (message.includes(`${quoted}...`)) return message.replace(`${quoted}...`, '')
    if (chars >= MARK_CHARS && message.includes(quoted)) return message.replace(quoted, '')
  }
  return message
}

/** Number of characters that identify a comment in a message. */
const MARK_CHARS = 6

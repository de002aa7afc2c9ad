import { DatabaseError } from '../error.ts'

/** Why a database could not be inspected, for its operator. An unexpected error goes to the log. */
export function reason(error: unknown): string {
  if (!(error instanceof DatabaseError)) {
    console.error(error)
    return 'It failed. The reason is in the log.'
  }
  const { kind, message, hint } = error
  if (kind === 'sql' || kind === 'refused') return `Its role cannot be inspected: ${message}`
  return kind === 'timeout' || !hint ? message : `${message} ${hint}`
}

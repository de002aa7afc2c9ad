import type { DatabaseError } from '../database.ts'

/** Why a database could not be looked at, for its operator. What is no business of theirs is logged. */
export function reason(error: unknown): string {
  if (!(error instanceof Error) || error.name !== 'DatabaseError') {
    console.error(error)
    return 'It failed for a reason that was logged.'
  }
  const { kind, message, hint } = error as DatabaseError
  if (kind === 'sql' || kind === 'refused') return `Its role cannot be looked at: ${message}`
  return kind === 'timeout' || !hint ? message : `${message} ${hint}`
}

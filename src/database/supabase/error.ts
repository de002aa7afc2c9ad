import { DatabaseError } from '../error.ts'
import { postgresError } from '../postgres/error.ts'
import type { Limits } from '../rows.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'

/** The report of PostgreSQL in the message of a failure: `…: ERROR:  42P01: relation …`. */
const REPORT = /^Failed to run [a-z -]*sql query: (ERROR|FATAL|PANIC): {1,2}([\dA-Z]{5}): ([^\n]*)/

/** The error for a failed request. Of the service's message, it repeats only PostgreSQL's report. */
export function refusal(
  { status, headers }: Response,
  message: unknown,
  { timeoutMs }: Limits,
): DatabaseError {
  if (status === 401 || status === 403) {
    return new DatabaseError('auth', 'Supabase refuses the token of this endpoint.', {
      hint: 'Its operator has to set a token that has not expired, and may read the database of this project: database_read.',
    })
  }
  if (status === 404) {
    return new DatabaseError(
      'config',
      'Supabase knows no such project, or does not let this token know of it.',
      {
        hint: 'Its operator has to compare the URL with https://REF.supabase.co, and see that the token may read the database of this project: database_read.',
      },
    )
  }
  if (status === 429) {
    const seconds = Number(headers.get('x-ratelimit-reset') ?? headers.get('retry-after'))
    const wait = seconds > 0 && seconds <= 3_600 ? `in ${Math.ceil(seconds)} seconds` : 'later'
    return new DatabaseError(
      'network',
      `Supabase takes no more requests for now. Try again ${wait}.`,
    )
  }
  const [, severity, code = '', said = ''] =
    REPORT.exec(typeof message === 'string' ? message : '') ?? []
  if (code) return postgresError({ code, message: said }, timeoutMs, severity !== 'ERROR')
  return brokenAnswer(status)
}

/** The error for an answer that is too large to read. */
export const tooLarge = () =>
  new DatabaseError('too_large', 'The answer is larger than can be fetched.', {
    hint: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
  })

import { badConfig, DatabaseError } from '../error.ts'
import { postgresError } from '../postgres/error.ts'
import type { Limits } from '../rows.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'

/** PostgreSQL's report in a failure message: `…: ERROR:  42P01: relation …`. */
const REPORT = /^Failed to run [a-z -]*sql query: (ERROR|FATAL|PANIC): {1,2}([\dA-Z]{5}): ([^\n]*)/

/** The error for a failed request. Of the service's message, it repeats only PostgreSQL's report. */
export function refusal(
  { status, headers }: Response,
  message: unknown,
  { timeoutMs }: Limits,
): DatabaseError {
  if (status === 401 || status === 403) {
    return new DatabaseError('auth', 'Supabase refuses the token for this endpoint.', {
      reason: 'login_refused',
      hint: 'Its operator must set a token that has not expired, and that can read the database of this project: database_read.',
    })
  }
  if (status === 404) {
    return badConfig('Supabase has no such project, or does not show it to this token.', {
      hint: 'Its operator must compare the URL with https://REF.supabase.co, and check that the token can read the database of this project: database_read.',
    })
  }
  if (status === 429) {
    const seconds = Number(headers.get('x-ratelimit-reset') ?? headers.get('retry-after'))
    const wait = seconds > 0 && seconds <= 3_600 ? `in ${Math.ceil(seconds)} seconds` : 'later'
    return new DatabaseError(
      'network',
      `Supabase does not accept more requests for now. Try again ${wait}.`,
    )
  }
  const [, severity, code = '', said = ''] =
    REPORT.exec(typeof message === 'string' ? message : '') ?? []
  if (code) return postgresError({ code, message: said }, timeoutMs, severity !== 'ERROR')
  return brokenAnswer(status)
}

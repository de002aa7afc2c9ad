import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { objectOf } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import { startDeadline } from '../transport/deadline.ts'
import { post } from '../transport/post.ts'
import { isLoopback } from '../transport/url.ts'
import type { Result } from './answer.ts'
import { postgresError } from './error.ts'

/** Where to send statements, and as which user. */
export interface Address {
  readonly endpoint: string
  /** Holds the password, which travels in a header and nowhere else. */
  readonly connection: string
}

/** Whether a host belongs to Neon. */
export const isNeon = (hostname: string) => /\.neon\.(?:tech|build)$/i.test(hostname)

/** The address that a URL stands for. Throws {@link DatabaseError}. */
export function addressOf({ protocol, hostname, host, href, username, pathname }: URL): Address {
  if (!username || pathname.length < 2) {
    throw new DatabaseError(
      'config',
      'A Neon URL names a user and a database: neon://user:password@host/database',
    )
  }
  const connection = `postgresql:${href.slice(protocol.length).split('#', 1)}`
  // A region has one address for all its computers; the connection string says which is meant.
  const region = isNeon(hostname) && hostname.replace(/^[^.]+/, 'api')
  const scheme = isLoopback(hostname) ? 'http' : 'https'
  return { connection, endpoint: `${scheme}://${region || host}/sql` }
}

/** The service answers with no more than 10 MiB: what is longer did not come from it. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

/**
 * Sends statements to run in one read-only transaction, and returns their results. They go as a batch,
 * because the header has no effect on a single statement. Throws {@link DatabaseError}.
 */
export async function send(
  { endpoint, connection }: Address,
  statements: readonly Statement[],
  limits: Limits,
  io: Io,
): Promise<readonly Result[]> {
  const headers = {
    'Neon-Connection-String': connection,
    'Neon-Raw-Text-Output': 'true',
    'Neon-Array-Mode': 'true',
    'Neon-Batch-Read-Only': 'true',
  }
  const queries = statements.map(({ sql, params = [] }) => ({ query: sql, params }))
  const deadline = startDeadline(limits, 2_000)
  const posted = await post(endpoint, headers, JSON.stringify({ queries }), deadline, io)
  const { status } = posted.response
  const text = await posted.text(MAX_BODY_BYTES)
  if (status === 507 || text === undefined) {
    throw new DatabaseError(
      'too_large',
      'The answer is larger than the 10 MiB that can be fetched.',
      { hint: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.' },
    )
  }
  const body = objectOf<Body>(text)
  if (status === 200 && body?.results?.length === statements.length) return body.results
  throw failure(body, status, limits.timeoutMs)
}

/** What the service sends: results, or the fields of an error report. */
interface Body {
  readonly results?: readonly Result[]
  readonly code?: string
  readonly message?: string
  readonly severity?: string
  readonly detail?: string
  readonly hint?: string
  readonly position?: string
}

function failure(body: Body | undefined, status: number, timeoutMs: number): DatabaseError {
  const { message = '', severity, detail, hint, position } = body ?? {}
  const unauthorized = status === 401 || status === 403
  const code = unauthorized ? '28000' : String(body?.code)
  if (/^[0-9A-Z]{5}$/.test(code)) {
    const at = Number(position) || undefined
    const report = { code, message, detail, hint: hint || undefined, position: at }
    // The error of a session that could not begin is FATAL.
    return postgresError(report, timeoutMs, unauthorized || severity !== 'ERROR')
  }
  return brokenAnswer(status)
}

import { isLoopback } from '../../../ground/index.ts'
import type { Io } from '../../database.ts'
import { badConfig, type DatabaseError } from '../../error.ts'
import type { QueryContext, Statement } from '../../rows.ts'
import { objectOf } from '../../transport/body.ts'
import { brokenAnswer } from '../../transport/broken-answer.ts'
import { startDeadline } from '../../transport/deadline.ts'
import { answerTooLarge, post } from '../../transport/post.ts'
import type { PostgresResult } from '../answer.ts'
import { postgresError } from '../error.ts'

/** Address for statements, and the user to send them as. */
export interface NeonAddress {
  readonly endpoint: string
  /** Contains the password, which is only ever sent in a header. */
  readonly connection: string
}

/** True if a host belongs to Neon. */
export const isNeon = (hostname: string) => /\.neon\.(?:tech|build)$/i.test(hostname)

/** Converts a database URL to the address of the service. Throws {@link DatabaseError}. */
export function addressOf({
  protocol,
  hostname,
  host,
  href,
  username,
  pathname,
}: URL): NeonAddress {
  if (!username || pathname.length < 2) {
    throw badConfig('A Neon URL needs a user and a database: neon://user:password@host/database')
  }
  const connection = `postgresql:${href.slice(protocol.length).split('#', 1)}`
  // A region has one address for all its compute endpoints; the connection string selects one.
  const region = isNeon(hostname) && hostname.replace(/^[^.]+/, 'api')
  const scheme = isLoopback(hostname) ? 'http' : 'https'
  return { connection, endpoint: `${scheme}://${region || host}/sql` }
}

/** The service's responses are at most 10 MiB. A longer response did not come from the service. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

/**
 * Sends statements to run in one read-only transaction, and returns their results. They are sent as a batch,
 * because the header has no effect on a single statement. Throws {@link DatabaseError}.
 */
export async function send(
  { endpoint, connection }: NeonAddress,
  statements: readonly Statement[],
  limits: QueryContext,
  io: Io,
): Promise<readonly PostgresResult[]> {
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
  if (status === 507 || text === undefined) throw answerTooLarge('the 10 MiB that can be fetched')
  const body = objectOf<NeonBody>(text)
  if (status === 200 && body?.results?.length === statements.length) return body.results
  throw failure(body, status, limits.timeoutMs)
}

/** A response from the service: results, or the fields of an error report. */
interface NeonBody {
  readonly results?: readonly PostgresResult[]
  readonly code?: string
  readonly message?: string
  readonly severity?: string
  readonly detail?: string
  readonly hint?: string
  readonly position?: string
}

function failure(body: NeonBody | undefined, status: number, timeoutMs: number): DatabaseError {
  const { message = '', severity, detail, hint, position } = body ?? {}
  const unauthorized = status === 401 || status === 403
  const code = unauthorized ? '28000' : String(body?.code)
  if (/^[0-9A-Z]{5}$/.test(code)) {
    const at = Number(position) || undefined
    const report = { code, message, detail, hint: hint || undefined, position: at }
    // The error for a session that could not begin is FATAL.
    return postgresError(report, timeoutMs, unauthorized || severity !== 'ERROR')
  }
  return brokenAnswer(status)
}

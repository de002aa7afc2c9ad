import { isLoopback } from '../../../ground/index.ts'
import type { Io } from '../../database.ts'
import { badConfig, DatabaseError, unreachable } from '../../error.ts'
import type { Limits } from '../../rows.ts'
import { objectOf } from '../../transport/body.ts'
import type { Deadline } from '../../transport/deadline.ts'
import { basicAuth, exchange } from '../../transport/post.ts'
import { decoded } from '../../transport/url.ts'
import { loginError, mysqlError, ofLogin } from '../error.ts'

/** Address for statements, and the user to send them as. */
export interface PlanetScaleAddress {
  readonly endpoint: string
  /** Contains the password, which is only ever sent in a header. */
  readonly authorization: string
  readonly database: string
}

/** Converts a database URL to the address of the service. Throws {@link DatabaseError}. */
export function addressOf({
  hostname,
  host,
  username,
  password,
  pathname,
}: URL): PlanetScaleAddress {
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decoded)
  if (!hostname || !user || !database) {
    throw badConfig(
      'A PlanetScale URL needs a user, a host and a database: mysql://user:password@host/database',
    )
  }
  // The port in a mysql: URL is for another protocol.
  const origin = isLoopback(hostname) ? `http://${host}` : `https://${hostname}`
  return {
    endpoint: `${origin}/psdb.v1alpha1.Database/Execute`,
    authorization: basicAuth(user, secret ?? ''),
    database,
  }
}

/** A result column as Vitess describes it. Members that are empty or zero may be missing. */
export interface PlanetScaleField {
  readonly name: string
  readonly type?: string
  readonly columnLength?: number
  readonly charset?: number
  readonly decimals?: number
}

/** The result of one statement. */
export interface PlanetScaleResult {
  readonly fields?: readonly PlanetScaleField[]
  readonly rows?: readonly ResultRow[]
}

/** All the values in a row as one string, and the length of each. */
export interface ResultRow {
  readonly lengths: readonly string[]
  readonly values?: string
}

/** Runs one statement in the same session as the previous ones. */
export type Execute = (query: string, deadline: Deadline) => Promise<PlanetScaleResult>

/** Opens a session over HTTP. Each response contains state that the next request has to send back. */
export function session(
  { endpoint, authorization }: PlanetScaleAddress,
  { timeoutMs }: Limits,
  io: Io,
): Execute {
  let state: unknown = null
  return async (query, deadline) => {
    const asked = { query, session: state }
    const { response, text } = await exchange(endpoint, { authorization }, asked, deadline, io)
    const { status } = response
    const body = objectOf<PlanetScaleBody>(text) ?? {}
    if (status === 401 || status === 403) throw loginError(1045)
    if (body.error) throw failure(body.error, timeoutMs, state === null)
    if (status !== 200 || !body.session) throw unreachable()
    state = body.session
    return body.result ?? {}
  }
}

/** The body of a response. Statement errors have the status 200. */
interface PlanetScaleBody {
  readonly session?: unknown
  readonly result?: PlanetScaleResult
  readonly error?: { readonly code?: string; readonly message?: string }
}

/** Matches an error number. The message comes before it, and the statement and the caller come after it. */
const NUMBERED = / \(errno (\d+)\) \(sqlstate \w+\)/
const SAID = ' desc = '

function failure(
  { code = '', message = '' }: NonNullable<PlanetScaleBody['error']>,
  timeoutMs: number,
  first: boolean,
): DatabaseError {
  const from = message.indexOf(SAID)
  const words = from < 0 ? message : message.slice(from + SAID.length)
  const numbered = NUMBERED.exec(words)
  if (numbered) {
    const errno = Number(numbered[1])
    // The first statement is ours, and logs in.
    if (first && ofLogin(errno)) return loginError(errno)
    return mysqlError(errno, words.slice(0, numbered.index), timeoutMs)
  }
  if (/UNAUTHENTICATED|PERMISSION_DENIED/.test(code)) return loginError(1045)
  if (/DEADLINE_EXCEEDED|CANCELED/.test(code)) return mysqlError(1317, '', timeoutMs)
  if (/RESOURCE_EXHAUSTED/.test(code)) {
    return new DatabaseError('too_large', 'The result is larger than the database can send.', {
      hint: 'Select fewer columns or fewer rows.',
    })
  }
  // A message without a number can contain anything, such as the user and the host.
  return /INVALID_ARGUMENT|UNIMPLEMENTED|NOT_FOUND/.test(code)
    ? new DatabaseError('sql', 'The database does not accept this statement.', { code })
    : new DatabaseError('network', 'The database cannot answer at the moment. Try again later.')
}

import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import type { Limits } from '../rows.ts'
import { MAX_BODY_BYTES, objectOf } from '../transport/body.ts'
import type { Deadline } from '../transport/deadline.ts'
import { post } from '../transport/post.ts'
import { decoded, isLoopback } from '../transport/url.ts'
import { loginError, mysqlError, ofLogin } from './error.ts'

/** Where to send statements, and as which user. */
export interface Address {
  readonly endpoint: string
  /** Holds the password, which travels in a header and nowhere else. */
  readonly authorization: string
  readonly database: string
}

/** The address that a URL stands for. Throws {@link DatabaseError}. */
export function addressOf({ hostname, host, username, password, pathname }: URL): Address {
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decoded)
  if (!hostname || !user || !database) {
    throw new DatabaseError(
      'config',
      'A PlanetScale URL names a user, a host and a database: mysql://user:password@host/database',
    )
  }
  // The port of a mysql: URL is that of another protocol.
  const origin = isLoopback(hostname) ? `http://${host}` : `https://${hostname}`
  return {
    endpoint: `${origin}/psdb.v1alpha1.Database/Execute`,
    authorization: `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${secret}`)))}`,
    database: database!,
  }
}

/** A column of an answer, as Vitess describes it. Members that are empty or zero may be missing. */
export interface Field {
  readonly name: string
  readonly type?: string
  readonly columnLength?: number
  readonly charset?: number
  readonly decimals?: number
}

/** The answer to one statement: all values of a row in one string, and the length of each. */
export interface Result {
  readonly fields?: readonly Field[]
  readonly rows?: readonly { readonly lengths: readonly string[]; readonly values?: string }[]
}

/** Runs one statement, in the same session as those before it. */
export type Execute = (query: string, deadline: Deadline) => Promise<Result>

/** A session over HTTP: each answer brings the state that the next request has to send back. */
export function session(
  { endpoint, authorization }: Address,
  { timeoutMs }: Limits,
  io: Io,
): Execute {
  let state: unknown = null
  return async (query, deadline) => {
    const posted = await post(
      endpoint,
      { authorization, 'content-type': 'application/json' },
      JSON.stringify({ query, session: state }),
      deadline,
      io,
    )
    const { status } = posted.response
    const text = await posted.text(MAX_BODY_BYTES)
    if (text === undefined) {
      throw new DatabaseError('too_large', 'The answer is larger than can be fetched.', {
        hint: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
      })
    }
    const body = objectOf<Body>(text) ?? {}
    if (status === 401 || status === 403) throw loginError(1045)
    if (body.error) throw failure(body.error, timeoutMs, state === null)
    if (status !== 200 || !body.session) throw unreachable()
    state = body.session
    return body.result ?? {}
  }
}

/** What the service sends. Errors of a statement come with status 200. */
interface Body {
  readonly session?: unknown
  readonly result?: Result
  readonly error?: { readonly code?: string; readonly message?: string }
}

/** The number of an error. The message is before it; the statement and the caller are after it. */
const NUMBERED = / \(errno (\d+)\) \(sqlstate \w+\)/
const SAID = ' desc = '

function failure(
  { code = '', message = '' }: NonNullable<Body['error']>,
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
    return new DatabaseError('too_large', 'The answer is larger than the database sends.', {
      hint: 'Select fewer columns or fewer rows.',
    })
  }
  // A message without a number may say anything, such as user and host.
  return /INVALID_ARGUMENT|UNIMPLEMENTED|NOT_FOUND/.test(code)
    ? new DatabaseError('sql', 'The database does not take this statement.', { code })
    : new DatabaseError('network', 'The database cannot answer at the moment. Try again later.')
}

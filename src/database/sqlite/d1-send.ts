import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Param } from '../rows.ts'
import { MAX_BODY_BYTES, objectOf } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import type { Deadline } from '../transport/deadline.ts'
import { post } from '../transport/post.ts'
import { decoded } from '../transport/url.ts'

/** D1's result for one statement. */
export interface D1Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (null | number | string)[])[]
}

/**
 * Sends SQL to D1, which runs every statement in it. Throws a {@link DatabaseError}, or an error with SQLite's own
 * message.
 */
export type SendD1 = (sql: string, params: readonly Param[], deadline: Deadline) => Promise<D1Table>

/** Sends through a Worker binding. */
export function byBinding(name: string, { bindings }: Io): SendD1 {
  return async (sql, params, deadline) => {
    const database = bindings[name] as D1Database | undefined
    if (typeof database !== 'object' || typeof database?.prepare !== 'function') {
      const message = `This deployment has no D1 database bound as "${name}".`
      throw new DatabaseError('config', message, { reason: 'binding_missing' })
    }
    const statement = database.prepare(sql).bind(...params)
    const raw = statement.raw<(null | number | string)[]>({ columnNames: true })
    const [columns, ...rows] = await deadline.race(raw).catch((thrown) => {
      throw thrown instanceof DatabaseError ? thrown : said(String(thrown?.message))
    })
    return { columns, rows }
  }
}

/** Sends through Cloudflare's API: `d1://:TOKEN@ACCOUNT/DATABASE`. */
export function byApi({ host, pathname, username, password }: URL, io: Io): SendD1 {
  const [, database = '', more] = pathname.split('/')
  const token = decoded(password || username)
  if (!database || more !== undefined || !token) {
    throw new DatabaseError(
      'config',
      'A D1 URL needs a token, an account and a database: d1://:TOKEN@ACCOUNT/DATABASE',
    )
  }
  const endpoint = `https://api.cloudflare.com/client/v4/accounts/${host}/d1/database/${database}/raw`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (sql, params, deadline) => {
    const posted = await post(endpoint, headers, JSON.stringify({ sql, params }), deadline, io)
    const { status } = posted.response
    const text = await posted.text(MAX_BODY_BYTES)
    if (text === undefined) throw tooLarge()
    const { success, errors, result } = objectOf<D1Body>(text) ?? {}
    const { columns, rows } = result?.at(-1)?.results ?? {}
    if (status === 200 && success && columns && rows) return { columns, rows }
    throw failure(status, errors?.[0])
  }
}

/** The API's response. */
interface D1Body {
  readonly success?: boolean
  readonly errors?: readonly { readonly code?: number; readonly message?: string }[]
  readonly result?: readonly { readonly results?: Partial<D1Table> }[]
}

/** The code for all messages from D1 itself, about a statement or about its own state. */
const FROM_D1 = 7500

// "Authentication error", "Unauthorized", "Invalid request headers", "Invalid … Authorization".
const LOGIN_CODES = [10000, 9109, 6003, 6111]

function failure(
  status: number,
  { code = 0, message = '' } = {} as { code?: number; message?: string },
) {
  if (code === FROM_D1) return said(message)
  if (status === 401 || status === 403 || LOGIN_CODES.includes(code)) {
    return new DatabaseError('auth', 'Cloudflare refuses the token for this database.', {
      reason: 'login_refused',
      hint: 'Ask the operator to set one that can read D1.',
    })
  }
  if (status === 404) {
    return new DatabaseError('config', 'There is no such D1 database in this account.', {
      reason: 'database_not_found',
    })
  }
  return brokenAnswer(status, 'The response from D1')
}

const tooLarge = () =>
  new DatabaseError('too_large', 'The answer, or an intermediate result, is too large for D1.', {
    hint: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
  })

/** Converts a message from D1: SQLite's own words about a statement, or a {@link DatabaseError} about D1. */
function said(message: string): Error {
  const words = message.replace(/^D1_(?:EXEC_)?ERROR: /, '')
  if (/CPU time limit|exceeded timeout/.test(words)) {
    return new DatabaseError('timeout', 'D1 stopped the query because it took too long.')
  }
  if (/memory limit/.test(words)) {
    return tooLarge()
  }
  if (/: SQLITE_[A-Z_]+|parameter bindings|multiple SQL statements/.test(words)) {
    return new Error(words)
  }
  // For some errors, the API leaves out the code.
  if (
    /^(?:no such |near "|not authorized|ambiguous |incomplete |Recursion limit|Expression tree |parser stack )/.test(
      words,
    )
  ) {
    return new Error(`${words}: SQLITE_ERROR`)
  }
  return new DatabaseError('network', 'D1 could not answer. Try again later.')
}

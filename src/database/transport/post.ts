import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import { MAX_BODY_BYTES, readBody } from './body.ts'
import type { Deadline } from './deadline.ts'

/**
 * Sends a body to a database's service, and returns the response, with a function that reads its body. That function
 * returns undefined if the body is longer than `maxBytes`. An error from `fetch` can contain the address or a password,
 * so it is dropped, unless it is our own. Throws {@link DatabaseError}.
 */
export async function post(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  deadline: Deadline,
  { fetch }: Io,
) {
  const lost = (error: unknown) => {
    throw deadline.over() ?? (error instanceof DatabaseError ? error : unreachable())
  }
  const sent = async () => fetch(endpoint, requestOf(headers, body, deadline.signal))
  const response = await sent().catch(lost)
  return { response, text: (maxBytes: number) => readBody(response, maxBytes).catch(lost) }
}

/** Sends a value as JSON, and reads the whole response. Throws {@link DatabaseError}. */
export async function exchange(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  value: unknown,
  deadline: Deadline,
  io: Io,
): Promise<{ readonly response: Response; readonly text: string }> {
  const all = { ...headers, 'content-type': 'application/json' }
  const { response, text } = await post(endpoint, all, JSON.stringify(value), deadline, io)
  const read = await text(MAX_BODY_BYTES)
  if (read === undefined) throw answerTooLarge()
  return { response, text: read }
}

/** The error for a response that is too long to read. */
export const answerTooLarge = (most = 'can be fetched') =>
  new DatabaseError('too_large', `The answer is larger than ${most}.`, {
    hint: 'Select fewer columns, shorter pieces of the long ones, or fewer rows.',
  })

/** The header value that logs in with a user and a password. */
export function basicAuth(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** A request that contains a secret. It does not follow redirects, which would send the secret elsewhere. */
export const requestOf = (
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): RequestInit => ({ method: 'POST', headers, body, signal, redirect: 'manual' })

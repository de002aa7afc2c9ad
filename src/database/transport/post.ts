import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import { readBody } from './body.ts'
import type { Deadline } from './deadline.ts'

/** What came back from a service, before its body is read. */
export interface Posted {
  readonly response: Response
  /** Reads the body; nothing if it is longer than `maxBytes`. Throws {@link DatabaseError}. */
  text(maxBytes: number): Promise<string | undefined>
}

/**
 * Sends a text to the service of a database. An error of `fetch` may hold the address or a password,
 * so it is dropped, unless it is one of ours. Throws {@link DatabaseError}.
 */
export async function post(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  deadline: Deadline,
  { fetch }: Io,
): Promise<Posted> {
  const lost = (error: unknown) => {
    throw deadline.over() ?? (error instanceof DatabaseError ? error : unreachable())
  }
  const sent = async () => fetch(endpoint, requestOf(headers, body, deadline.signal))
  const response = await sent().catch(lost)
  return { response, text: (maxBytes) => readBody(response, maxBytes).catch(lost) }
}

/** A request that holds a secret. It follows no redirect, which would carry the secret elsewhere. */
export const requestOf = (
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): RequestInit => ({ method: 'POST', headers, body, signal, redirect: 'manual' })

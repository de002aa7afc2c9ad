import type { Caller } from '../mcp/index.ts'
import type { KeyEntry, ShownKey } from '../registry/index.ts'
import { equal } from './equal.ts'

/** The right to read databases. */
const READ = 'db:read'

/** The caller who shows a key, or why the key opens nothing. */
export function callerWith(
  shown: ShownKey,
  entry: KeyEntry | undefined,
): { readonly caller: Caller } | { readonly wrong: string } {
  if (!entry || !equal(shown.hash, entry.hash)) return { wrong: WRONG_KEY }
  const { id, person, scopes, claims, expiresAt } = entry
  if (expiresAt !== undefined && expiresAt <= Date.now()) return { wrong: EXPIRED_KEY }
  return { caller: { subject: person ?? `key:${id}`, scopes, ...(claims && { claims }) } }
}

/** Whether a key is for this endpoint, and for reading. Its groups may still not have the endpoint. */
export const opens = ({ endpoints, scopes }: KeyEntry, endpoint: string): boolean =>
  scopes.includes(READ) && (endpoints.includes('*') || endpoints.includes(endpoint))

export const WRONG_KEY =
  'This key is wrong, or was revoked. Ask the operator of this endpoint for another.'
const EXPIRED_KEY = 'This key has expired. Ask the operator of this endpoint for another one.'

import type { Caller } from '../mcp/index.ts'
import { type KeyEntry, type PresentedKey, READ } from '../registry/index.ts'
import { equal } from './equal.ts'

/** Returns the caller for a key, or the reason that the key opens nothing. */
export function callerWith(
  shown: PresentedKey,
  entry: KeyEntry | undefined,
): { readonly caller: Caller } | { readonly wrong: string } {
  if (!entry || !equal(shown.hash, entry.hash)) return { wrong: WRONG_KEY }
  const { id, person, scopes, claims, expiresAt } = entry
  if (expiresAt !== undefined && expiresAt <= Date.now()) return { wrong: EXPIRED_KEY }
  return { caller: { subject: person ?? `key:${id}`, scopes, ...(claims && { claims }) } }
}

/** True if a key is for this endpoint and allows reading. Its groups may still exclude the endpoint. */
export const opens = ({ endpoints, scopes }: KeyEntry, endpoint: string): boolean =>
  scopes.includes(READ) && (endpoints.includes('*') || endpoints.includes(endpoint))

/** The message for a credential that is not a valid key. */
export const WRONG_KEY =
  'This key is wrong, or was revoked. Ask the operator of this endpoint for another.'
/** The message for a credential that is empty, or a reference to an unset variable. */
export const UNSET_KEY =
  'The key is missing: the variable that should hold it is not set where your host runs. Set it, and start the host again.'
const EXPIRED_KEY = 'This key has expired. Ask the operator of this endpoint for another one.'

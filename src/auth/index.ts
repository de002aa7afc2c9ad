import type { Caller } from '../mcp/index.ts'
import type { Authenticate } from './authenticate.ts'
import { bearer } from './bearer.ts'

/** The ways that this deployment is configured for, one line each. */
const ways = (secrets: { TIDEGATE_KEY?: string }): Authenticate[] => [
  ...(secrets.TIDEGATE_KEY ? [bearer(secrets.TIDEGATE_KEY)] : []),
]

/** Finds out who calls. Undefined for a caller without a valid key. */
export async function authenticate(
  request: Request,
  secrets: { TIDEGATE_KEY?: string },
): Promise<Caller | undefined> {
  for (const way of ways(secrets)) {
    const caller = await way(request)
    if (caller) return caller
  }
  return undefined
}

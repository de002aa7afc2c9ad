import { BoundedMap } from '../../ground/index.ts'
import type { DatabaseError } from '../error.ts'
import type { Answer } from '../rows.ts'
import {
  type Capabilities,
  capabilitiesOf,
  defaultCapabilities,
  tooMuch,
} from './server-capabilities.ts'

/** Known capabilities of servers, by address and user. Entries expire, because a server can be upgraded. */
const knownCapabilities = new BoundedMap<Capabilities>({ entries: 200, ttlMs: 3_600_000 })

/**
 * Runs a query with the settings that a server accepts. If a server refuses the usual settings, its capabilities
 * are queried once, and the query is sent again with those settings. Throws {@link DatabaseError}.
 *
 * @param server the address and the user
 * @param learn queries the capabilities
 */
export async function negotiate(
  server: string,
  ask: (capabilities: Capabilities) => Promise<Answer>,
  learn: () => Promise<Answer>,
): Promise<Answer> {
  const known = knownCapabilities.get(server)
  try {
    return await ask(known ?? defaultCapabilities)
  } catch (error) {
    if (known || !tooMuch(error)) throw error
    const answer = await learn().catch((thrown: DatabaseError) => {
      throw thrown.kind === 'network' || thrown.kind === 'timeout' ? thrown : error
    })
    const capabilities = capabilitiesOf(answer)
    knownCapabilities.set(server, capabilities)
    // The server accepts all the usual settings, so the refused part is in the statement.
    if (capabilities.free && capabilities.lacking.size === 0) throw error
    return ask(capabilities)
  }
}

import type { DatabaseError } from '../error.ts'
import { Kept } from '../kept.ts'
import type { Answer } from '../rows.ts'
import {
  type Capabilities,
  capabilitiesOf,
  defaultCapabilities,
  tooMuch,
} from './server-capabilities.ts'

/** What is known of servers that were asked for their capabilities, by address and user. They may be upgraded. */
const knownCapabilities = new Kept<Capabilities>({ seconds: 3_600, entries: 200 })

/**
 * Asks a server with what it takes. One that finds the usual too much is asked for its capabilities, once,
 * and asked again by those. Throws {@link DatabaseError}.
 *
 * @param server the address and the user
 * @param learn sends the question for the capabilities
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
    // It takes all that is usual: what it refused is in the statement.
    if (capabilities.free && capabilities.lacking.size === 0) throw error
    return ask(capabilities)
  }
}

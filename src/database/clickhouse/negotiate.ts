import type { DatabaseError } from '../error.ts'
import type { Answer } from '../rows.ts'
import {
  type Capabilities,
  capabilitiesOf,
  defaultCapabilities,
  tooMuch,
} from './server-capabilities.ts'

/** What is known of servers that were asked for their capabilities, by address and user. */
const knownCapabilities = new Map<string, Capabilities>()

/** Servers that are remembered. The one that was asked first is forgotten first. */
const MAX_KNOWN_SERVERS = 200

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
    remember(server, capabilities)
    // It takes all that is usual: what it refused is in the statement.
    if (capabilities.free && capabilities.lacking.size === 0) throw error
    return ask(capabilities)
  }
}

function remember(server: string, capabilities: Capabilities): void {
  knownCapabilities.set(server, capabilities)
  const [oldest] = knownCapabilities.keys()
  if (knownCapabilities.size > MAX_KNOWN_SERVERS && oldest !== undefined)
    knownCapabilities.delete(oldest)
}

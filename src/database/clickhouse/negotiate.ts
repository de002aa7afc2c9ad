import type { DatabaseError } from '../error.ts'
import type { Answer } from '../rows.ts'
import { type Terms, termsOf, tooMuch, usual } from './server-capabilities.ts'

/** What is known of servers that were asked for their terms, by address and user. */
const agreed = new Map<string, Terms>()

/** Servers that are remembered. The one that was asked first is forgotten first. */
const MAX_AGREED_SERVERS = 200

/**
 * Asks a server with what it takes. One that finds the usual too much is asked for its terms, once,
 * and asked again by those. Throws {@link DatabaseError}.
 *
 * @param server the address and the user
 * @param learn sends the question for the terms
 */
export async function negotiate(
  server: string,
  ask: (terms: Terms) => Promise<Answer>,
  learn: () => Promise<Answer>,
): Promise<Answer> {
  const known = agreed.get(server)
  try {
    return await ask(known ?? usual)
  } catch (error) {
    if (known || !tooMuch(error)) throw error
    const answer = await learn().catch((thrown: DatabaseError) => {
      throw thrown.kind === 'network' || thrown.kind === 'timeout' ? thrown : error
    })
    const terms = termsOf(answer)
    remember(server, terms)
    // It takes all that is usual: what it refused is in the statement.
    if (terms.free && terms.lacking.size === 0) throw error
    return ask(terms)
  }
}

function remember(server: string, terms: Terms): void {
  agreed.set(server, terms)
  const [oldest] = agreed.keys()
  if (agreed.size > MAX_AGREED_SERVERS && oldest !== undefined) agreed.delete(oldest)
}

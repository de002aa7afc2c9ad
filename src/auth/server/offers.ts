import type { Person } from '../sign-in/person.ts'

/** An endpoint that a person may connect. */
export interface Offer {
  readonly name: string
  readonly title: string
  /** The names of its tools. */
  readonly tools: readonly string[]
}

/**
 * Finds the endpoints that a person may use, the one that is asked for first, and how many more there are.
 * Without a name, the one at `/mcp` is asked for.
 *
 * @param isForeign whether SIGN_IN_ALLOW or a group has to let them in
 */
export type FindOffers = (
  person: Person,
  isForeign: boolean,
  asked: string | undefined,
) => Promise<{ readonly offers: readonly Offer[]; readonly more: number }>

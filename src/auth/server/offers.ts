import type { Person } from '../sign-in/person.ts'

/** An endpoint that a person may connect. */
export interface Offer {
  readonly name: string
  readonly title: string
  /** The names of its tools. */
  readonly tools: readonly string[]
  /** Whether it is the one that is asked for. */
  readonly isAsked?: boolean
}

/** The endpoints that a person may connect by one question of an app. */
export interface Offers {
  /** The one that is asked for comes first. If it was asked for by its name, it is the only one. */
  readonly offers: readonly Offer[]
  /** How many more there are. */
  readonly more: number
}

/**
 * Finds the endpoints that a person may use. Without a name, the one at `/mcp` is asked for.
 *
 * @param needsGroup whether only a group can let them in: SIGN_IN_ALLOW does not name them
 */
export type FindOffers = (
  person: Person,
  needsGroup: boolean,
  asked: string | undefined,
) => Promise<Offers>

import type { Person } from './sign-in/person.ts'

/** An endpoint that a person can connect to an app. */
export interface Offer {
  readonly name: string
  readonly title: string
  /** The names of its tools. */
  readonly tools: readonly string[]
  /** True for the requested endpoint. */
  readonly isAsked?: boolean
}

/** Endpoints that a person can connect to an app with one request. */
export interface Offers {
  /** The requested endpoint comes first. If it was requested by name, it is the only one. */
  readonly offers: readonly Offer[]
  /** Number of endpoints beyond these. */
  readonly more: number
}

/**
 * Finds the endpoints that a person can use. Without a name, the endpoint at `/mcp` is the requested one.
 *
 * @param needsGroup true if only a group can give them access, because SIGN_IN_ALLOW does not list them
 */
export type FindOffers = (
  person: Person,
  needsGroup: boolean,
  asked: string | undefined,
) => Promise<Offers>

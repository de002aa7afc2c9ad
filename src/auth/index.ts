import { namesWay, type SignInEnv } from './settings.ts'

export { type AskGranted, grantedBy, IssuerUnavailable, isFor } from './access-token.ts'
export { byOperator, isOperator, looksUnset, type ShownCredentials, shownBy } from './credential.ts'
export { equal } from './equal.ts'
export { callerWith, opens, UNSET_KEY, WRONG_KEY } from './key.ts'
export type { FindOffers, Offer } from './offers.ts'
export {
  type BearerFault,
  challengeOf,
  metadataUrlOf,
  nameIn,
  resourceMetadata,
  resourceOf,
} from './resource.ts'
export { pathOf, readSecretUrl, withoutSecretUrl } from './secret-url.ts'
export { authorizationIn, authorizationObject, forwarded } from './server/object.ts'
export type { AccessRights, OperatorSeen } from './server/orders.ts'
export {
  hasConsole,
  issuersOf,
  isTrue,
  offersSignIn,
  type SignInEnv,
  signsInAt,
  takesTokens,
} from './settings.ts'
export type { Person } from './sign-in/person.ts'

/** Loads the code that reads the allow lists in the settings. */
export const allowLists = () => import('./sign-in/allow.ts')

/** Loads the pages that the entry point itself serves. */
export const doorPages = () => import('./pages/not-set.ts')

/** Reports whether the settings configure a way to sign in, and whether it works. */
export async function wayToSignIn(env: SignInEnv): Promise<'set' | 'missing' | 'faulty'> {
  if (!namesWay(env)) return env.TOKEN_ISSUER ? 'set' : 'missing'
  const { faultsOfWays } = await import('./sign-in/faults.ts')
  return faultsOfWays(env).length > 0 ? 'faulty' : 'set'
}

/** Problems in the sign-in settings, as messages for the operator. */
export const signInFaults = async (env: SignInEnv): Promise<readonly string[]> =>
  (await import('./sign-in/faults.ts')).signInFaults(env)

/**
 * True if an authorization request repeats no parameter (RFC 6749, section 3.1), so it cannot be mistaken for a request
 * from another app or for another address. Only `resource` can be repeated (RFC 8707).
 */
export function isUnambiguous(parameters: URLSearchParams): boolean {
  const names = [...parameters.keys()].filter((it) => it !== 'resource')
  return new Set(names).size === names.length
}

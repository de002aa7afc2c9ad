import { namesWay, type SignInEnv } from './settings.ts'

export { type AskGranted, grantedBy, isFor } from './access-token.ts'
export { isOperator, type Shown, shownBy } from './credential.ts'
export { callerWith, opens, WRONG_KEY } from './key.ts'
export { isUnambiguous } from './question.ts'
export {
  challengeOf,
  metadataUrlOf,
  nameIn,
  READ,
  resourceMetadata,
  resourceOf,
  type TokenFault,
} from './resource.ts'
export { pathOf, readSecretUrl, withoutSecretUrl } from './secret-url.ts'
export { authorizationIn, authorizationObject, forwarded } from './server/object.ts'
export type { FindOffers, Offer } from './server/offers.ts'
export type { Granted, OperatorSeen } from './server/orders.ts'
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

/** Loads the pages that the door itself shows. */
export const doorPages = () => import('./pages/door.ts')

/** Whether the settings name a way to sign in, and whether it can be gone. */
export async function wayToSignIn(env: SignInEnv): Promise<'set' | 'missing' | 'faulty'> {
  if (!namesWay(env)) return env.TOKEN_ISSUER ? 'set' : 'missing'
  const { faultsOfWays } = await import('./sign-in/faults.ts')
  return faultsOfWays(env).length > 0 ? 'faulty' : 'set'
}

/** Why people cannot sign in as the operator means it. */
export const signInFaults = async (env: SignInEnv): Promise<readonly string[]> =>
  (await import('./sign-in/faults.ts')).signInFaults(env)

import { BoundedMap, inTime, steadyNow } from '../ground/index.ts'
import { Misses, RegistryUnavailable, TooManyMisses } from '../registry/index.ts'
import { resourceOf } from './resource.ts'
import { authorizationIn } from './server/object.ts'
import type { AccessRights } from './server/orders.ts'
import { offersSignIn, type SignInEnv } from './settings.ts'
import type { GroupsCount } from './sign-in/group-list.ts'

/** Pattern of an access token issued here: user ID, grant ID and secret. */
const OWN = /^[\w-]{43}:[\w-]{16}:[\w-]{32}$/
const JWT = /^eyJ[\w-]{1,2000}\.[\w-]{1,14000}\.[\w-]{1,2000}$/

/** True if the string looks like an access token: one issued here, or a JWT from the operator's issuer. */
export const isAccessToken = (text: string, env: SignInEnv): boolean =>
  (OWN.test(text) && offersSignIn(env)) || (JWT.test(text) && Boolean(env.TOKEN_ISSUER))

/** Lifetime of a cached grant. A revoked token must be refused within ten seconds. Refusals are never cached. */
const YES_MS = 9_000

const MAX_KNOWN = { entries: 2_000, size: 4 * 1024 * 1024 }

/** Time limit for the authorization server and the issuer to respond. */
const MAX_WAIT_MS = 5_000

/** Reports that a token from TOKEN_ISSUER cannot be verified now, because its issuer cannot be reached. */
export class IssuerUnavailable extends RegistryUnavailable {
  constructor(options: ErrorOptions) {
    super(
      'The issuer of this access token cannot be reached, so it cannot be verified. Try again in a minute.',
      options,
    )
  }
}

/**
 * Looks up what an access token grants. Undefined if the token is invalid, expired or revoked, or is a JWT for another
 * resource.
 */
export type AskGranted = (
  token: string,
  resource: string,
  address: string | undefined,
) => Promise<AccessRights | undefined>

/**
 * Returns a function that looks up what access tokens grant, and caches the results in this isolate. The function
 * throws {@link RegistryUnavailable}, or {@link TooManyMisses} if one address has sent too many invalid tokens.
 */
export function grantedBy(
  env: SignInEnv & { readonly AUTHORIZATION: DurableObjectNamespace },
  groupsCount: GroupsCount,
): AskGranted {
  const known = new BoundedMap<{ readonly granted: AccessRights; readonly until: number }>(
    MAX_KNOWN,
  )
  const misses = new Misses()

  async function ask(token: string, resource: string): Promise<AccessRights | undefined> {
    if (!JWT.test(token)) return authorizationIn(env.AUTHORIZATION)('granted', { token })
    const { grantedByJwt } = await import('./jwt.ts')
    return grantedByJwt(token, resource, env, groupsCount)
  }

  return async (token, resource, address) => {
    const now = steadyNow()
    const key = JWT.test(token) ? `${resource} ${token}` : token
    const remembered = known.get(key)
    if (remembered && remembered.until > now && remembered.granted.expiresAt > Date.now())
      return remembered.granted
    // A token that was valid is not a guess. Hosts send all their users' tokens from the same few addresses.
    const isCounted = address !== undefined && !remembered
    if (isCounted && misses.tooMany(address)) throw new TooManyMisses()
    const granted = await inTime(MAX_WAIT_MS, ask(token, resource)).catch((cause: unknown) => {
      if (JWT.test(token)) throw new IssuerUnavailable({ cause })
      throw new RegistryUnavailable('The authorization server does not answer.', { cause })
    })
    if (!granted && address !== undefined) misses.note(address)
    // A refusal is not cached: the token works again once the person has signed in again.
    if (!granted || granted.refused !== undefined) {
      known.delete(key)
      return granted
    }
    const size = key.length + JSON.stringify(granted).length
    known.set(key, { granted, until: now + YES_MS }, size)
    return granted
  }
}

/**
 * True if a token is for an endpoint: its audience matches the URL, and the person selected the endpoint. An endpoint
 * that was created later under the same name does not count.
 */
export const isFor = (
  { audience, endpoints, since = Number.POSITIVE_INFINITY }: AccessRights,
  { origin, name: asked }: { readonly origin: string; readonly name?: string | undefined },
  { name, createdAt }: { readonly name: string; readonly createdAt: number },
): boolean =>
  (audience === resourceOf(origin, asked) || audience === resourceOf(origin)) &&
  (endpoints.includes('*') || (endpoints.includes(name) && createdAt <= since))

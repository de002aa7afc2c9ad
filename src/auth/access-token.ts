import { inTime, Misses, Recent, RegistryUnavailable, TooManyMisses } from '../registry/index.ts'
import { resourceOf } from './resource.ts'
import { authorizationIn } from './server/object.ts'
import type { Granted } from './server/orders.ts'
import { offersSignIn, type SignInEnv } from './settings.ts'

/** A token of the authorization server here: a user, a grant and a secret. */
const OWN = /^[\w-]{43}:[\w-]{16}:[\w-]{32}$/
const JWT = /^eyJ[\w-]{1,2000}\.[\w-]{1,14000}\.[\w-]{1,2000}$/

/** Whether a text may be an access token here: one of our own, or a JWT of the operator's issuer. */
export const isAccessToken = (text: string, env: SignInEnv): boolean =>
  (OWN.test(text) && offersSignIn(env)) || (JWT.test(text) && Boolean(env.TOKEN_ISSUER))

/** A *yes* is remembered for so long: a revoked token has to be refused within ten seconds. A *no* never is. */
const YES_MS = 9_000

const MAX_KNOWN = { entries: 2_000, size: 4 * 1024 * 1024 }

/** An issuer that has not answered by then counts as one that does not. */
const MAX_WAIT_MS = 5_000

/** Asks what an access token grants. Undefined if it is none, has expired, was revoked, or is for something else. */
export type AskGranted = (
  token: string,
  resource: string,
  address: string | undefined,
) => Promise<Granted | undefined>

/**
 * Asks what tokens grant, unless this isolate has lately. What it answers throws {@link RegistryUnavailable}; and
 * {@link TooManyMisses} if too many tokens from one address were none.
 */
export function grantedBy(
  env: SignInEnv & { readonly AUTHORIZATION: DurableObjectNamespace },
): AskGranted {
  const known = new Recent<{ readonly granted: Granted; readonly until: number }>(MAX_KNOWN)
  const misses = new Misses()

  async function ask(token: string, resource: string): Promise<Granted | undefined> {
    if (!JWT.test(token)) return authorizationIn(env.AUTHORIZATION)('granted', { token })
    const { grantedByJwt } = await import('./jwt.ts')
    return grantedByJwt(token, resource, env)
  }

  return async (token, resource, address) => {
    const now = Date.now()
    const key = JWT.test(token) ? `${resource} ${token}` : token
    const remembered = known.get(key)
    if (remembered && remembered.until > now) return remembered.granted
    // One that was good is not made up. Hosts send those of all their people from the same few addresses.
    const isCounted = address !== undefined && !remembered
    if (isCounted && misses.tooMany(address)) throw new TooManyMisses()
    const granted = await inTime(MAX_WAIT_MS, ask(token, resource)).catch((cause: unknown) => {
      throw new RegistryUnavailable('The authorization server does not answer.', { cause })
    })
    if (!granted) {
      known.delete(key)
      if (address !== undefined) misses.note(address)
      return undefined
    }
    const until = Math.min(now + YES_MS, granted.expiresAt)
    const size = key.length + JSON.stringify(granted).length
    if (until > Date.now()) known.set(key, { granted, until }, size)
    return granted
  }
}

/** An endpoint, and when it was made. */
interface Made {
  readonly name: string
  readonly createdAt: number
}

/**
 * Whether a token is for an endpoint: by its URL, and by what the person ticked. Another one that has the name of
 * one that was removed is not.
 */
export const isFor = (
  { audience, endpoints, since = Number.POSITIVE_INFINITY }: Granted,
  { origin, name: asked }: { readonly origin: string; readonly name?: string | undefined },
  { name, createdAt }: Made,
): boolean =>
  (audience === resourceOf(origin, asked) || audience === resourceOf(origin)) &&
  (endpoints.includes('*') || (endpoints.includes(name) && createdAt <= since))

import { type BearerFault, challengeOf, isOperator, issuersOf, pathOf } from '../auth/index.ts'
import { codes, Refusal } from '../mcp/index.ts'
import type { Env } from './env.ts'
import { faults, NO_ENDPOINT } from './faults.ts'
import type { Site } from './sites.ts'
import { type RequestAccess, visitOf } from './visit.ts'

/** The reason to refuse a caller, if there is one. */
export function refusalOf(
  { route, caller, key, wrong, open, sites, lacksRight, lacksScope, resource }: RequestAccess,
  env: Env,
): Refusal | undefined {
  const challenge = (fault?: BearerFault, hint?: string) => ({
    'www-authenticate': challengeOf(env, resource, fault, hint),
    'cache-control': 'no-store',
  })
  if (wrong !== undefined) {
    return new Refusal(401, wrong, challenge({ error: 'invalid_token', why: wrong }))
  }
  if (!caller && !open) {
    if (env.TIDEGATE_KEY) {
      const signsIn = resource && issuersOf(env, resource.origin).length > 0
      const signIn = route === 'sse' ? SIGN_IN_AT_MCP : SIGN_IN
      return signsIn
        ? new Refusal(401, signIn, challenge())
        : new Refusal(401, SEND_KEY, challenge(undefined, SEND_KEY))
    }
    if (sites.length > 0) return new Refusal(503, NO_KEY, {}, codes.internal)
  }
  if (lacksScope) {
    const headers = challenge({ error: 'insufficient_scope', why: NO_SCOPE })
    return new Refusal(403, NO_SCOPE, headers, faults.insufficientScope)
  }
  // Callers who cannot use an endpoint do not learn whether it exists.
  const notFor = key ? NOT_FOR_KEY : NOT_FOR_PERSON
  return lacksRight ? new Refusal(403, notFor, {}, faults.noRight) : undefined
}

/** The refusal for an endpoint that is switched off. The operator can still open its `/doctor`. */
export function inactivity({ route, caller, sites: [site] }: RequestAccess): Refusal | undefined {
  if (!site || site.active) return undefined
  if (route === 'doctor' && isOperator(caller)) return undefined
  return new Refusal(403, INACTIVE, {}, faults.inactive)
}

/**
 * The endpoint that a request can use, checked again where it is served: in a session, its key may have been
 * revoked since the Worker admitted it. Throws a {@link Refusal}.
 */
export async function admittedSite(request: Request, env: Env): Promise<Site> {
  const visit = await visitOf(request, env, pathOf(request))
  const refusal = refusalOf(visit, env) ?? inactivity(visit)
  if (refusal) throw refusal
  const [site] = visit.sites
  if (!site) throw new Refusal(404, NO_ENDPOINT, {}, faults.notFound)
  return site
}

/** Error for a deployment that would otherwise open a database to everybody. */
const NO_KEY =
  'This deployment has a database but no key, so it does not serve it. Set the variable TIDEGATE_KEY. In a Worker: npx wrangler secret put TIDEGATE_KEY'
const SEND_KEY = 'Send the key for this endpoint as Authorization: Bearer KEY.'
const SIGN_IN = 'Sign in, or send the key for this endpoint as Authorization: Bearer KEY.'
const SIGN_IN_AT_MCP =
  'Connect to /mcp and sign in there, or send the key for this endpoint as Authorization: Bearer KEY.'
const NO_SCOPE = 'This access token does not allow reading. Sign in again and allow it.'
const NOT_FOR_PERSON = 'You do not have access to this endpoint. Ask its operator.'
const NOT_FOR_KEY = 'This key has no access to this endpoint. Ask its operator.'
const INACTIVE = 'This endpoint is switched off. Ask its operator.'

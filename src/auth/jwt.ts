import { decodeJwt } from 'jose'
import { type Fetch, IssuerFault, SignedTokenFault } from './issuer/ask.ts'
import { keysUrlOf } from './issuer/metadata.ts'
import { type Claims, verified } from './issuer/signed.ts'
import type { AccessRights } from './server/orders.ts'
import { isTrue, type SignInEnv } from './settings.ts'
import { allowRules, allows } from './sign-in/allow.ts'
import { type ClaimSettings, personIn } from './sign-in/claims.ts'
import { type GroupsCount, groupsFault } from './sign-in/group-list.ts'
import type { Person } from './sign-in/person.ts'

/** The issuer, audience and claims that a token must have. */
export interface JwtSettings extends ClaimSettings {
  /** TOKEN_ISSUER */
  readonly issuer: string
  /** TOKEN_AUDIENCE: defaults to the resource itself. */
  readonly audience?: string | undefined
  /** The URL of the requested endpoint. */
  readonly resource: string
}

/** The contents of another issuer's access token. */
interface JwtBearer {
  readonly person: Person
  readonly scopes: readonly string[]
  /** In milliseconds since 1970. */
  readonly expiresAt: number
  /** The client that the token was issued to. */
  readonly clientId?: string
}

/**
 * Returns what a JWT from the operator's issuer grants at this resource. Undefined if the token is not such a JWT or is
 * refused. Throws if the issuer does not respond.
 */
export async function grantedByJwt(
  token: string,
  resource: string,
  env: SignInEnv,
  groupsCount: GroupsCount,
): Promise<AccessRights | undefined> {
  const issuer = env.TOKEN_ISSUER?.trim()
  if (!issuer) return undefined
  const audience = env.TOKEN_AUDIENCE?.trim()
  // Otherwise, a token for another server would be accepted here: the sender would only have to put that server's name
  // in `Host`.
  if (!audience && !isTrue(new URL(resource).origin)) return undefined
  const settings = { ...env, issuer, audience, resource }
  const read = await personOfJwt(token, settings, fetch)
  if (!read || 'wrong' in read) return undefined
  if ('fault' in read) throw new IssuerFault(read.fault)
  const { person, scopes, expiresAt } = read
  const allowed = allows(allowRules(env.SIGN_IN_ALLOW), person)
  const refused = await groupsFault(person, Date.now(), groupsCount)
  // Its audience was verified and it lists no endpoints, so it opens every endpoint that the audience covers.
  const granted = { person, allowed, scopes, audience: resource, endpoints: ['*'], expiresAt }
  return refused === undefined ? granted : { ...granted, refused }
}

/** Maximum length of a token. */
const MAX_CHARS = 16 * 1024

/**
 * Reads an access token that is a JWT from another issuer (RFC 9068). Returns undefined if the string is not a JWT from
 * this issuer, `wrong` with a message for its holder if it is refused, and `fault` with a message if it cannot be
 * verified now because the issuer does not respond.
 */
export async function personOfJwt(
  token: string,
  settings: JwtSettings,
  fetch: Fetch,
): Promise<JwtBearer | { readonly wrong: string } | { readonly fault: string } | undefined> {
  const { issuer, resource, audience = resource } = settings
  if (!isOf(issuer, token)) return undefined
  try {
    const keysUrl = await keysUrlOf(issuer, fetch)
    const expected = { issuer, audience: audience || resource, keysUrl, types: ['at+jwt', 'jwt'] }
    const claims = await verified(token, expected, fetch)
    assertAccessToken(claims)
    const client = [claims.client_id, claims.azp, claims.cid].find(isClient)
    return {
      person: personIn(claims, issuer, settings),
      scopes: scopesIn(claims),
      expiresAt: claims.exp! * 1_000,
      ...(client !== undefined && { clientId: client }),
    }
  } catch (error) {
    if (error instanceof SignedTokenFault) return { wrong: error.message }
    if (error instanceof IssuerFault) return { fault: error.message }
    throw error
  }
}

/** True if the string claims to be a JWT from this issuer. Nothing is verified yet. */
function isOf(issuer: string, token: string): boolean {
  if (token.length > MAX_CHARS || token.split('.').length !== 3) return false
  try {
    return decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/** The claims that only ID tokens have (OpenID Connect Core 1.0, sections 2 and 3.3.2.11). */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash']

function assertAccessToken(claims: Claims): void {
  if (ID_TOKEN_CLAIMS.some((it) => claims[it] !== undefined)) {
    throw new SignedTokenFault('This is an ID token. Send an access token.')
  }
  // RFC 7800: the token is valid only with proof that the client has the key, which a bearer request does not include.
  if (claims.cnf !== undefined) {
    throw new SignedTokenFault('This token is bound to a key of its client. Send one that is not.')
  }
}

const MAX_SCOPES = 200

/** Entra and Okta use `scp` for the claim that RFC 9068 calls `scope`. */
function scopesIn({ scp, scope = scp }: Claims): readonly string[] {
  const listed = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : []
  const isScope = (it: unknown): it is string => typeof it === 'string' && it !== ''
  return [...new Set(listed.filter(isScope))].slice(0, MAX_SCOPES)
}

const isClient = (it: unknown): it is string =>
  typeof it === 'string' && it !== '' && it.length <= 500 && !/\p{Cc}/u.test(it)

import { decodeJwt } from 'jose'
import type { Fetch } from './issuer/ask.ts'
import { IssuerFault, TokenFault } from './issuer/fault.ts'
import { keysUrlOf } from './issuer/metadata.ts'
import { type Claims, verified } from './issuer/signed.ts'
import type { Granted } from './server/orders.ts'
import { isTrue, type SignInEnv } from './settings.ts'
import { allowRules, allows } from './sign-in/allow.ts'
import { type ClaimSettings, personIn } from './sign-in/claims.ts'
import type { Person } from './sign-in/person.ts'

/** Whose tokens are taken, and for what. */
export interface JwtSettings extends ClaimSettings {
  /** TOKEN_ISSUER */
  readonly issuer: string
  /** TOKEN_AUDIENCE: the resource itself if it is not set. */
  readonly audience?: string | undefined
  /** The URL of the endpoint that is asked for. */
  readonly resource: string
}

/** What an access token of another issuer says. */
export interface JwtBearer {
  readonly person: Person
  readonly scopes: readonly string[]
  /** In milliseconds. */
  readonly expiresAt: number
  /** The client that the token was given to. */
  readonly clientId?: string
}

/**
 * What a JWT of the operator's issuer grants at this resource; undefined if it is none or is not taken.
 * Throws if the issuer does not answer.
 */
export async function grantedByJwt(
  token: string,
  resource: string,
  env: SignInEnv,
): Promise<Granted | undefined> {
  const issuer = env.TOKEN_ISSUER?.trim()
  if (!issuer) return undefined
  const audience = env.TOKEN_AUDIENCE?.trim()
  // Else a token that was given to another server would open this one, by the name of that one in `Host`.
  if (!audience && !isTrue(new URL(resource).origin)) return undefined
  const settings = { ...env, issuer, audience, resource }
  const read = await personOfJwt(token, settings, fetch)
  if (!read || 'wrong' in read) return undefined
  if ('fault' in read) throw new IssuerFault(read.fault)
  const { person, scopes, expiresAt } = read
  const allowed = allows(allowRules(env.SIGN_IN_ALLOW), person)
  // Its audience was verified, and it names no endpoints: the issuer lets its holder in where it is for.
  return { person, allowed, scopes, audience: resource, endpoints: ['*'], expiresAt }
}

/** The longest token that is read. */
const MAX_CHARS = 16 * 1024

/**
 * Reads an access token that is a JWT of another issuer (RFC 9068). Returns nothing for a text that is
 * no JWT of this issuer, `wrong` with a sentence for its holder if it is not taken, and `fault` with a
 * sentence if that cannot be told now, since the issuer does not answer.
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
    if (error instanceof TokenFault) return { wrong: error.message }
    if (error instanceof IssuerFault) return { fault: error.message }
    throw error
  }
}

/** Whether a text says that it is a JWT of this issuer. Anybody can say so: nothing is verified yet. */
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
    throw new TokenFault('This is an ID token. Send an access token.')
  }
  // RFC 7800: it is only good with a proof of the key, and a bearer shows none.
  if (claims.cnf !== undefined) {
    throw new TokenFault('This token is bound to a key of its client. Send one that is not.')
  }
}

const MAX_SCOPES = 200

/** Entra and Okta write `scp` for what RFC 9068 calls `scope`. */
function scopesIn({ scp, scope = scp }: Claims): readonly string[] {
  const listed = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : []
  const isScope = (it: unknown): it is string => typeof it === 'string' && it !== ''
  return [...new Set(listed.filter(isScope))].slice(0, MAX_SCOPES)
}

const isClient = (it: unknown): it is string =>
  typeof it === 'string' && it !== '' && it.length <= 500 && !/\p{Cc}/u.test(it)

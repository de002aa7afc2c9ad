import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { askFor, type Fetch } from './ask.ts'
import { IssuerFault, TokenFault } from './fault.ts'
import { Kept } from './kept.ts'

/** What a signed token says. */
export type Claims = Readonly<JWTPayload>

/** What a signed token has to be. */
export interface Expected {
  readonly issuer: string
  readonly audience: string
  /** Where the issuer publishes its keys. */
  readonly keysUrl: string
  /** The types it may have, in small letters (RFC 7519, section 5.1). It may also have none. */
  readonly types: readonly string[]
}

/** Public keys only. With a shared secret, a published key could be taken for the secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const

/** How far clocks may be apart. */
const SKEW_SECONDS = 30

const kept = new Kept<JSONWebKeySet>()

/**
 * Verifies a signed token (RFC 7519, RFC 8725): its signature, issuer, audience, type and time. Throws
 * {@link TokenFault} and, if the issuer's keys cannot be had, {@link IssuerFault}.
 */
export async function verified(token: string, expected: Expected, fetch: Fetch): Promise<Claims> {
  const { issuer, audience, keysUrl, types } = expected
  const load = () => keysAt(keysUrl, fetch)
  const under = (keys: JSONWebKeySet) =>
    // Made anew each time: a key set of jose keeps promises.
    jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience,
      algorithms: [...ALGORITHMS],
      clockTolerance: SKEW_SECONDS,
    })
  const known = await kept.get(keysUrl, load)
  const verifying = under(known).catch(async (error) => {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    const newer = await kept.news(keysUrl, load)
    if (!newer) throw error
    return under(newer)
  })
  const { payload, protectedHeader } = await verifying.catch((error) => {
    throw error instanceof IssuerFault ? error : new TokenFault(reasonOf(error))
  })
  const { typ } = protectedHeader
  const type = typ === undefined ? undefined : String(typ).toLowerCase()
  if (type !== undefined && !types.includes(type.replace(/^application\//, ''))) {
    throw new TokenFault('This token is of another kind.')
  }
  // jose lets one pass that never expires.
  if (!Number.isSafeInteger(Math.trunc(payload.exp ?? NaN))) throw new TokenFault(MALFORMED)
  if (payload.iat !== undefined && payload.iat > Date.now() / 1_000 + SKEW_SECONDS) {
    throw new TokenFault(TOO_EARLY)
  }
  return payload
}

async function keysAt(url: string, fetch: Fetch): Promise<JSONWebKeySet> {
  const keys = (await askFor(url, fetch)) as JSONWebKeySet
  try {
    createLocalJWKSet(keys)
  } catch {
    throw new IssuerFault('The keys that the identity provider publishes are malformed.')
  }
  return keys
}

const TOO_EARLY = 'This token is not valid yet.'
const MALFORMED = 'This token is malformed.'

/** The words for a refusal of jose. Its own could hold what the token says. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'This token has expired.'
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return 'This token is not signed with one of the algorithms that are taken.'
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return 'This token is signed with a key that its issuer does not publish.'
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return 'This token does not say with which key it is signed.'
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'The signature of this token is wrong.'
  }
  if (!(error instanceof errors.JWTClaimValidationFailed)) return MALFORMED
  if (error.claim === 'iss') return 'This token is from another issuer.'
  if (error.claim === 'aud') return 'This token is for another audience.'
  return error.claim === 'nbf' ? TOO_EARLY : MALFORMED
}

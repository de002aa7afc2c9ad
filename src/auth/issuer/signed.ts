import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { askFor, type Fetch, IssuerFault, SignedTokenFault } from './ask.ts'
import { DocumentCache } from './kept.ts'

/** The claims of a signed token. */
export type Claims = Readonly<JWTPayload>

/** Requirements for a signed token. */
export interface TokenRequirements {
  readonly issuer: string
  readonly audience: string
  /** URL of the issuer's keys. */
  readonly keysUrl: string
  /** Accepted types, in lowercase (RFC 7519, section 5.1). A token without a type is also accepted. */
  readonly types: readonly string[]
}

/** Only algorithms with public keys. If shared secrets were allowed, a published key could be used as the secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const

/** Tolerated clock difference. */
const SKEW_SECONDS = 30

const kept = new DocumentCache<JSONWebKeySet>()

/**
 * Verifies a signed token (RFC 7519, RFC 8725): its signature, issuer, audience, type and time. Throws {@link
 * SignedTokenFault}, or {@link IssuerFault} if the issuer's keys are not available.
 */
export async function verified(
  token: string,
  expected: TokenRequirements,
  fetch: Fetch,
): Promise<Claims> {
  const { issuer, audience, keysUrl, types } = expected
  const load = () => keysAt(keysUrl, fetch)
  const under = (keys: JSONWebKeySet) =>
    // Created for each token, because a jose key set stores promises.
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
    throw error instanceof IssuerFault ? error : new SignedTokenFault(reasonOf(error))
  })
  const { typ } = protectedHeader
  const type = typ === undefined ? undefined : String(typ).toLowerCase()
  if (type !== undefined && !types.includes(type.replace(/^application\//, ''))) {
    throw new SignedTokenFault('This token is of another kind.')
  }
  // jose accepts tokens that never expire.
  if (!Number.isSafeInteger(Math.trunc(payload.exp ?? NaN))) throw new SignedTokenFault(MALFORMED)
  if (payload.iat !== undefined && payload.iat > Date.now() / 1_000 + SKEW_SECONDS) {
    throw new SignedTokenFault(TOO_EARLY)
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

/** Messages for jose errors. An error's own message could contain text from the token. */
const REASONS = [
  [errors.JWTExpired, 'This token has expired.'],
  [errors.JOSEAlgNotAllowed, 'This token is not signed with one of the accepted algorithms.'],
  [errors.JWKSNoMatchingKey, 'This token is signed with a key that its issuer does not publish.'],
  [errors.JWKSMultipleMatchingKeys, 'This token does not say with which key it is signed.'],
  [errors.JWSSignatureVerificationFailed, 'The signature of this token is wrong.'],
] as const

const CLAIMS: Readonly<Record<string, string>> = {
  iss: 'This token is from another issuer.',
  aud: 'This token is for another audience.',
  nbf: TOO_EARLY,
}

function reasonOf(error: unknown): string {
  const [, reason] = REASONS.find(([kind]) => error instanceof kind) ?? []
  const isClaim = error instanceof errors.JWTClaimValidationFailed
  return reason ?? (isClaim ? CLAIMS[error.claim] : undefined) ?? MALFORMED
}

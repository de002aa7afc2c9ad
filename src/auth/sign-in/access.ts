import { type Fetch, IssuerFault, SignedTokenFault } from '../issuer/ask.ts'
import { assertAddress } from '../issuer/metadata.ts'
import { type Claims, verified } from '../issuer/signed.ts'
import type { SignInEnv } from '../settings.ts'
import { type ClaimSettings, groupsClaim, personIn } from './claims.ts'
import { type Person, SignInFault } from './person.ts'

/** Maximum length of an assertion. */
const MAX_CHARS = 16 * 1024

/**
 * The person whom Cloudflare Access identifies in a request. Undefined if it identifies nobody or is not set up. Only
 * the signature is trusted, not the header, since anybody who bypasses Access can send the header.
 *
 * Throws {@link SignInFault} if the keys of Access are not available.
 */
export async function personOfAccess(
  request: Request,
  settings: Pick<SignInEnv, 'ACCESS_TEAM' | 'ACCESS_AUDIENCE' | 'SIGN_IN_GROUPS_CLAIM'>,
  fetch: Fetch,
): Promise<Person | undefined> {
  const { ACCESS_TEAM: team, ACCESS_AUDIENCE: audience, SIGN_IN_GROUPS_CLAIM } = settings
  const assertion = request.headers.get('cf-access-jwt-assertion') ?? cookieOf(request)
  if (!team || !audience || !assertion || assertion.length > MAX_CHARS) return undefined
  const issuer = team.endsWith('/') ? team.slice(0, -1) : team
  try {
    assertAddress(issuer)
    const expected = { issuer, audience, keysUrl: `${issuer}/cdn-cgi/access/certs`, types: ['jwt'] }
    const claims = await verified(assertion, expected, fetch)
    // People who come through Access are named by their email address. Programs that come through it do not have one.
    const named = { SIGN_IN_GROUPS_CLAIM }
    const proved = { ...claims, ...groups(claims, named), email_verified: true }
    // Access sends the same assertion with each request for as long as it is configured to, which can be a month.
    return { ...personIn(proved, issuer, named), groupsAt: (claims.iat ?? 0) * 1_000 }
  } catch (error) {
    if (error instanceof SignedTokenFault) return undefined
    throw error instanceof IssuerFault ? new SignInFault(error.message) : error
  }
}

/** Access puts the claims from its own identity provider into `custom`. */
function groups(claims: Claims, settings: ClaimSettings): Claims {
  const name = groupsClaim(settings)
  const { custom } = claims as { custom?: Claims }
  const isThere = typeof custom === 'object' && custom !== null && Object.hasOwn(custom, name)
  return isThere && claims[name] === undefined ? { [name]: custom[name] } : {}
}

/** The cookie that Access sets in a browser. */
function cookieOf({ headers }: Request): string | undefined {
  const name = 'CF_Authorization='
  const cookies = (headers.get('cookie') ?? '').split(';').map((it) => it.trim())
  return cookies.find((it) => it.startsWith(name))?.slice(name.length)
}

import type { Fetch } from '../issuer/ask.ts'
import { IssuerFault, TokenFault } from '../issuer/fault.ts'
import { assertAddress } from '../issuer/metadata.ts'
import { type Claims, verified } from '../issuer/signed.ts'
import { type ClaimSettings, groupsClaim, personIn } from './claims.ts'
import { type Person, SignInFault } from './person.ts'

/** An application of Cloudflare Access, which stands before this server and signs people in. */
export interface AccessSettings extends Pick<ClaimSettings, 'SIGN_IN_GROUPS_CLAIM'> {
  readonly ACCESS_TEAM?: string | undefined
  readonly ACCESS_AUDIENCE?: string | undefined
}

/** The longest assertion that is read. */
const MAX_CHARS = 16 * 1024

/**
 * Who Cloudflare Access says that sends a request; nobody if it does not say so, or is not set up. The
 * signature counts and not the header, since anybody can send one past Access.
 *
 * Throws {@link SignInFault} if Access cannot be asked for its keys.
 */
export async function personOfAccess(
  request: Request,
  settings: AccessSettings,
  fetch: Fetch,
): Promise<Person | undefined> {
  const { ACCESS_TEAM: team, ACCESS_AUDIENCE: audience } = settings
  const assertion = request.headers.get('cf-access-jwt-assertion') ?? cookieOf(request)
  if (!team || !audience || !assertion || assertion.length > MAX_CHARS) return undefined
  const issuer = team.endsWith('/') ? team.slice(0, -1) : team
  try {
    assertAddress(issuer)
    const expected = { issuer, audience, keysUrl: `${issuer}/cdn-cgi/access/certs`, types: ['jwt'] }
    const claims = await verified(assertion, expected, fetch)
    // What Access lets in is named by its address. A program that it lets in has none.
    const proved = { ...claims, ...groups(claims, settings), email_verified: true }
    return personIn(proved, issuer, { SIGN_IN_GROUPS_CLAIM: settings.SIGN_IN_GROUPS_CLAIM })
  } catch (error) {
    if (error instanceof TokenFault) return undefined
    throw error instanceof IssuerFault ? new SignInFault(error.message) : error
  }
}

/** Access puts the claims of the provider behind it into `custom`. */
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

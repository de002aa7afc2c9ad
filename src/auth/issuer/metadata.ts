import * as z from 'zod/mini'
import { isLoopback } from '../../ground/index.ts'
import { askFor, type Fetch, IssuerFault } from './ask.ts'
import { DocumentCache } from './kept.ts'

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.optional(z.string()),
  token_endpoint: z.optional(z.string()),
  userinfo_endpoint: z.optional(z.string()),
  jwks_uri: z.optional(z.string()),
  token_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
})

/** An issuer's metadata. It is safe to send secrets to the URLs in it. */
export type Metadata = z.infer<typeof Metadata>

const kept = new DocumentCache<Metadata>()

/**
 * Discovers an issuer with OpenID Connect Discovery 1.0, or else with RFC 8414. The issuer in the metadata must be
 * exactly the configured one. Throws {@link IssuerFault}.
 */
export const metadataOf = (issuer: string, fetch: Fetch): Promise<Metadata> =>
  kept.get(issuer, async () => {
    const { openId, oauth } = wellKnown(issuer)
    try {
      return read(await askFor(openId, fetch), issuer)
    } catch (fault) {
      return askFor(oauth, fetch).then(
        (it) => read(it, issuer),
        // The error from the first URL is more useful.
        () => {
          throw fault
        },
      )
    }
  })

/** The URL of an issuer's keys. Throws {@link IssuerFault}. */
export async function keysUrlOf(issuer: string, fetch: Fetch): Promise<string> {
  const { jwks_uri } = await metadataOf(issuer, fetch)
  if (!jwks_uri) throw new IssuerFault('The identity provider publishes no keys.')
  return jwks_uri
}

/** The metadata URLs of an issuer. One suffix goes after its path, the other before it. */
function wellKnown(issuer: string) {
  assertAddress(issuer)
  const { origin, pathname } = new URL(issuer)
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  return {
    openId: `${origin}${path}/.well-known/openid-configuration`,
    oauth: `${origin}/.well-known/oauth-authorization-server${path}`,
  }
}

/** Throws {@link IssuerFault} if the string cannot be an issuer's URL (RFC 8414, section 2). */
export function assertAddress(issuer: string): void {
  const url = /[?#\s]/.test(issuer) || !URL.canParse(issuer) ? undefined : new URL(issuer)
  if (url && isSafe(url, isLoopback(url.hostname))) return
  throw new IssuerFault(
    'The address of the identity provider has to be an https URL without a query. The operator has to correct it.',
  )
}

function read(json: unknown, issuer: string): Metadata {
  const { success, data } = Metadata.safeParse(json)
  if (!success) throw new IssuerFault('What the identity provider says of itself is malformed.')
  // OpenID Connect Discovery 1.0, section 4.3, and RFC 8414, section 3.3. Entra's multi-tenant issuers (`common`) have
  // `{tenantid}` here, so they are refused: any tenant could claim any email address.
  if (data.issuer !== issuer) {
    throw new IssuerFault(
      'The configured issuer does not match the issuer that the provider names. The operator has to set exactly the issuer that its .well-known/openid-configuration has, for Microsoft that of one tenant.',
    )
  }
  const local = isLoopback(new URL(issuer).hostname)
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = data
  for (const address of [authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri]) {
    if (address === undefined) continue
    if (URL.canParse(address) && isSafe(new URL(address), local)) continue
    throw new IssuerFault('The identity provider names an address that is not encrypted.')
  }
  return data
}

/** True if traffic to this URL is encrypted, or if it stays on this machine and that is intended. */
const isSafe = (url: URL, local: boolean): boolean =>
  !url.username &&
  !url.password &&
  (url.protocol === 'https:' || (url.protocol === 'http:' && local && isLoopback(url.hostname)))

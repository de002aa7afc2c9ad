import * as z from 'zod/mini'
import { askFor, type Fetch } from './ask.ts'
import { IssuerFault } from './fault.ts'
import { Kept } from './kept.ts'

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.optional(z.string()),
  token_endpoint: z.optional(z.string()),
  userinfo_endpoint: z.optional(z.string()),
  jwks_uri: z.optional(z.string()),
  token_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
})

/** What an issuer says of itself. Its addresses are safe to send secrets to. */
export type Metadata = z.infer<typeof Metadata>

const kept = new Kept<Metadata>()

/**
 * Discovers an issuer by OpenID Connect Discovery 1.0, or else by RFC 8414. It has to call itself
 * exactly what it is called here. Throws {@link IssuerFault}.
 */
export const metadataOf = (issuer: string, fetch: Fetch): Promise<Metadata> =>
  kept.get(issuer, async () => {
    const { openId, oauth } = wellKnown(issuer)
    try {
      return read(await askFor(openId, fetch), issuer)
    } catch (fault) {
      return askFor(oauth, fetch).then(
        (it) => read(it, issuer),
        // That it has no such page says less than what is wrong with the other one.
        () => {
          throw fault
        },
      )
    }
  })

/** The address of the keys of an issuer. Throws {@link IssuerFault}. */
export async function keysUrlOf(issuer: string, fetch: Fetch): Promise<string> {
  const { jwks_uri } = await metadataOf(issuer, fetch)
  if (!jwks_uri) throw new IssuerFault('The identity provider publishes no keys.')
  return jwks_uri
}

/** The addresses of what an issuer says of itself. One goes on after its path, the other before it. */
function wellKnown(issuer: string) {
  assertAddress(issuer)
  const { origin, pathname } = new URL(issuer)
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  return {
    openId: `${origin}${path}/.well-known/openid-configuration`,
    oauth: `${origin}/.well-known/oauth-authorization-server${path}`,
  }
}

/** Throws {@link IssuerFault} for what cannot be the address of an issuer (RFC 8414, section 2). */
export function assertAddress(issuer: string): void {
  const url = /[?#\s]/.test(issuer) || !URL.canParse(issuer) ? undefined : new URL(issuer)
  if (url && isSafe(url, isLoopback(url))) return
  throw new IssuerFault(
    'The address of the identity provider has to be an https URL without a query. The operator has to correct it.',
  )
}

function read(json: unknown, issuer: string): Metadata {
  const { success, data } = Metadata.safeParse(json)
  if (!success) throw new IssuerFault('What the identity provider says of itself is malformed.')
  // OpenID Connect Discovery 1.0, section 4.3, and RFC 8414, section 3.3. Entra's issuers for several
  // tenants (`common`) say `{tenantid}` there, so they are refused: any tenant could name any address.
  if (data.issuer !== issuer) {
    throw new IssuerFault(
      'The identity provider calls itself by another issuer than the one that is set. The operator has to set exactly the issuer that its .well-known/openid-configuration has, for Microsoft that of one tenant.',
    )
  }
  const local = isLoopback(new URL(issuer))
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = data
  for (const address of [authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri]) {
    if (address === undefined) continue
    if (URL.canParse(address) && isSafe(new URL(address), local)) continue
    throw new IssuerFault('The identity provider names an address that is not encrypted.')
  }
  return data
}

/** Whether what is sent there is encrypted, or stays on this machine where that is meant. */
const isSafe = (url: URL, local: boolean): boolean =>
  !url.username &&
  !url.password &&
  (url.protocol === 'https:' || (url.protocol === 'http:' && local && isLoopback(url)))

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.includes(hostname)

import { isPublicName } from '../../registry/index.ts'
import { ask, type Fetch } from '../issuer/ask.ts'

/**
 * Whether a client's metadata document is where its id says (draft-ietf-oauth-client-id-metadata-document), and
 * nothing in it makes us ask another network. The library follows redirects, and takes any status that means success:
 * then a site that redirects to any address would vouch for any app. Other ids have no document.
 */
export async function isAtItsAddress(clientId: string): Promise<boolean> {
  if (!/^https:/i.test(clientId)) return true
  if (!isPublicUrl(clientId) || new URL(clientId).href !== clientId) return false
  try {
    const { status, json } = await ask(clientId, uncached)
    return status === 200 && (json === undefined || isPublicUrl(keysOf(json) ?? clientId))
  } catch {
    return false
  }
}

const uncached: Fetch = (url, init) => fetch(url, { ...init, cache: 'no-store' })

/** Where the keys of a client are, which the library fetches as well. */
const keysOf = (document: unknown): string | undefined => {
  const { jwks_uri } = Object(document) as { jwks_uri?: unknown }
  return typeof jwks_uri === 'string' ? jwks_uri : undefined
}

/**
 * Whether a stranger may have us fetch this: `https`, at the usual port of a name that is public. What the name
 * resolves to is the platform's to check: Cloudflare reaches no private address from a Worker.
 */
export function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.port) return false
  return !url.username && !url.password && !text.includes('#') && isPublicName(url.hostname)
}

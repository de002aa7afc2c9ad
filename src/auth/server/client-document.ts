import { publicHosts } from '../../registry/index.ts'
import { ask, type Fetch } from '../issuer/ask.ts'

/** Reports that a client's document is refused. If its site could not be reached, that may not be the app's fault. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault'
  readonly isReached: boolean

  constructor(isReached: boolean) {
    super(isReached ? 'The document is not at its address.' : 'The document was not reached.')
    this.isReached = isReached
  }
}

/**
 * Throws {@link DocumentFault} unless a client's metadata document is acceptable. It must be at the URL in the client
 * ID (draft-ietf-oauth-client-id-metadata-document), and must not cause requests to a private network. The library
 * follows redirects and accepts any success status, so a site that redirects to any address would vouch for any app.
 * Other client IDs have no document.
 */
export async function assertDocument(clientId: string): Promise<void> {
  if (!/^https:/i.test(clientId)) return
  if (!(await isPublicUrl(clientId)) || new URL(clientId).href !== clientId) {
    throw new DocumentFault(true)
  }
  let isReached = true
  const uncached: Fetch = (url, init) =>
    fetch(url, { ...init, cache: 'no-store' }).catch((error: unknown) => {
      isReached = false
      throw error
    })
  const { status, json } = await ask(clientId, uncached).catch(() => {
    throw new DocumentFault(isReached)
  })
  const isThere = status === 200 && (await isPublicUrl(keysOf(json) ?? clientId))
  if (!isThere) throw new DocumentFault(true)
}

/** The URL of a client's keys, which the library fetches as well. */
const keysOf = (document: unknown): string | undefined => {
  const { jwks_uri } = Object(document) as { jwks_uri?: unknown }
  return typeof jwks_uri === 'string' ? jwks_uri : undefined
}

/**
 * True if it is safe to fetch this URL for a stranger: it is `https`, on the default port of a public host name. The
 * platform checks the resolved addresses: on Cloudflare, a Worker cannot reach private addresses.
 */
async function isPublicUrl(text: string): Promise<boolean> {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.port) return false
  const { isPublicName } = await publicHosts()
  return !url.username && !url.password && !text.includes('#') && isPublicName(url.hostname)
}

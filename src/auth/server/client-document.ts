/** How long a client's host may take to answer. */
const TIMEOUT_MS = 10_000

/**
 * Whether a client's metadata document is where its id says (draft-ietf-oauth-client-id-metadata-document). The
 * library follows redirects, and takes any status that means success: then a site that redirects to any address
 * would vouch for any app. Other ids have no document.
 */
export async function isAtItsAddress(clientId: string): Promise<boolean> {
  if (!/^https:/i.test(clientId)) return true
  if (!URL.canParse(clientId)) return false
  const { href, username, password, hash } = new URL(clientId)
  if (href !== clientId || username || password || hash) return false
  try {
    const response = await fetch(clientId, {
      headers: { accept: 'application/json', 'user-agent': 'Tidegate' },
      redirect: 'manual',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}

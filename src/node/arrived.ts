/** The header with the client's address, set by the platform. Cloudflare sets it itself. */
const ADDRESS = 'cf-connecting-ip'

/** Headers that platforms and proxies write. From a client, they are unverified claims. */
const CLAIMED =
  /^(?:(?:cf|mf|x-forwarded|x-original|x-envoy|x-appengine|x-azure|x-cluster|x-vercel|fly|fastly)-.*|forwarded-for|(?:x-)?forwarded|via|(?:x-|true-|x-true-|wl-proxy-)?(?:client|real)-?ip|(?:x-)?remote-(?:addr|ip)|x-rewrite-url|x-host)$/

/** Cloudflare Access signs it, and the sign-in checks the signature. */
const SIGNED = ['cf-access-jwt-assertion']

/** True if a header with this lowercase name is dropped before the gateway reads a request. */
export const isClaimed = (name: string): boolean => CLAIMED.test(name) && !SIGNED.includes(name)

/** A request as a Worker gets it: without the client's claims about addresses, and with the known address. */
export function arrived(request: Request, address?: string): Request {
  const dropped = [...request.headers.keys()].filter(isClaimed)
  if (dropped.length === 0 && !address) return request
  try {
    return withAddress(request, dropped, address)
  } catch {
    // The headers of a received request can be read-only.
    const { url, method, signal, body } = request
    const headers = new Headers(request.headers)
    const copy = new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit)
    return withAddress(copy, dropped, address)
  }
}

function withAddress(request: Request, dropped: readonly string[], address?: string): Request {
  for (const name of dropped) request.headers.delete(name)
  if (address) request.headers.set(ADDRESS, address)
  return request
}

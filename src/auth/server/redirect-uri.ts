import { isLoopback } from '../../ground/index.ts'

/**
 * True if a redirect URI can be registered (RFC 7591, section 5): it is `https`, `http` on the person's own machine, or
 * has a scheme of the app's own. The library also accepts invalid ones next to a valid one.
 */
export function mayBeRegistered(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return (protocol !== 'http:' || isLoopback(hostname)) && isPlain(uri)
}

/**
 * True if a redirect URI is in normal form. On the person's own machine, the library compares parsed URIs, since their
 * ports can differ. The rest must be equal character by character (RFC 9700, section 4.1.3), which holds for URIs in
 * normal form.
 */
export function isPlain(uri: string): boolean {
  if (!URL.canParse(uri) || !isLoopback(new URL(uri).hostname)) return true
  const withoutPort = uri.replace(PORT, '$1')
  const { href } = new URL(withoutPort)
  return href === withoutPort || href === `${withoutPort}/`
}

/** True if the URI is on the person's own machine, where nobody else can register an address. */
export const isOnThisComputer = (uri: string): boolean =>
  URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol) && isLoopback(new URL(uri).hostname)

const PORT = /^(https?:\/\/[a-z0-9.:[\]]{1,20}?):\d{1,5}(?=\/|$)/

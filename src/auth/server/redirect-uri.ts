/**
 * Whether a redirect URI may be registered (RFC 7591, section 5): it is `https`, `http` on the machine of the
 * person, or of a scheme of the app alone. The library takes others, too, beside one that is good.
 */
export function mayBeRegistered(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return (protocol !== 'http:' || LOOPBACK.test(hostname)) && isPlain(uri)
}

/**
 * Whether a redirect URI is written in the one usual way. On the machine of the person, the library compares what
 * two of them mean, since their ports may differ. All else has to be the same, character by character (RFC 9700,
 * section 4.1.3), and for those that are written plainly it is.
 */
export function isPlain(uri: string): boolean {
  if (!URL.canParse(uri) || !LOOPBACK.test(new URL(uri).hostname)) return true
  const withoutPort = uri.replace(PORT, '$1')
  const { href } = new URL(withoutPort)
  return href === withoutPort || href === `${withoutPort}/`
}

const PORT = /^(https?:\/\/[a-z0-9.:[\]]{1,20}?):\d{1,5}(?=\/|$)/

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

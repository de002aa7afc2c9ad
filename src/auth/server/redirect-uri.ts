/**
 * Whether a redirect URI that was registered may be one (RFC 7591, section 5): `https`, `http` on the machine of
 * the person, or a scheme of the app alone. The library keeps others if one of them is good.
 */
export function mayBeRegistered(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return protocol !== 'http:' || LOOPBACK.test(hostname)
}

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/**
 * Whether a redirect URI is one of those that were registered, character by character, but for the port of an app
 * on the machine of the person (RFC 9700, section 4.1.3). There the library compares what they mean.
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.some((it) => it === uri || withoutPort(it) === withoutPort(uri))

const withoutPort = (uri: string): string => uri.replace(LOOPBACK_PORT, '$1')

const LOOPBACK_PORT =
  /^(http:\/\/(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])):\d{1,5}(?=[/?]|$)/

/** The network of a request's client; undefined if the platform does not report the client's address. */
export function clientNetwork(headers: Headers): string | undefined {
  const address = headers.get('cf-connecting-ip')
  return address ? networkOf(address) : undefined
}

/**
 * The network of an address. One household has a whole IPv6 /64, and a program on this machine has all of 127.0.0.0/8.
 */
export function networkOf(address: string): string {
  // Some proxies write the port after an IPv4 address.
  const [, withoutPort] = /^(\d+(?:\.\d+){3}):\d+$/.exec(address) ?? []
  if (withoutPort) return networkOf(withoutPort)
  if (!address.includes(':')) return address.startsWith('127.') ? '127.0.0.1' : address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head.split(':').filter(Boolean)
  const behind = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => '0')
  return [...groups, ...(tail === undefined ? [] : zeros), ...behind].slice(0, 4).join(':')
}

/**
 * The wider network that contains a network: an IPv6 /48 or an IPv4 /24, which one customer can own. It ends with the
 * separator, so it is a prefix of the networks in it.
 */
export function siteOf(network: string): string {
  const separator = network.includes(':') ? ':' : '.'
  return network
    .split(separator)
    .slice(0, 3)
    .map((part) => `${part}${separator}`)
    .join('')
}

// A server's place in the network, according to its name or address.
import { isLoopback } from '../ground/index.ts'
import { urlIn } from './json.ts'

/** The machines that can reach a server: its own, those on its private network, or all. */
export type NetworkReach = 'loopback' | 'private' | 'public'

/** Looks up the addresses for a name. */
export type AddressLookup = (name: string) => Promise<readonly { readonly address: string }[]>

/** Finds out which machines can reach a host. In doubt, all of them, so the server cannot point to private hosts. */
export async function reachOf(hostname: string, lookup: AddressLookup): Promise<NetworkReach> {
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return 'loopback'
  const own = kindOf(hostname)
  if (own) return own
  const found = await lookup(hostname).catch(() => [])
  const kinds = found.map(({ address }) => {
    const named = urlIn(`http://${address.includes(':') ? `[${address}]` : address}`)
    return named && kindOf(named.hostname)
  })
  const all: readonly NetworkReach[] = ['public', 'private', 'loopback']
  return all.find((it) => kinds.includes(it)) ?? 'public'
}

/** True if a URL's host, as written, is unreachable from the internet. Looks up no name. */
export const isInner = (hostname: string): boolean =>
  /(?:^|\.)(?:localhost|local|internal)\.?$/.test(hostname) ||
  (kindOf(hostname) ?? 'public') !== 'public'

/** Classifies an address, in the only notation that a URL's host can have. Undefined for a name. */
function kindOf(hostname: string): NetworkReach | undefined {
  // In a URL, a host that ends in a number is always an IPv4 address.
  if (!/^(?:[\d.]+|\[.+\])$/.test(hostname)) return undefined
  const [, high, low] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname) ?? []
  const address =
    high && low ? dotted(Number.parseInt(high, 16), Number.parseInt(low, 16)) : hostname
  if (isLoopback(address)) return 'loopback'
  return PRIVATE.test(address) ? 'private' : 'public'
}

/** An IPv4 address, from its two halves in IPv6 notation. */
const dotted = (high: number, low: number): string =>
  [high >> 8, high & 255, low >> 8, low & 255].join('.')

// 0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, ::, fc00::/7 and fe80::/10.
const PRIVATE =
  /^(?:0|10|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.|^\[(?:::|f[cd]..:.*|fe[89ab].:.*)\]$/

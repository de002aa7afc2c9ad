/** An IP address as a number with 32 or 128 bits. */
export interface IpAddress {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** Neighboring addresses, which start with the same bits. */
export interface IpBlock extends IpAddress {
  /** Number of bits they share. */
  readonly prefix: number
}

/**
 * Reads an address in plain notation. A number in another base, a leading zero or a missing part makes it
 * invalid, because programs disagree about what it means.
 */
export function readAddress(text: string): IpAddress | undefined {
  if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text)) {
    const bytes = text.split('.').map(Number)
    if (bytes.join('.') !== text || bytes.some((byte) => byte > 255)) return undefined
    return { bits: 32, value: bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) }
  }
  if (!/^[\da-f:.]{2,45}$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined
  // A URL contains only hexadecimal groups, and `::` at most once.
  const [head = '', tail = ''] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const groupsOf = (part: string) => part.split(':').filter(Boolean)
  const [before, after] = [groupsOf(head), groupsOf(tail)]
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const groups = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0'))
  return { bits: 128, value: BigInt(`0x${groups.join('')}`) }
}

/** Reads a block such as `10.1.0.0/16`, or a single address. */
export function readBlock(text: string): IpBlock | undefined {
  const [first = '', length, more] = text.split('/')
  const address = readAddress(first)
  if (!address || more !== undefined) return undefined
  if (length === undefined) return { ...address, prefix: address.bits }
  const prefix = Number(length)
  return /^\d{1,3}$/.test(length) && prefix <= address.bits ? { ...address, prefix } : undefined
}

/** True if a block contains an address. */
export function isWithin({ bits, value }: IpAddress, block: IpBlock): boolean {
  const rest = BigInt(bits - block.prefix)
  return bits === block.bits && value >> rest === block.value >> rest
}

/** True if an address belongs to the public internet, and to a single machine. */
export const isPublic = (address: IpAddress): boolean =>
  (address.bits === 32 || isWithin(address, GLOBAL_UNICAST)) &&
  !SPECIAL.some((block) => isWithin(address, block))

const block = (text: string) => readBlock(text)!

/** All other IPv6 addresses are special: loopback, private, multicast, or IPv4 in another form. */
const GLOBAL_UNICAST = block('2000::/3')

// https://www.iana.org/assignments/iana-ipv4-special-registry
// https://www.iana.org/assignments/iana-ipv6-special-registry
const SPECIAL: readonly IpBlock[] = [
  block('0.0.0.0/8'), // this network, and 0.0.0.0, which reaches this machine
  block('10.0.0.0/8'), // private
  block('100.64.0.0/10'), // shared behind a carrier's NAT; a cloud's metadata
  block('127.0.0.0/8'), // loopback
  block('168.63.129.16'), // Azure's services for its machines
  block('169.254.0.0/16'), // link-local; most clouds' metadata
  block('172.16.0.0/12'), // private
  block('192.0.0.0/24'), // protocol assignments; a cloud's metadata
  block('192.0.2.0/24'), // documentation
  block('192.31.196.0/24'), // AS112: anycast
  block('192.52.193.0/24'), // AMT: multicast
  block('192.88.99.0/24'), // relays from 6to4
  block('192.168.0.0/16'), // private
  block('192.175.48.0/24'), // AS112: anycast
  block('198.18.0.0/15'), // benchmarking
  block('198.51.100.0/24'), // documentation
  block('203.0.113.0/24'), // documentation
  block('224.0.0.0/4'), // multicast
  block('240.0.0.0/4'), // reserved, and broadcast
  block('2001::/23'), // protocol assignments: Teredo, benchmarking, ORCHID
  block('2001:db8::/32'), // documentation
  block('2002::/16'), // 6to4: IPv4 within
  block('2620:4f:8000::/48'), // AS112: anycast
  block('3ffe::/16'), // 6bone, returned
  block('3fff::/20'), // documentation
]

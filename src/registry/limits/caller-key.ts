import type { Caller } from '../../mcp/index.ts'

/** What the use of a caller is counted under. Callers without a key are told apart by their address. */
export const callerKey = (caller: Caller | undefined, address: string | undefined): string =>
  caller ? `caller ${caller.subject}` : `address ${networkOf(address ?? '')}`

/** The network of an address: one household has a whole /64 of IPv6. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head.split(':').filter(Boolean)
  const behind = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => '0')
  return [...groups, ...(tail === undefined ? [] : zeros), ...behind].slice(0, 4).join(':')
}

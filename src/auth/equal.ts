const encoder = new TextEncoder()

/** Compares two strings in constant time, so timing reveals nothing about the key. */
export const equal = (one: string, other: string): boolean =>
  equalBytes(encoder.encode(one), encoder.encode(other))

/** Compares bytes in constant time. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i % b.length]!
  return difference === 0
}

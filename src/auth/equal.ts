const encoder = new TextEncoder()

/** Compares two texts. The time does not depend on where they differ, so it tells nothing about the key. */
export function equal(one: string, other: string): boolean {
  const [a, b] = [encoder.encode(one), encoder.encode(other)]
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i % b.length]!
  return difference === 0
}

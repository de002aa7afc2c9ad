/**
 * Builds the test for an SQL LIKE pattern, in which `%` matches any string and `_` matches any character. One bit for
 * each position in the pattern says whether the characters read so far can reach it, so each string is read only once,
 * whatever the pattern is.
 */
export function likeMatcher(pattern: string): (text: string) => boolean {
  const characters = [...pattern]
  const length = characters.filter((it) => it !== '%').length
  const none = () => new Int32Array((length >> 5) + 1)
  const set = (bits: Int32Array, n: number) => {
    bits[n >> 5]! |= 1 << (n & 31)
  }
  /** Positions in the pattern at which any characters can follow. */
  const loops = none()
  const any = none()
  const masks = new Map<string, Int32Array>()
  let met = 0
  for (const it of characters) {
    if (it === '%') set(loops, met)
    else if (it === '_') set(any, ++met)
    else {
      const mask = masks.get(it) ?? none()
      masks.set(it, mask)
      set(mask, ++met)
    }
  }
  for (const mask of masks.values()) for (const [i, bits] of any.entries()) mask[i]! |= bits
  const has = (bits: Int32Array, n: number) => ((bits[n >> 5]! >>> (n & 31)) & 1) === 1

  return (text) => {
    const state = none()
    set(state, 0)
    for (const it of text) {
      const mask = masks.get(it) ?? any
      let [carry, alive] = [0, 0]
      for (let i = 0; i < state.length; i++) {
        const before = state[i]!
        state[i] = (((before << 1) | carry) & mask[i]!) | (before & loops[i]!)
        carry = before >>> 31
        alive |= state[i]!
      }
      if (alive === 0) return false
      if (has(state, length) && has(loops, length)) return true
    }
    return has(state, length)
  }
}

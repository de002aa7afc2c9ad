/** A source of numbers that are the same for the same seed, to make a run repeatable. */
export interface Random {
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number
  /** True with this probability, from 0 to 1. */
  chance(likelihood: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Numbers from mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (likelihood) => next() < likelihood,
    pick: (list) => list[Math.floor(next() * list.length)]!,
  }
}

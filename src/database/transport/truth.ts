import type { Param } from '../rows.ts'

/** A truth value that came as a word, as the number in which a database without booleans keeps it. */
export function truth(value: Param): Param {
  const word = typeof value === 'string' && value.toLowerCase()
  if (word === 'true') return 1
  return word === 'false' ? 0 : value
}

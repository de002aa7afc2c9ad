import type { Param } from '../rows.ts'

/** Turns the words true and false into 1 and 0, for a database without booleans. Other values are unchanged. */
export function booleanTextToInteger(value: Param): Param {
  const word = typeof value === 'string' && value.toLowerCase()
  if (word === 'true') return 1
  return word === 'false' ? 0 : value
}

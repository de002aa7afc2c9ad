/**
 * Converts a value in a plan to a number; undefined if that is impossible. Some engines write some numbers as
 * strings, and a number that a double cannot represent exactly also arrives as a string. Estimates can be rounded.
 */
export function finite(it: unknown): number | undefined {
  const value = typeof it === 'string' && it !== '' ? Number(it) : it
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

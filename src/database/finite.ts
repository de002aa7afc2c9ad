/**
 * A number of a plan; undefined if it is none. Some engines write some of theirs as text, and one that a double
 * cannot hold exactly comes as text too: an estimate may be rounded.
 */
export function finite(it: unknown): number | undefined {
  const value = typeof it === 'string' && it !== '' ? Number(it) : it
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

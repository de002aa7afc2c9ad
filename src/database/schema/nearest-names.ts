/** Maximum number of characters of a name that are compared. No database allows longer names. */
const MAX_COMPARED_CHARACTERS = 128

/** Names that `wanted` was probably meant to be, likeliest first. */
export function nearest(wanted: string, names: readonly string[], count = 3): string[] {
  const target = bare(wanted)
  if (target === '') return []
  return names
    .map((name) => ({ name, distance: distanceTo(target, bare(name)) }))
    .filter(({ distance }) => distance <= 1)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name)
}

/** A name normalized for comparison: lower case, no quotes, `order items` as `order_items`. */
const bare = (name: string) =>
  name
    .slice(0, MAX_COMPARED_CHARACTERS)
    .toLowerCase()
    .replace(/["'`[\]]/g, '')
    .replace(/[\s-]+/g, '_')

/** Distance between two names, from 0 for equal names to over 1 for unrelated ones. */
function distanceTo(wanted: string, name: string): number {
  const shorter = Math.min(wanted.length, name.length)
  if (shorter >= 3 && (name.includes(wanted) || wanted.includes(name))) {
    return 1 - shorter / Math.max(wanted.length, name.length)
  }
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  if (Math.abs(wanted.length - name.length) > allowed) return Number.POSITIVE_INFINITY
  return edits(wanted, name) / allowed
}

/** Number of letters to change, insert, drop or swap with the next (optimal string alignment distance). */
function edits(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? before[j - 2]! + 1 : change
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1))
    }
    before = row
    row = next
  }
  return row[b.length]!
}

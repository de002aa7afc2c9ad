/**
 * Durations of calls, counted in ranges. A range is 4.4 % wide, so counts from several objects can be added up,
 * and a percentile of their sum is within 5 % of the true one.
 */
type Latencies = ReadonlyMap<number, number>

/** Number of ranges for each doubling of the duration. */
const RANGES = 16

/** The range of a duration. The first one is for less than a millisecond. */
export const rangeOf = (milliseconds: number): number =>
  milliseconds < 1 ? 0 : 1 + Math.floor(Math.log2(milliseconds) * RANGES)

/** The duration in the middle of a range. */
const middleOf = (range: number): number =>
  range === 0 ? 0 : Math.round(2 ** ((range - 0.5) / RANGES))

/** Adds counts to other counts. */
export function addLatencies(to: Map<number, number>, more: Latencies): void {
  for (const [range, calls] of more) to.set(range, (to.get(range) ?? 0) + calls)
}

/** The longest duration among this share of all calls, such as 0.5 for half of them. Undefined without calls. */
export function percentile(latencies: Latencies, share: number): number | undefined {
  const ranges = [...latencies].sort(([a], [b]) => a - b)
  const total = ranges.reduce((sum, [, calls]) => sum + calls, 0)
  let left = Math.max(1, Math.ceil(share * total))
  for (const [range, calls] of ranges) {
    left -= calls
    if (left <= 0) return middleOf(range)
  }
  return undefined
}

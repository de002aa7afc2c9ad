import { addLatencies, percentile } from './latencies.ts'
import type { RecordFilter } from './record.ts'

/** Counts of the calls in a time range. */
export interface Figures {
  calls: number
  errors: number
  refused: number
  /** Latencies of the calls that were not refused. */
  readonly latencies: Map<number, number>
}

/** Counts for a person, a tool or an app. */
export interface GroupFigures extends Figures {
  /** Undefined for a caller without a key, and for an app that gives no name. */
  readonly name: string | undefined
  lastCallAt: number
}

/** Properties that calls can be grouped by. */
export type Grouping = 'caller' | 'tool' | 'client'

/** A query for the counts from a shard. */
export interface CountQuery extends RecordFilter {
  readonly since: number
  readonly until: number
  /** Length of a bucket in milliseconds. The first one starts at `since`. */
  readonly step: number
  readonly by?: Grouping | undefined
}

/** Counts from a shard. They can be added to the counts from other shards. */
export interface ShardCounts {
  /** The last recorded call, even if outside this time range. */
  readonly lastCallAt?: number | undefined
  readonly buckets: readonly Figures[]
  /** The largest groups. */
  readonly groups: readonly GroupFigures[]
}

/** Maximum number of groups that a shard returns. */
export const MAX_GROUPS = 100

/** Counts that are all zero. */
export const noFigures = (): Figures => ({ calls: 0, errors: 0, refused: 0, latencies: new Map() })

/** Adds counts to other counts. */
export function addFigures(to: Figures, more: Figures): void {
  to.calls += more.calls
  to.errors += more.errors
  to.refused += more.refused
  addLatencies(to.latencies, more.latencies)
}

/** The groups with the most calls. */
export const largest = (groups: Iterable<GroupFigures>): readonly GroupFigures[] =>
  [...groups].sort((a, b) => b.calls - a.calls).slice(0, MAX_GROUPS)

/** Counts in the form that is shown. There are no percentiles if all calls were refused. */
export function shownFigures({ calls, errors, refused, latencies }: Figures) {
  const [p50, p95] = [0.5, 0.95].map((share) => percentile(latencies, share))
  return { calls, errors, refused, ...(p50 !== undefined && { p50, p95 }) }
}

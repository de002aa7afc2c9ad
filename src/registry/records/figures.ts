import { addLatencies, percentile } from './latencies.ts'
import type { RecordFilter } from './record.ts'

/** What the calls of some time add up to. */
export interface Figures {
  calls: number
  errors: number
  refused: number
  /** Of calls that were not refused. */
  readonly latencies: Map<number, number>
}

/** What a person, a tool or an app did. */
export interface GroupFigures extends Figures {
  /** Undefined for a caller without a key, and an app that says nothing of itself. */
  readonly name: string | undefined
  lastCallAt: number
}

/** What calls can be told apart by. */
export type Grouping = 'caller' | 'tool' | 'client'

/** What a shard is asked to count. */
export interface CountQuery extends RecordFilter {
  readonly since: number
  readonly until: number
  /** Milliseconds of a bucket. The first one begins at `since`. */
  readonly step: number
  readonly by?: Grouping | undefined
}

/** What a shard counts. It can be added to what others count. */
export interface Counted {
  /** The last call on record, also one of another time. */
  readonly lastCallAt?: number | undefined
  readonly buckets: readonly Figures[]
  /** The largest ones. */
  readonly groups: readonly GroupFigures[]
}

/** Groups that a shard tells of. */
export const MAX_GROUPS = 100

/** Nothing. */
export const noFigures = (): Figures => ({ calls: 0, errors: 0, refused: 0, latencies: new Map() })

/** Adds figures to others. */
export function addFigures(to: Figures, more: Figures): void {
  to.calls += more.calls
  to.errors += more.errors
  to.refused += more.refused
  addLatencies(to.latencies, more.latencies)
}

/** The groups with the most calls. */
export const largest = (groups: Iterable<GroupFigures>): readonly GroupFigures[] =>
  [...groups].sort((a, b) => b.calls - a.calls).slice(0, MAX_GROUPS)

/** Figures as they are shown. Without a call that was not refused, there are no percentiles. */
export function shownFigures({ calls, errors, refused, latencies }: Figures) {
  const [p50, p95] = [0.5, 0.95].map((share) => percentile(latencies, share))
  return { calls, errors, refused, ...(p50 !== undefined && { p50, p95 }) }
}

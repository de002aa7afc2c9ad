import {
  addFigures,
  type CountQuery,
  type Figures,
  type GroupFigures,
  largest,
  noFigures,
  type ShardCounts,
  shownFigures,
} from './figures.ts'
import { type RecordsEnv, shardsOf } from './reading.ts'

/** Maximum number of buckets in one response. */
export const MAX_BUCKETS = 200

/** Sum of the counts from shards. */
interface Sums {
  readonly buckets: readonly Figures[]
  readonly groups: Map<string | undefined, GroupFigures>
  lastCallAt: number
}

/** Sums that are zero, for all buckets in a query. */
export const noSums = ({ since, until, step }: CountQuery): Sums => ({
  buckets: Array.from({ length: Math.ceil((until - since) / step) }, noFigures),
  groups: new Map(),
  lastCallAt: 0,
})

/** Counts the records in all shards of an endpoint. */
export async function countedAt(
  env: RecordsEnv,
  endpoint: string,
  query: CountQuery,
): Promise<Sums> {
  const sums = noSums(query)
  const counted = await Promise.all(shardsOf(env, endpoint).map((it) => it.count(query)))
  for (const it of counted) addSums(sums, it)
  return sums
}

/** Adds the counts from a shard or an endpoint to other sums. */
export function addSums(to: Sums, { buckets, groups, lastCallAt = 0 }: ShardCounts | Sums): void {
  for (const [i, it] of buckets.entries()) addFigures(to.buckets[i]!, it)
  for (const it of groups.values()) {
    const group = to.groups.get(it.name) ?? { ...noFigures(), name: it.name, lastCallAt: 0 }
    to.groups.set(it.name, group)
    addFigures(group, it)
    group.lastCallAt = Math.max(group.lastCallAt, it.lastCallAt)
  }
  to.lastCallAt = Math.max(to.lastCallAt, lastCallAt)
}

/** Sums in the form that is shown. */
export function shownSums({ buckets, groups, lastCallAt }: Sums, { since, step, by }: CountQuery) {
  const all = noFigures()
  for (const it of buckets) addFigures(all, it)
  return {
    ...shownFigures(all),
    ...(lastCallAt > 0 && { lastCallAt: new Date(lastCallAt).toISOString() }),
    buckets: buckets.map((it, i) => ({
      at: new Date(since + i * step).toISOString(),
      ...shownFigures(it),
    })),
    ...(by && { groups: largest(groups.values()).map(shownGroup) }),
  }
}

const shownGroup = ({ name, lastCallAt, ...figures }: GroupFigures) => ({
  ...(name !== undefined && { name }),
  ...shownFigures(figures),
  lastCallAt: new Date(lastCallAt).toISOString(),
})

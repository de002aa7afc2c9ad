/**
 * What the calls of an endpoint add up to, for an operator.
 *
 * @module
 */

import {
  addFigures,
  type Counted,
  type CountQuery,
  type Figures,
  type GroupFigures,
  largest,
  noFigures,
  shownFigures,
} from './figures.ts'
import type { CallRecords } from './object.ts'
import { SHARDS, shardName } from './record.ts'

/** Buckets of one answer. */
export const MAX_BUCKETS = 200

interface RecordsEnv {
  readonly RECORDS: DurableObjectNamespace<CallRecords>
}

/** What shards count, added up. */
export interface Sums {
  readonly buckets: readonly Figures[]
  readonly groups: Map<string | undefined, GroupFigures>
  lastCallAt: number
}

/** Nothing, for as many buckets as a query asks for. */
export const noSums = ({ since, until, step }: CountQuery): Sums => ({
  buckets: Array.from({ length: Math.ceil((until - since) / step) }, noFigures),
  groups: new Map(),
  lastCallAt: 0,
})

/** What the shards of an endpoint count. */
export async function countedAt(
  { RECORDS }: RecordsEnv,
  endpoint: string,
  query: CountQuery,
): Promise<Sums> {
  const shards = Array.from({ length: SHARDS }, (_, i) =>
    RECORDS.get(RECORDS.idFromName(shardName(endpoint, i))),
  )
  const sums = noSums(query)
  const counted: readonly Counted[] = await Promise.all(shards.map((it) => it.count(query)))
  for (const it of counted) addSums(sums, it)
  return sums
}

/** Adds what a shard or an endpoint counts to other sums. */
export function addSums(to: Sums, { buckets, groups, lastCallAt = 0 }: Counted | Sums): void {
  for (const [i, it] of buckets.entries()) addFigures(to.buckets[i]!, it)
  for (const it of groups.values()) {
    const group = to.groups.get(it.name) ?? { ...noFigures(), name: it.name, lastCallAt: 0 }
    to.groups.set(it.name, group)
    addFigures(group, it)
    group.lastCallAt = Math.max(group.lastCallAt, it.lastCallAt)
  }
  to.lastCallAt = Math.max(to.lastCallAt, lastCallAt)
}

/** Sums, as they are shown. */
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

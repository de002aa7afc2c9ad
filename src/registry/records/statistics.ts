/**
 * What the calls of an endpoint add up to, for an operator.
 *
 * @module
 */

import {
  addFigures,
  type Counted,
  type CountQuery,
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

/** Adds up what the shards of an endpoint count. */
export async function statisticsOf({ RECORDS }: RecordsEnv, endpoint: string, query: CountQuery) {
  const shards = Array.from({ length: SHARDS }, (_, i) =>
    RECORDS.get(RECORDS.idFromName(shardName(endpoint, i))),
  )
  const counted: readonly Counted[] = await Promise.all(shards.map((it) => it.count(query)))
  const { since, until, step, by } = query
  const all = noFigures()
  const buckets = Array.from({ length: Math.ceil((until - since) / step) }, (_, i) => {
    const figures = noFigures()
    for (const it of counted) addFigures(figures, it.buckets[i] ?? noFigures())
    addFigures(all, figures)
    return { at: new Date(since + i * step).toISOString(), ...shownFigures(figures) }
  })
  const last = Math.max(...counted.map((it) => it.lastCallAt ?? 0))
  return {
    endpoint,
    ...shownFigures(all),
    ...(last > 0 && { lastCallAt: new Date(last).toISOString() }),
    buckets,
    ...(by && { groups: merged(counted).map(shownGroup) }),
  }
}

function merged(counted: readonly Counted[]): readonly GroupFigures[] {
  const groups = new Map<string | undefined, GroupFigures>()
  for (const it of counted.flatMap((shard) => shard.groups)) {
    const group = groups.get(it.name) ?? { ...noFigures(), name: it.name, lastCallAt: 0 }
    groups.set(it.name, group)
    addFigures(group, it)
    group.lastCallAt = Math.max(group.lastCallAt, it.lastCallAt)
  }
  return largest(groups.values())
}

const shownGroup = ({ name, lastCallAt, ...figures }: GroupFigures) => ({
  ...(name !== undefined && { name }),
  ...shownFigures(figures),
  lastCallAt: new Date(lastCallAt).toISOString(),
})

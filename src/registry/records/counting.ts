import {
  type CountQuery,
  type Figures,
  type GroupFigures,
  type Grouping,
  largest,
  noFigures,
  type ShardCounts,
} from './figures.ts'
import { CLIENT, findingOf } from './finding.ts'
import { addLatencies, rangeOf } from './latencies.ts'

/** Counts the records in a shard. Reads each record in the time range at most twice. */
export function counted(sql: SqlStorage, query: CountQuery): ShardCounts {
  const { since, until, step, by, ...filter } = query
  const buckets: Figures[] = []
  for (let at = since; at < until; at += step) {
    const { where, values } = findingOf({ ...filter, since: at, until: Math.min(at + step, until) })
    const select = `select outcome, ${MILLISECONDS} as ms, sum(${CALLS}) as calls from records`
    const figures = noFigures()
    for (const row of sql.exec<CountRow>(`${select} ${where} group by outcome, ms`, ...values)) {
      count(figures, row)
    }
    buckets.push(figures)
  }
  return {
    lastCallAt: lastCallAt(sql, filter),
    buckets,
    groups: by ? groupsOf(sql, { ...filter, since, until }, by) : [],
  }
}

// Records from older versions have these only in their JSON.
const MILLISECONDS = `coalesce(milliseconds, json_extract(record, '$.milliseconds'))`
const CALLS = `coalesce(calls, json_extract(record, '$.calls'), 1)`

function groupsOf(
  sql: SqlStorage,
  filter: Omit<CountQuery, 'step'>,
  by: Grouping,
): readonly GroupFigures[] {
  const { where, values } = findingOf(filter)
  const select = `select ${by === 'client' ? CLIENT : by} as name, outcome, ${MILLISECONDS} as ms,
    sum(${CALLS}) as calls, max(id) as id from records ${where} group by name, outcome, ms`
  const groups = new Map<string | null, GroupFigures>()
  for (const row of sql.exec<GroupRow>(select, ...values)) {
    const { name, id } = row
    const group = groups.get(name) ?? { ...noFigures(), name: name ?? undefined, lastCallAt: 0 }
    groups.set(name, group)
    count(group, row)
    group.lastCallAt = Math.max(group.lastCallAt, timeOf(id))
  }
  return largest(groups.values())
}

function count(figures: Figures, { outcome, ms, calls }: CountRow): void {
  figures.calls += calls
  if (outcome === 'refused') {
    figures.refused += calls
    return
  }
  if (outcome === 'error') figures.errors += calls
  addLatencies(figures.latencies, new Map([[rangeOf(ms), calls]]))
}

function lastCallAt(sql: SqlStorage, filter: object): number | undefined {
  const { where, values } = findingOf(filter)
  const last = `select id from records ${where} order by id desc limit 1`
  const [row] = sql.exec<{ id: string }>(last, ...values).toArray()
  return row && timeOf(row.id)
}

/** An id starts with its time. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 9), 36)

type CountRow = { readonly outcome: string; readonly ms: number; readonly calls: number }
type GroupRow = CountRow & { readonly name: string | null; readonly id: string }

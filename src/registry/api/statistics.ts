import * as z from 'zod/mini'
import { addSums, countedAt, MAX_BUCKETS, noSums, shownSums } from '../records/statistics.ts'
import { answer, wrongField } from './fault.ts'
import { moment, named, upTo, written } from './lists.ts'
import { allNames, MAX_ENDPOINTS, recordFilter } from './records.ts'
import { type Route, route } from './route.ts'
import type { ApiContext } from './surroundings.ts'

const DAY_MS = 86_400_000

/** Number of buckets, unless the step is set. */
const DEFAULT_BUCKETS = 48

const statisticsQuery = z.strictObject({
  /** Up to 20 names, separated by commas. If left out, all endpoints, provided there are at most 20. */
  endpoint: z.optional(upTo(32 * MAX_ENDPOINTS)),
  ...recordFilter,
  /** Length of a bucket in seconds. */
  step: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(31 * 86_400))),
  /** The property to group by. */
  by: z.optional(z.enum(['caller', 'tool', 'client'])),
})

const figures = {
  calls: z.int(),
  /** Number of calls that failed. */
  errors: z.int(),
  refused: z.int(),
  /** Duration in milliseconds of the calls that were not refused, accurate to 5 %. */
  p50: z.optional(z.number()),
  p95: z.optional(z.number()),
}

export const statistic = named(
  'Statistic',
  z.object({
    /** Undefined for the total of all endpoints. */
    endpoint: z.optional(z.string()),
    ...figures,
    /** The last recorded call, even if outside this time range. */
    lastCallAt: z.optional(moment),
    buckets: z.array(z.object({ at: moment, ...figures })),
    /** The 100 groups with the most calls, if `by` is set. */
    groups: z.optional(
      z.array(z.object({ name: z.optional(z.string()), ...figures, lastCallAt: moment })),
    ),
  }),
)

/** The media type of the Prometheus text format. */
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'

/** `/api/statistics` and `/api/metrics` */
export const statisticsRoutes = (): readonly Route[] => [
  route('get', '/api/statistics', {
    summary: 'Shows totals from the call records, over time.',
    query: statisticsQuery,
    answers: [
      200,
      'Calls, errors and latency for each endpoint, in time buckets.',
      z.object({
        since: moment,
        until: moment,
        statistics: z.array(statistic),
        /** The total of all endpoints, unless there is only one. */
        total: z.optional(statistic),
      }),
    ],
    run: ({ query }, surroundings) => statistics(query, surroundings),
  }),
  route('get', '/api/metrics', {
    summary: 'Shows what this instance has counted since it started, in the Prometheus format.',
    answers: [200, 'Calls, errors and latency by endpoint.', z.string()],
    async run(_, { metrics }) {
      const headers = { 'content-type': PROMETHEUS, 'cache-control': 'no-store' }
      return new Response(await metrics(), { headers })
    },
  }),
]

async function statistics(
  { endpoint, since, until, step, ...query }: z.infer<typeof statisticsQuery>,
  surroundings: ApiContext,
): Promise<Response> {
  const end = until ? Date.parse(until) : Date.now()
  const start = since ? Date.parse(since) : end - DAY_MS
  if (start >= end) throw wrongField('since', 'must be before until.')
  const ms = step ? step * 1000 : Math.ceil((end - start) / DEFAULT_BUCKETS / 1000) * 1000
  if (Math.ceil((end - start) / ms) > MAX_BUCKETS) {
    throw wrongField('step', `is too small: at most ${MAX_BUCKETS} buckets are allowed.`)
  }
  const names =
    endpoint === undefined ? await allNames(surroundings) : [...new Set(endpoint.split(','))]
  if (names.length > MAX_ENDPOINTS) {
    throw wrongField('endpoint', `must have at most ${MAX_ENDPOINTS} names.`)
  }
  const asked = { ...query, since: start, until: end, step: ms }
  const total = noSums(asked)
  const counted: object[] = []
  // One at a time: each is counted in several objects.
  for (const name of names) {
    const sums = await countedAt(surroundings.objects, name, asked)
    counted.push({ endpoint: name, ...shownSums(sums, asked) })
    addSums(total, sums)
  }
  return answer({
    since: written(start),
    until: written(end),
    statistics: counted,
    ...(names.length !== 1 && { total: shownSums(total, asked) }),
  })
}

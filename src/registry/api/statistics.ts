import * as z from 'zod/mini'
import { addSums, countedAt, MAX_BUCKETS, noSums, shownSums } from '../records/statistics.ts'
import { answer, wrongField } from './fault.ts'
import { moment, named } from './lists.ts'
import { allNames, MAX_ENDPOINTS, recordFilter } from './records.ts'
import { type Route, route } from './route.ts'
import type { Surroundings } from './surroundings.ts'

const DAY_MS = 86_400_000

/** Buckets, unless the step is given. */
const DEFAULT_BUCKETS = 48

const statisticsQuery = z.strictObject({
  /** A name, or up to 20 with commas. Without it, all endpoints, if there are at most 20. */
  endpoint: z.optional(z.string().check(z.maxLength(32 * MAX_ENDPOINTS))),
  ...recordFilter,
  /** Seconds of a bucket. */
  step: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(31 * 86_400))),
  /** What to tell groups apart by. */
  by: z.optional(z.enum(['caller', 'tool', 'client'])),
})

const figures = {
  calls: z.int(),
  /** Calls that failed. */
  errors: z.int(),
  refused: z.int(),
  /** Milliseconds, within 5 %, of the calls that were not refused. */
  p50: z.optional(z.number()),
  p95: z.optional(z.number()),
}

const statistic = named(
  'Statistic',
  z.object({
    /** Undefined for all of them together. */
    endpoint: z.optional(z.string()),
    ...figures,
    /** The last call on record, also one of another time. */
    lastCallAt: z.optional(moment),
    buckets: z.array(z.object({ at: moment, ...figures })),
    /** The 100 with the most calls, if `by` is given. */
    groups: z.optional(
      z.array(z.object({ name: z.optional(z.string()), ...figures, lastCallAt: moment })),
    ),
  }),
)

/** `/api/statistics` */
export const statisticsRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/statistics',
    summary: 'Shows what the records of calls add up to, over time.',
    query: statisticsQuery,
    answers: {
      200: {
        description: 'Calls, errors and latency of each endpoint, in buckets of time.',
        schema: z.object({
          since: moment,
          until: moment,
          statistics: z.array(statistic),
          /** What they add up to, unless there is one. */
          total: z.optional(statistic),
        }),
      },
    },
    run: ({ query }, surroundings) => statistics(query, surroundings),
  }),
]

async function statistics(
  { endpoint, since, until, step, ...query }: z.infer<typeof statisticsQuery>,
  surroundings: Surroundings,
): Promise<Response> {
  const end = until ? Date.parse(until) : Date.now()
  const start = since ? Date.parse(since) : end - DAY_MS
  if (start >= end) throw wrongField('since', 'must be before until.')
  const ms = step ? step * 1000 : Math.ceil((end - start) / DEFAULT_BUCKETS / 1000) * 1000
  if (Math.ceil((end - start) / ms) > MAX_BUCKETS) {
    throw wrongField('step', `is too small: there may be ${MAX_BUCKETS} buckets.`)
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
    since: new Date(start).toISOString(),
    until: new Date(end).toISOString(),
    statistics: counted,
    ...(names.length !== 1 && { total: shownSums(total, asked) }),
  })
}

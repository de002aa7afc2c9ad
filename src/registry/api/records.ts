import * as z from 'zod/mini'
import { usageOf } from '../limits/reading.ts'
import { isCursor, MAX_RECORDS, readRecords, recordLines } from '../records/reading.ts'
import type { CallRecord } from '../records/record.ts'
import { nameParam, served } from './endpoints.ts'
import { ApiFault, answer, wrongField } from './fault.ts'
import { moment, named } from './lists.ts'
import { type Route, route } from './route.ts'
import type { Surroundings } from './surroundings.ts'

/** How many endpoints are asked at once. Each keeps its records in several objects. */
export const MAX_ENDPOINTS = 20

/** What records may be found by. */
export const recordFilter = {
  caller: z.optional(z.string().check(z.maxLength(300))),
  tool: z.optional(z.string().check(z.maxLength(100))),
  /** The name of a program. */
  client: z.optional(z.string().check(z.maxLength(100))),
  /** What a statement has in it. */
  text: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  outcome: z.optional(z.enum(['ok', 'error', 'refused'])),
  since: z.optional(moment),
  until: z.optional(moment),
}

const recordQuery = z.strictObject({
  /** Without it, all endpoints, if there are at most 20. */
  endpoint: z.optional(z.string().check(z.maxLength(31))),
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(MAX_RECORDS)), 100),
  cursor: z.optional(z.string().check(z.refine(isCursor, { error: 'is not from a list' }))),
  ...recordFilter,
  /** `jsonl`: all records of one endpoint, a line for each. */
  format: z._default(z.enum(['json', 'jsonl']), 'json'),
})

const record = named(
  'Record',
  z.object({
    id: z.string(),
    time: moment,
    endpoint: z.string(),
    caller: z.optional(z.string()),
    client: z.optional(z.object({ name: z.string(), version: z.optional(z.string()) })),
    tool: z.optional(z.string()),
    statements: z.optional(
      z.array(
        z.object({
          database: z.string(),
          sql: z.optional(z.string()),
          params: z.optional(z.string()),
        }),
      ),
    ),
    rows: z.number(),
    bytes: z.number(),
    milliseconds: z.number(),
    outcome: z.enum(['ok', 'error', 'refused']),
    code: z.optional(z.string()),
    traceId: z.optional(z.string()),
    calls: z.optional(z.int()),
  }),
)

const use = z.object({
  /** The day of UTC that the numbers are of. */
  day: z.string(),
  rows: z.number(),
  bytes: z.number(),
  /** Queries that run now. */
  running: z.number(),
})

/** `/api/records`, and what an endpoint has used today. */
export const recordRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/records',
    summary: 'Lists the records of calls, the newest first.',
    query: recordQuery,
    answers: {
      200: {
        description: 'A page of records, and how many calls have none because it was not written.',
        schema: z.object({
          records: z.array(record),
          next: z.optional(z.string()),
          lost: z.int(),
        }),
      },
    },
    run: ({ query }, surroundings) => records(query, surroundings),
  }),
  route({
    method: 'get',
    path: '/api/endpoints/{name}/usage',
    summary: 'Shows what an endpoint, and a caller there, has used of its limits today.',
    params: nameParam,
    query: z.strictObject({ caller: z.optional(z.string().check(z.maxLength(300))) }),
    answers: {
      200: {
        description: 'What was used. It is counted only where there is a limit.',
        schema: z.object({ endpoint: use, caller: z.optional(use) }),
      },
    },
    async run({ params: { name }, query: { caller: subject } }, surroundings) {
      if (!(await served(name, surroundings))) throw missing(name)
      const { objects } = surroundings
      const endpoint = await usageOf(objects, name)
      const caller = subject && (await usageOf(objects, name, { subject }))
      return answer({ endpoint, ...(caller && { caller }) })
    },
  }),
]

const missing = (name: string) => new ApiFault(404, `The endpoint ${name} is not there.`)

async function records(
  { endpoint, since, until, format, ...query }: z.infer<typeof recordQuery>,
  surroundings: Surroundings,
): Promise<Response> {
  const { objects } = surroundings
  const filter = {
    ...query,
    ...(since && { since: Date.parse(since) }),
    ...(until && { until: Date.parse(until) }),
  }
  if (format === 'jsonl') {
    if (endpoint === undefined) throw wrongField('endpoint', 'is needed for this format.')
    return new Response(recordLines(objects, { ...filter, endpoint }), {
      headers: { 'content-type': 'application/jsonl', 'cache-control': 'no-store' },
    })
  }
  const names = endpoint === undefined ? await allNames(surroundings) : [endpoint]
  let found: readonly CallRecord[] = []
  let lost = 0
  let isMore = false
  // One at a time: the pages of all endpoints together could be more than a Worker holds.
  for (const name of names) {
    const page = await readRecords(objects, { ...filter, endpoint: name })
    const all = [...found, ...page.records].sort((a, b) => (a.id < b.id ? 1 : -1))
    found = all.slice(0, query.limit)
    lost += page.lost
    isMore ||= all.length > query.limit || page.nextCursor !== undefined
  }
  return answer({ records: found, lost, ...(isMore && { next: found.at(-1)?.id }) })
}

/** The endpoints that are asked if none is named. */
export async function allNames({ ask, configured }: Surroundings): Promise<readonly string[]> {
  const page = await ask('endpoints', { limit: MAX_ENDPOINTS })
  const stored = page?.entries.map(({ name }) => name) ?? []
  const names = [...new Set([...configured.map(({ name }) => name), ...stored])]
  if (names.length <= MAX_ENDPOINTS && !page?.next) return names
  throw wrongField('endpoint', `is needed: there are more than ${MAX_ENDPOINTS} endpoints.`)
}

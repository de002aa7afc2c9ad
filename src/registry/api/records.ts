import * as z from 'zod/mini'
import { usageOf } from '../limits/reading.ts'
import { isCursor, MAX_RECORDS, readRecords, recordLines } from '../records/reading.ts'
import type { CallRecord } from '../records/record.ts'
import { answer, wrongField } from './fault.ts'
import { limited, moment, named, text, upTo } from './lists.ts'
import { type Route, route } from './route.ts'
import { found, nameParam } from './served.ts'
import type { ApiContext } from './surroundings.ts'

/** Maximum number of endpoints in one query. Each stores its records in several objects. */
export const MAX_ENDPOINTS = 20

/** Filters for records. */
export const recordFilter = {
  caller: z.optional(upTo(300)),
  tool: z.optional(upTo(100)),
  /** The name of a program. */
  client: z.optional(upTo(100)),
  /** Text that a statement contains. */
  text: z.optional(text(200)),
  outcome: z.optional(z.enum(['ok', 'error', 'refused'])),
  since: z.optional(moment),
  until: z.optional(moment),
}

const recordQuery = z.strictObject({
  /** If left out, all endpoints, provided there are at most 20. */
  endpoint: z.optional(upTo(31)),
  limit: limited(MAX_RECORDS, 100),
  cursor: z.optional(z.string().check(z.refine(isCursor, { error: 'is not from a list' }))),
  ...recordFilter,
  /** `jsonl`: all records of one endpoint, one per line. */
  format: z._default(z.enum(['json', 'jsonl']), 'json'),
})

export const record = named(
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
  /** The day that the numbers are for, in UTC. */
  day: z.string(),
  rows: z.number(),
  bytes: z.number(),
  /** Queries running now. */
  running: z.number(),
})

/** `/api/records`, and today's usage of an endpoint. */
export const recordRoutes = (): readonly Route[] => [
  route('get', '/api/records', {
    summary: 'Lists the call records, newest first.',
    query: recordQuery,
    answers: [
      200,
      'A page of records, and the number of calls whose records could not be written.',
      z.object({ records: z.array(record), next: z.optional(z.string()), lost: z.int() }),
    ],
    run: ({ query }, surroundings) => records(query, surroundings),
  }),
  route('get', '/api/endpoints/{name}/usage', {
    summary: 'Shows how much of its limits an endpoint, and a caller there, has used today.',
    params: nameParam,
    query: z.strictObject({ caller: z.optional(upTo(300)) }),
    answers: [
      200,
      'The usage. It is counted only if there is a limit.',
      z.object({ endpoint: use, caller: z.optional(use) }),
    ],
    async run({ params: { name }, query: { caller: subject } }, surroundings) {
      await found(name, surroundings)
      const { objects } = surroundings
      const endpoint = await usageOf(objects, name)
      const caller = subject && (await usageOf(objects, name, { subject }))
      return answer({ endpoint, ...(caller && { caller }) })
    },
  }),
]

async function records(
  { endpoint, since, until, format, ...query }: z.infer<typeof recordQuery>,
  surroundings: ApiContext,
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
  let all: readonly CallRecord[] = []
  let lost = 0
  let isMore = false
  // One at a time: the pages of all endpoints together might not fit in a Worker's memory.
  for (const name of names) {
    const page = await readRecords(objects, { ...filter, endpoint: name })
    all = [...all, ...page.records].sort((a, b) => (a.id < b.id ? 1 : -1))
    lost += page.lost
    isMore ||= all.length > query.limit || page.nextCursor !== undefined
    all = all.slice(0, query.limit)
  }
  return answer({ records: all, lost, ...(isMore && { next: all.at(-1)?.id }) })
}

/** The endpoints to read if the request does not name one. */
export async function allNames({ ask, configured }: ApiContext): Promise<readonly string[]> {
  const page = await ask('endpoints', { limit: MAX_ENDPOINTS })
  const names = [...new Set([...configured, ...page.entries].map(({ name }) => name))]
  if (names.length <= MAX_ENDPOINTS && !page.next) return names
  throw wrongField('endpoint', `is needed: there are more than ${MAX_ENDPOINTS} endpoints.`)
}

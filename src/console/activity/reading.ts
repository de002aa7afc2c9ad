import type { ShownEndpoint } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { type Answers, type ApiAnswer, type ApiRefusal, ask, type ConsoleVisit } from '../visit.ts'
import { apiQuery, type CallFilter, PERIODS } from './call-filter.ts'

/** Entry in the call log (docs/records.md). */
export type ApiCallRecord = Answers['Record']

/** A statement that ran. It has values only if they are logged. */
export type ApiStatement = NonNullable<ApiCallRecord['statements']>[number]

/** Statistics over time and by person. */
export type Statistics = Answers['Statistic']

/** Statistics about calls. */
export type ApiFigures = Pick<Statistics, 'calls' | 'errors' | 'refused' | 'p50' | 'p95'>

/** A page of calls, newest first, and the number of calls that could not be logged. */
export type CallPage = Answers['Records']

/** Calls per page. Even with long statements and names, a page stays below 100 KB. */
const PAGE = 30

/** Maximum number of endpoints to choose from. */
const MAX_ENDPOINTS = 100

/** Log entries can arrive some seconds after their call. */
const LATE_MS = 15_000

/** Loads calls that match a filter. With `after`: calls since that one, and some that were logged late. */
export function callsOf(
  visit: ConsoleVisit,
  filter: CallFilter,
  now: number,
  after = '',
): Promise<ApiAnswer<CallPage>> {
  const from = after ? timeOf(after) - LATE_MS : now - PERIODS[filter.time].ms
  const cursor = after ? '' : filter.cursor
  const query = { limit: `${PAGE}`, since: isoOf(from), ...(cursor && { cursor }) }
  return ask(visit, 'GET', `/records?${apiQuery(filter, query)}`)
}

const isoOf = (time: number) => new Date(time).toISOString()

/** Time in an id, which starts with it. */
const timeOf = (id: string) => {
  const time = Number.parseInt(id.slice(0, 9), 36)
  return Number.isSafeInteger(time) && time < 8e15 ? time : 0
}

/** Loads one call by its id. */
export async function callOf(
  visit: ConsoleVisit,
  endpoint: string,
  id: string,
): Promise<ApiCallRecord | undefined> {
  // A page starts below its cursor. `id0` is the smallest greater id.
  const path = pathWith('/records', { endpoint, cursor: `${id}0`, limit: 1 })
  const { body } = await ask<CallPage>(visit, 'GET', path)
  return body?.records.find((it) => it.id === id)
}

/** Statistics, or the reason there are none. */
export interface LoadedStatistics {
  readonly statistics?: Statistics
  readonly refused?: ApiRefusal | undefined
}

/** Loads statistics about calls that match a filter. */
export async function statisticsOf(
  visit: ConsoleVisit,
  filter: CallFilter,
  now: number,
): Promise<LoadedStatistics> {
  const { ms, step } = PERIODS[filter.time]
  const stepMs = step * 1000
  const query = apiQuery(filter, {
    since: isoOf(Math.floor(now / stepMs) * stepMs - ms + stepMs),
    until: isoOf(now + 1),
    step: `${step}`,
    by: 'caller',
  })
  const { body, refused } = await ask<Answers['Statistics']>(visit, 'GET', `/statistics?${query}`)
  return body ? { statistics: body.total ?? body.statistics[0]! } : { refused }
}

/** Endpoints to choose from, by name. */
export async function endpointsOf(
  visit: ConsoleVisit,
): Promise<ReadonlyMap<string, ShownEndpoint>> {
  const path = `/endpoints?limit=${MAX_ENDPOINTS}`
  const { body } = await ask<Answers['Endpoints']>(visit, 'GET', path)
  return new Map(body?.endpoints.map((it) => [it.name, it]))
}

/** Key labels, loaded only if one of these callers is a key. */
export async function labelsOf(
  visit: ConsoleVisit,
  callers: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  if (!callers.some((it) => it?.startsWith(KEY))) return new Map()
  const { body } = await ask<Answers['Keys']>(visit, 'GET', '/keys?limit=200')
  return new Map(body?.keys.map(({ id, label }) => [`${KEY}${id}`, label]))
}

const KEY = 'key:'

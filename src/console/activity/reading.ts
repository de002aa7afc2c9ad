import type { ShownEndpoint } from '../parts/endpoint.ts'
import { type ApiAnswer, ask, type Visit } from '../visit.ts'
import { type Asked, apiQuery, PERIODS } from './asked.ts'

/** A call, as the API tells of it (docs/records.md). */
export interface CallRecord {
  readonly id: string
  readonly time: string
  readonly endpoint: string
  readonly caller?: string
  readonly client?: { readonly name: string; readonly version?: string }
  readonly tool?: string
  readonly statements?: readonly Statement[]
  readonly rows: number
  readonly bytes: number
  readonly milliseconds: number
  readonly outcome: 'ok' | 'error' | 'refused'
  readonly code?: string
  readonly traceId?: string
  readonly calls?: number
}

/** A statement that ran, without its values unless they are kept. */
export interface Statement {
  readonly database: string
  readonly sql?: string
  readonly params?: string
}

/** What calls add up to. */
export interface Figures {
  readonly calls: number
  readonly errors: number
  readonly refused: number
  readonly p50?: number
  readonly p95?: number
}

/** The same over time, and for each person. */
export interface Statistics extends Figures {
  readonly buckets: readonly (Figures & { readonly at: string })[]
  readonly groups: readonly (Figures & { readonly name?: string; readonly lastCallAt: string })[]
}

/** Calls of one page, newest first. */
export interface Calls {
  readonly records: readonly CallRecord[]
  readonly next?: string
  /** Calls of that time whose record could not be written. */
  readonly lost: number
}

/** What was found, or why the API does not say. */
export type Found<It> = It | { readonly problem: string }

/** Calls on a page. With long statements and names of strangers, it stays below 100 KB. */
const PAGE = 30

/** Endpoints that can be chosen from a list. */
const MAX_ENDPOINTS = 100

/** A record may come some seconds after its call. */
const LATE_MS = 15_000

/** The calls that are asked for. */
export function callsOf(visit: Visit, asked: Asked, now: number): Promise<Found<Calls>> {
  const { time, cursor } = asked
  const since = new Date(now - PERIODS[time].ms).toISOString()
  const query = apiQuery(asked, { limit: String(PAGE), since, ...(cursor && { cursor }) })
  return found(ask(visit, 'GET', `/records?${query}`))
}

/** The calls since a time, and some before it, whose records may have come meanwhile. */
export function callsAfter(visit: Visit, asked: Asked, after: string): Promise<Found<Calls>> {
  const since = new Date(timeOf(after) - LATE_MS).toISOString()
  return found(ask(visit, 'GET', `/records?${apiQuery(asked, { limit: String(PAGE), since })}`))
}

/** An id begins with its time. */
const timeOf = (id: string) => {
  const time = Number.parseInt(id.slice(0, 9), 36)
  return Number.isSafeInteger(time) && time < 8e15 ? time : 0
}

/** One call by its id. */
export async function callOf(
  visit: Visit,
  endpoint: string,
  id: string,
): Promise<CallRecord | undefined> {
  // The newest before the first id that is greater.
  const query = new URLSearchParams({ endpoint, cursor: `${id}0`, limit: '1' })
  const { status, body } = await ask(visit, 'GET', `/records?${query}`)
  const [record] = status === 200 ? (body.records as readonly CallRecord[]) : []
  return record?.id === id ? record : undefined
}

/** What the calls add up to that are asked for. */
export async function statisticsOf(
  visit: Visit,
  asked: Asked,
  now: number,
): Promise<Found<Statistics>> {
  const { ms, step } = PERIODS[asked.time]
  const stepMs = step * 1000
  const since = new Date(Math.floor(now / stepMs) * stepMs - ms + stepMs).toISOString()
  const query = apiQuery(asked, {
    ...{ since, until: new Date(now + 1).toISOString() },
    ...{ step: String(step), by: 'caller' },
  })
  const answer = await found<{ statistics: readonly Statistics[]; total?: Statistics }>(
    ask(visit, 'GET', `/statistics?${query}`),
  )
  return 'problem' in answer ? answer : (answer.total ?? answer.statistics[0]!)
}

async function found<It>(asking: Promise<ApiAnswer>): Promise<Found<It>> {
  const { status, body } = await asking
  return status === 200 ? body : { problem: body.error.message }
}

/** The endpoints to choose from, by their names. */
export async function endpointsOf(visit: Visit): Promise<ReadonlyMap<string, ShownEndpoint>> {
  const { body } = await ask(visit, 'GET', `/endpoints?limit=${MAX_ENDPOINTS}`)
  const endpoints = (body.endpoints ?? []) as readonly ShownEndpoint[]
  return new Map(endpoints.map((it) => [it.name, it]))
}

/** What keys are called, if one of these callers is a key. */
export async function labelsOf(
  visit: Visit,
  callers: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  if (!callers.some((it) => it?.startsWith(KEY))) return new Map()
  const { body } = await ask(visit, 'GET', '/keys?limit=200')
  const keys = (body.keys ?? []) as readonly { readonly id: string; readonly label: string }[]
  return new Map(keys.map(({ id, label }) => [`${KEY}${id}`, label]))
}

const KEY = 'key:'

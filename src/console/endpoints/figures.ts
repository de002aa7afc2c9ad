import type { ShownEndpoint } from '../parts/endpoint.ts'
import { ask, type Visit } from '../visit.ts'

/** What the records of an endpoint add up to today, in UTC. */
export interface Figures {
  readonly endpoint: string
  readonly calls: number
  readonly errors: number
  readonly refused: number
  readonly p95?: number
  readonly lastCallAt?: string
  readonly buckets: readonly { readonly at: string; readonly calls: number }[]
}

/** Why the newest call of an endpoint failed, and since when they do. */
export interface Failing {
  readonly code: string
  readonly at: string
}

/** What is known of an endpoint without asking its databases. */
export interface Known {
  readonly endpoint: ShownEndpoint
  readonly figures: Figures | undefined
  /** Its newest call did not reach the database. */
  readonly failing: Failing | undefined
}

const HOUR_S = 3600

/** Calls of today, and the newest faults, of a page of endpoints. */
export async function knownOf(
  visit: Visit,
  endpoints: readonly ShownEndpoint[],
): Promise<readonly Known[]> {
  if (endpoints.length === 0) return []
  const since = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
  const names = endpoints.map(({ name }) => name).join()
  const query = new URLSearchParams({ endpoint: names, since, step: `${HOUR_S}` })
  const { body } = await ask(visit, 'GET', `/statistics?${query}`)
  const statistics: readonly Figures[] = body?.statistics ?? []
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const figures = statistics.find((it) => it.endpoint === endpoint.name)
      const failing = figures?.errors ? await failingOf(visit, endpoint.name) : undefined
      return { endpoint, figures, failing }
    }),
  )
}

/** Kinds of faults that are not about one statement. */
const UNREACHED = ['network', 'auth', 'config']

async function failingOf(visit: Visit, name: string): Promise<Failing | undefined> {
  const { body } = await ask(visit, 'GET', `/records?endpoint=${name}&limit=50`)
  const records: readonly { time: string; outcome: string; code?: string }[] = body?.records ?? []
  const ends = records.findIndex(({ code = '' }) => !UNREACHED.includes(code))
  const failing = records.slice(0, ends < 0 ? records.length : ends)
  const code = failing[0]?.code
  return code === undefined ? undefined : { code, at: failing.at(-1)!.time }
}

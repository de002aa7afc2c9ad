import type { ShownEndpoint } from '../parts/endpoint.ts'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'

/** Statistics about an endpoint for today, in UTC. */
export type EndpointFigures = Answers['Statistic']

/** Reason an endpoint's newest call failed, and the time of the first failure in a row. */
export interface Failing {
  readonly code: string
  readonly at: string
}

/** Facts about an endpoint, known without connecting to its databases. */
export interface KnownFigures {
  readonly endpoint: ShownEndpoint
  readonly figures: EndpointFigures | undefined
  /** Set if its newest call did not reach the database. */
  readonly failing: Failing | undefined
}

const HOUR_S = 3600

/** Loads today's calls and the newest failures for a page of endpoints. */
export async function knownOf(
  visit: ConsoleVisit,
  endpoints: readonly ShownEndpoint[],
): Promise<readonly KnownFigures[]> {
  if (endpoints.length === 0) return []
  const since = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
  const names = endpoints.map(({ name }) => name).join()
  const query = new URLSearchParams({ endpoint: names, since, step: `${HOUR_S}` })
  const { body } = await ask<Answers['Statistics']>(visit, 'GET', `/statistics?${query}`)
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const figures = body?.statistics.find((it) => it.endpoint === endpoint.name)
      const failing = figures?.errors ? await failingOf(visit, endpoint.name) : undefined
      return { endpoint, figures, failing }
    }),
  )
}

/** Error codes that are not about one statement. */
const UNREACHED = ['network', 'auth', 'config']

async function failingOf(visit: ConsoleVisit, name: string): Promise<Failing | undefined> {
  const path = `/records?endpoint=${name}&limit=50`
  const { body } = await ask<Answers['Records']>(visit, 'GET', path)
  const records = body?.records ?? []
  const ends = records.findIndex(({ code = '' }) => !UNREACHED.includes(code))
  const failing = records.slice(0, ends < 0 ? records.length : ends)
  const code = failing[0]?.code
  return code === undefined ? undefined : { code, at: failing.at(-1)!.time }
}

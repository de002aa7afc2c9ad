import { type Answers, type ConsoleVisit, demand, NotFound } from '../visit.ts'

/** An endpoint: its configuration, and where it is stored. */
export type ShownEndpoint = Answers['Endpoint']

/** Endpoint with this name. Throws {@link NotFound}. */
export const endpointOf = (visit: ConsoleVisit, name = ''): Promise<ShownEndpoint> =>
  demand(
    visit,
    'GET',
    `/endpoints/${encodeURIComponent(name)}`,
    `There is no endpoint named ${name}.`,
  )

/** Endpoint with this name, if the Console can change it. Throws {@link NotFound}. */
export async function storedEndpoint(visit: ConsoleVisit, name?: string): Promise<ShownEndpoint> {
  const endpoint = await endpointOf(visit, name)
  if (endpoint.from === 'registry') return endpoint
  throw new NotFound(`${endpoint.name} comes from the configuration. Change it there.`)
}

/** An endpoint's default tools. */
export const BUILT_IN = [
  'list_tables',
  'describe_table',
  'query_table',
  'query',
  'explain_query',
] as const

/** Names of all tools that an endpoint can offer. */
export function toolsOf({ tools, search, questions = [] }: ShownEndpoint): readonly string[] {
  return [
    ...(tools ?? BUILT_IN).map((it) => (typeof it === 'string' ? it : it.name)),
    ...(search ? ['search', 'fetch'] : []),
    ...questions.map(({ name }) => name),
  ]
}

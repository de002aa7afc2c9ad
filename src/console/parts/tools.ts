import type { ShownEndpoint } from './endpoint.ts'

/** The tools that an endpoint has if it names none. */
export const BUILT_IN = [
  'list_tables',
  'describe_table',
  'query_table',
  'query',
  'explain_query',
] as const

type Named = string | { readonly name: string }

/** The names of all tools that an endpoint may offer. */
export function toolsOf(endpoint: ShownEndpoint): readonly string[] {
  const all: readonly Named[] = endpoint.tools ?? BUILT_IN
  const own = all.map((it) => (typeof it === 'string' ? it : it.name))
  const questions: readonly { readonly name: string }[] = endpoint.questions ?? []
  return [
    ...own,
    ...(endpoint.search ? ['search', 'fetch'] : []),
    ...questions.map(({ name }) => name),
  ]
}

import type { ConsoleVisit } from '../visit.ts'
import type { ShownEndpoint } from './endpoint.ts'

/** Engine and location of a database, known without connecting to it. */
export interface KnownEngine {
  readonly engine: string
  readonly where: string
}

/** Engine of each of the endpoint's databases, by name. */
export function enginesOf(
  { databases, credentials = {} }: Pick<ShownEndpoint, 'databases' | 'credentials'>,
  { titleOf }: Pick<ConsoleVisit, 'titleOf'>,
): [string, KnownEngine][] {
  const all = Object.entries(databases)
  return all.map(([name, { url }]) => {
    const stored = Object.hasOwn(credentials, name) ? credentials[name] : undefined
    const scheme = stored?.scheme ?? url.split(':')[0] ?? ''
    return [
      name,
      { engine: titleOf(scheme) ?? 'Database', where: stored?.host || WHERE[scheme] || url },
    ]
  })
}

const WHERE: Readonly<Record<string, string>> = { demo: 'built in' }

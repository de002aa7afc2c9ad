// The entries in a file: endpoints and groups.
import { isObject } from '../../ground/index.ts'
import { Mistake } from '../terminal/failure.ts'

/** An entry in a file. The API checks its other fields. */
export interface NamedEntry extends Readonly<Record<string, unknown>> {
  readonly name: string
}

/**
 * Checks the names of entries. Leaves out entries from the configuration, which a printed list can
 * contain.
 */
export function named(list: readonly unknown[], kind: string): NamedEntry[] {
  const entries = list
    .map((it) => (isObject(it) ? it : {}))
    .filter((it) => it.from !== 'configuration')
  const names = entries.map(({ name }) => name)
  return entries.map((entry, i) => {
    const { name } = entry
    if (typeof name !== 'string') throw new Mistake(`The ${kind} at position ${i + 1} has no name.`)
    if (names.indexOf(name) < i) throw new Mistake(`The ${kind} ${name} is in the file twice.`)
    return withoutShown({ ...entry, name })
  })
}

/** An entry without its read-only fields. */
export function withoutShown(entry: NamedEntry): NamedEntry {
  const { from: _, createdAt: __, changedAt: ___, credentials: ____, ...rest } = entry
  return rest as NamedEntry
}

/** An endpoint with the URLs that its file omits, because they stay the same or come from variables. */
export function withUrls(endpoint: NamedEntry, before: NamedEntry | undefined): NamedEntry {
  const present = isObject(before?.databases) ? before.databases : {}
  return withEach(endpoint, 'databases', (it, name) => {
    const was = present[name]
    const url = it.url ?? (isObject(was) ? was.url : undefined)
    if (url !== undefined) return { ...it, url: urlOf(url) }
    throw new Mistake(
      `The database ${name} of the endpoint ${endpoint.name} has no url. Write "env:NAME", for the environment variable that holds it.`,
    )
  })
}

/** The same for a group, whose databases do not need their own URLs. */
export const withOwnUrls = (group: NamedEntry): NamedEntry =>
  withEach(group, 'endpoints', (rules) =>
    withEach(rules, 'databases', (it) =>
      it.url === undefined ? it : { ...it, url: urlOf(it.url) },
    ),
  )

type EntryObject = Readonly<Record<string, unknown>>

/** A value with each object in one of its fields changed. Anything else is left for the API to reject. */
function withEach<Value extends EntryObject>(
  value: Value,
  field: string,
  change: (it: EntryObject, name: string) => EntryObject,
): Value {
  const within = value[field]
  if (!isObject(within)) return value
  const changed = Object.entries(within).map(([name, it]) => [
    name,
    isObject(it) ? change(it, name) : it,
  ])
  return { ...value, [field]: Object.fromEntries(changed) }
}

function urlOf(url: unknown): unknown {
  const [, variable] = /^env:(\w+)$/.exec(String(url)) ?? []
  if (!variable) return url
  const value = process.env[variable]?.trim()
  if (value) return value
  throw new Mistake(`The environment variable ${variable}, which the file names, is not set.`)
}

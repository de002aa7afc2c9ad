import { refusedBy } from '../parts/draft.ts'
import { endpointOf, NotThere } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { type DatabaseRules, GROUPS, groupOf, type ShownGroup } from './group.ts'

/** What is said after a change. */
export const SAID = { saved: 'What it sees is saved. It holds everywhere within 10 seconds.' }

/** A database of an endpoint of a group, whose rules are looked at. */
export interface Place {
  readonly visit: Visit
  readonly group: ShownGroup
  readonly endpoint: string
  readonly database: string
  /** Undefined if the group does not see the database. */
  readonly rules: DatabaseRules | undefined
}

/** The place that a path names. Throws {@link NotThere}. */
export async function placeOf(
  visit: Visit,
  { name = '', endpoint = '', database = '' }: Readonly<Record<string, string>>,
): Promise<Place> {
  const [group, { databases }] = await Promise.all([
    groupOf(visit, name),
    endpointOf(visit, endpoint),
  ])
  if (!Object.hasOwn(group.endpoints, endpoint) || !Object.hasOwn(databases, database)) {
    throw new NotThere(`The group ${name} has no database ${database} of an endpoint ${endpoint}.`)
  }
  const all = group.endpoints[endpoint]?.databases
  const rules = all ? (Object.hasOwn(all, database) ? all[database] : undefined) : {}
  return { visit, group, endpoint, database, rules }
}

/** Where its tables are shown. */
export const pathOf = ({ group, endpoint, database }: Place): string =>
  `${GROUPS}/${group.name}/endpoints/${endpoint}/tables/${database}`

/** Saves rules of the one database: what another person changes elsewhere stays. */
export async function save({ visit, group, endpoint, database }: Place, patch: object) {
  const all = group.endpoints[endpoint]?.databases
  // The first rule for one database is where the list of those that are seen begins.
  const others = all ? {} : await othersOf(visit, endpoint)
  const databases = { ...others, [database]: patch }
  const path = pathWith(`/groups/${group.name}`, { unchangedSince: group.changedAt })
  return refusedBy(await ask(visit, 'PATCH', path, { endpoints: { [endpoint]: { databases } } }))
}

async function othersOf(visit: Visit, endpoint: string): Promise<object> {
  const { databases } = await endpointOf(visit, endpoint)
  return Object.fromEntries(Object.keys(databases).map((it) => [it, {}]))
}

/** What a group may see of a table, by its rules. */
export const ownRule = ({ tables = {} }: DatabaseRules, table: string) =>
  Object.hasOwn(tables, table) ? tables[table] : undefined

/** Where one is. */
export const Crumbs = ({ place: { group, endpoint } }: { readonly place: Place }) => (
  <>
    <a href={GROUPS}>Groups</a> / <a href={`${GROUPS}/${group.name}`}>{group.name}</a> /{' '}
    <a href={`${GROUPS}/${group.name}/endpoints/${endpoint}`}>{endpoint}</a>
  </>
)

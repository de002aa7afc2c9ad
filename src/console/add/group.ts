import { type Refused, refusedBy } from '../parts/draft.ts'
import { NotThere, type ShownEndpoint } from '../parts/endpoint.ts'
import { ask, type Visit } from '../visit.ts'

/** What a group may see of a database: all of it, if neither schemas nor tables are named. */
export interface DatabaseRules {
  readonly schemas?: readonly string[]
  readonly tables?: Readonly<Record<string, true | readonly string[]>>
}

/** A group as the API shows it. */
export interface Group {
  readonly name: string
  readonly title?: string
  readonly people: readonly string[]
  readonly keys: readonly string[]
  readonly endpoints: Readonly<
    Record<string, { readonly databases?: Readonly<Record<string, DatabaseRules>> }>
  >
  readonly changedAt: string
}

/** The group of this name. Throws {@link NotThere}. */
export async function groupOf(visit: Visit, name: string): Promise<Group> {
  const { status, body } = await ask(visit, 'GET', `/groups/${encodeURIComponent(name)}`)
  if (status === 200) return body
  if (status === 404) throw new NotThere(`There is no group ${name}.`)
  throw new Error(`The API answered ${status}.`)
}

/** Which tables of a database a group sees. `all`: every table, also later ones. */
export type Sees = 'all' | Readonly<Record<string, true | readonly string[]>>

/** What a group sees of a database of an endpoint. Undefined if it does not have the endpoint. */
export function seenBy(group: Group, endpoint: string, database: string): Sees | undefined {
  const rules = Object.hasOwn(group.endpoints, endpoint) ? group.endpoints[endpoint] : undefined
  if (!rules) return undefined
  if (!rules.databases) return 'all'
  const own = Object.hasOwn(rules.databases, database) ? rules.databases[database] : undefined
  if (!own) return {}
  return own.tables || own.schemas ? (own.tables ?? {}) : 'all'
}

/** A change of what a group sees of a database: tables by their names, `null` for those that it sees no more. */
export type Change =
  | 'all'
  | {
      readonly tables: Readonly<Record<string, true | readonly string[] | null>>
      /** It has seen all, or nothing, and sees no table but these from now on. */
      readonly reset?: true
    }

/** Changes what a group sees of one database of an endpoint, and nothing else of the group. */
export async function changeSeen(
  visit: Visit,
  group: Group,
  { name, databases }: ShownEndpoint,
  database: string,
  change: Change,
): Promise<Refused | undefined> {
  const rules = Object.hasOwn(group.endpoints, name) ? group.endpoints[name] : undefined
  // If the group has every database, the others must be named once one of them is.
  const others = rules && !rules.databases ? Object.keys(databases) : []
  const own = change === 'all' ? { tables: null, schemas: null } : { tables: change.tables }
  const named = { ...Object.fromEntries(others.map((it) => [it, {}])), [database]: own }
  const patch = { endpoints: { [name]: { databases: named } } }
  return refusedBy(await ask(visit, 'PATCH', `/groups/${group.name}`, patch))
}

import { NotThere } from '../parts/endpoint.ts'
import { ask, type Visit } from '../visit.ts'

/** What a group may see of a database. */
export interface DatabaseRules {
  readonly url?: string
  readonly role?: string
  readonly schemas?: readonly string[]
  readonly tables?: Readonly<Record<string, true | readonly string[]>>
}

/** What a group may use of an endpoint. */
export interface Rules {
  readonly tools?: readonly string[]
  readonly databases?: Readonly<Record<string, DatabaseRules>>
}

/** A group as the API shows it. */
export interface ShownGroup {
  readonly name: string
  readonly title?: string
  readonly people: readonly string[]
  readonly keys: readonly string[]
  readonly endpoints: Readonly<Record<string, Rules>>
  readonly changedAt: string
  readonly credentials?: readonly {
    readonly endpoint: string
    readonly database: string
    readonly scheme: string
    readonly host: string
    readonly setAt: string
  }[]
}

/** Where groups are listed. */
export const GROUPS = '/console/access/groups'

/** The group of this name. Throws {@link NotThere}. */
export async function groupOf(visit: Visit, name: string): Promise<ShownGroup> {
  const { status, body } = await ask(visit, 'GET', `/groups/${encodeURIComponent(name)}`)
  if (status === 404) throw new NotThere(`There is no group ${name}.`)
  if (status !== 200) throw new Error(`The API answered ${status}.`)
  return body
}

/** What a group is called. */
export const titleOf = ({ title, name }: Pick<ShownGroup, 'title' | 'name'>): string =>
  title ?? name

/** A number of things: `1 person`, `3 people`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** What a group may see of an endpoint, in a few words. */
export function rulesInWords({ tools, databases }: Rules): string {
  const use = tools ? counted(tools.length, 'tool') : 'every tool'
  if (!databases) return `${use}, every database`
  const each = Object.entries(databases).map(([name, { url, role, schemas, tables }]) => {
    const limits = [
      ...(url ? ['a credential of its own'] : []),
      ...(role ? [`the role ${role}`] : []),
      ...(schemas ? [counted(schemas.length, 'schema')] : []),
      ...(tables ? [counted(Object.keys(tables).length, 'table')] : []),
    ]
    return limits.length > 0 ? `${name}: ${limits.join(', ')}` : name
  })
  const more = each.length - 4
  return `${use}; ${each.slice(0, 4).join('; ')}${more > 0 ? `; and ${more} more databases` : ''}`
}

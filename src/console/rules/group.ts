import { counted } from '../../ground/index.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { type Answers, type ConsoleVisit, demand, NotFound } from '../visit.ts'

/** A group: its members, and its access to each endpoint. */
export type ShownGroup = Answers['Group']

/** A group's access to an endpoint. */
export type GroupAccess = ShownGroup['endpoints'][string]

/** A group's access to a database. Without schemas and tables, it sees the whole database. */
export type DatabaseAccess = NonNullable<GroupAccess['databases']>[string]

/** Path of the list of groups. */
export const GROUPS = '/console/access/groups'

/** Group with this name. Throws {@link NotFound}. */
export const groupOf = (visit: ConsoleVisit, name: string): Promise<ShownGroup> =>
  demand(visit, 'GET', `/groups/${encodeURIComponent(name)}`, `There is no group named ${name}.`)

/** A group and one of its endpoints. Throws {@link NotFound}. */
export async function groupEndpoint(
  visit: ConsoleVisit,
  groupName = '',
  name = '',
): Promise<{ group: ShownGroup; endpoint: ShownEndpoint; rules: GroupAccess }> {
  const group = await groupOf(visit, groupName)
  const rules = Object.hasOwn(group.endpoints, name) ? group.endpoints[name] : undefined
  if (!rules) throw new NotFound(`The group ${group.name} does not have the endpoint ${name}.`)
  return { group, endpoint: await endpointOf(visit, name), rules }
}

/** Title of a group, or its name. */
export const titleOf = ({ title, name }: Pick<ShownGroup, 'title' | 'name'>): string =>
  title ?? name

/** Short description of a group's access to an endpoint. */
export function rulesInWords({ tools, databases }: GroupAccess): string {
  const use = tools ? counted(tools.length, 'tool') : 'every tool'
  if (!databases) return `${use}, every database`
  const each = Object.entries(databases).map(([name, { url, role, schemas, tables }]) => {
    const limits = [
      ...(url ? ['own credential'] : []),
      ...(role ? [`role ${role}`] : []),
      ...(schemas ? [counted(schemas.length, 'schema')] : []),
      ...(tables ? [counted(Object.keys(tables).length, 'table')] : []),
    ]
    return limits.length > 0 ? `${name}: ${limits.join(', ')}` : name
  })
  const more = each.length - 4
  return `${use}; ${each.slice(0, 4).join('; ')}${more > 0 ? `; and ${more} more databases` : ''}`
}

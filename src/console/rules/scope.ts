import type { ShownEndpoint } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { type ApiRefusal, ask, type ConsoleVisit } from '../visit.ts'
import type { DatabaseAccess, ShownGroup } from './group.ts'

/** A group, a database, and the page for editing the group's rules for the database. */
export interface RuleScope {
  readonly visit: ConsoleVisit
  readonly group: ShownGroup
  readonly endpoint: ShownEndpoint
  readonly database: string
  /** Address of the page. Its query selects the part of the database. */
  readonly path: string
  /** Parameters in all its addresses. */
  readonly query?: Readonly<Record<string, string | undefined>>
}

/** Part of a database on the page: a page of its tables, or of a table's columns. */
export interface RuleView {
  readonly search?: string | undefined
  readonly table?: string | undefined
  readonly offset: number
  readonly done?: string | undefined
}

/** Part that an address's query selects. */
export const viewIn = ({
  search,
  table,
  offset = '0',
  done,
}: Readonly<Record<string, string | undefined>>): RuleView => ({
  search: search?.slice(0, 200) || undefined,
  table: table?.slice(0, 1_000) || undefined,
  offset: /^\d{1,6}$/.test(offset) ? Number(offset) : 0,
  done,
})

/** Address of a part. */
export const hrefOf = ({ path, query }: RuleScope, { offset, ...view }: RuleView): string =>
  pathWith(path, { ...query, ...view, offset: offset || undefined })

/**
 * Rules of the group for the database. Without tables and schemas, it sees all of it. `missing`: the group does not
 * have the endpoint.
 */
export function rulesOf({ group, endpoint, database }: RuleScope): DatabaseAccess | 'missing' {
  const rules = own(group.endpoints, endpoint.name)
  if (!rules) return 'missing'
  return rules.databases ? (own(rules.databases, database) ?? { tables: {} }) : {}
}

/** Visible columns of a table that has its own rule: `true` for all. */
export const ruleFor = ({ tables = {} }: DatabaseAccess, table: string) => own(tables, table)

const own = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Saves the rules of one database, as a merge patch. Everything else about the group stays the same. */
export async function saveRules(
  { visit, group, endpoint, database }: RuleScope,
  patch: object,
): Promise<ApiRefusal | undefined> {
  const rules = own(group.endpoints, endpoint.name)
  // If the group has every database, naming one means that the others must be named too.
  const others = rules && !rules.databases ? Object.keys(endpoint.databases) : []
  const databases = { ...Object.fromEntries(others.map((it) => [it, {}])), [database]: patch }
  const path = pathWith(`/groups/${group.name}`, { unchangedSince: group.changedAt })
  const endpoints = { [endpoint.name]: { databases } }
  return (await ask(visit, 'PATCH', path, { endpoints })).refused
}

import { foldName } from '../../ground/index.ts'
import { changed } from './changes.ts'
import { credentialsOf, replaceCredentials } from './credentials.ts'
import type { GroupEntry, KeyEntry, LookupResult, StoredGroup } from './entries.ts'
import type { FilteredOrder, RegistryRows, RowPage, Write, WriteResult } from './rows.ts'

/** Groups that have rules for an endpoint, and whose name or title contains the search text. */
export function groups(
  rows: RegistryRows,
  { endpoint, search, ...order }: FilteredOrder,
): RowPage<StoredGroup> {
  const page = rows.page<GroupEntry>('groups', order, [
    [HAS_ENDPOINT, endpoint],
    [HAS_NAME, search?.toLowerCase() || undefined],
  ])
  return { ...page, entries: page.entries.map((it) => withCredentials(rows, it)) }
}

const HAS_ENDPOINT = `exists (select 1 from json_each(groups.value, '$.endpoints') as it where it.key = ?)`
const HAS_NAME = `instr(lower(name || char(10) || coalesce(json_extract(value, '$.title'), '')), ?) > 0`

export function group(
  rows: RegistryRows,
  { name }: { readonly name: string },
): StoredGroup | undefined {
  const entry = rows.entry<GroupEntry>('groups', name)
  return entry && withCredentials(rows, entry)
}

const withCredentials = (rows: RegistryRows, entry: GroupEntry): StoredGroup => ({
  ...entry,
  credentials: credentialsOf(rows, { group: entry.name }),
})

/** Writes a group with its new credentials, and drops the credentials that it no longer uses. */
export function putGroup(rows: RegistryRows, { entry, was }: Write<StoredGroup>): WriteResult {
  const { credentials, ...kept } = entry
  const { name } = kept
  rows.put('groups', name, { entry: kept, was })
  const databases = Object.values(kept.endpoints).flatMap((it) => Object.values(it.databases ?? {}))
  const urls = databases.map(({ url }) => url)
  replaceCredentials(rows, { group: name }, credentials, urls)
  rows.sql.exec('delete from members where group_name = ?', name)
  for (const member of membersOf(kept)) {
    rows.sql.exec('insert or ignore into members values (?, ?)', member, name)
  }
  return changed(rows, 'group', name)
}

export function deleteGroup(rows: RegistryRows, { name }: { readonly name: string }): WriteResult {
  rows.delete('groups', name)
  rows.sql.exec('delete from members where group_name = ?', name)
  rows.sql.exec('delete from credentials where group_name = ?', name)
  return changed(rows, 'group', name)
}

/** The group whose rules apply at an endpoint. Null if these members have groups, but no group has the endpoint. */
export function groupOf(
  rows: RegistryRows,
  members: readonly string[],
  endpoint: string,
): LookupResult['group'] | undefined {
  if (members.length === 0) return undefined
  // As one value, because a statement can have a hundred values, and a provider can list more groups.
  const all = rows.entries<GroupEntry>(
    `select distinct groups.value from members join groups on groups.name = group_name
     where member in (select value from json_each(?)) order by groups.name`,
    JSON.stringify(members),
  )
  if (all.length === 0) return undefined
  const found = all.find((it) => Object.hasOwn(it.endpoints, endpoint))
  if (!found) return null
  const { name, changedAt } = found
  return { name, rules: found.endpoints[endpoint]!, changedAt }
}

/** True if a group has `group:` and the name of a provider's group among its people. */
export function namesProviderGroup(rows: RegistryRows): boolean {
  // All strings that start with `group:`, found by the primary key.
  const named = "select 1 from members where member >= 'group:' and member < 'group;' limit 1"
  return rows.first(named) !== undefined
}

export const membersOf = ({ keys, people }: GroupEntry): readonly string[] => [
  ...keys.map((id) => `key:${id}`),
  ...people.map(foldName),
]

export const membersOfKey = ({ id, person }: KeyEntry): readonly string[] => [
  `key:${id}`,
  ...membersOfPerson(person),
]

/** A group can list a person, or `group:` and the name of a group that their provider reports. */
export const membersOfPerson = (
  person: string | undefined,
  memberOf: readonly string[] = [],
): readonly string[] =>
  person === undefined ? [] : [person, ...memberOf.map((it) => `group:${it}`)].map(foldName)

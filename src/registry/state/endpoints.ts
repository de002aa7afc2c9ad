import { changed } from './changes.ts'
import { credentialsOf, replaceCredentials } from './credentials.ts'
import type { EndpointEntry } from './entries.ts'
import { NAMES } from './registry-tables.ts'
import type { FilteredOrder, RegistryRows, RowPage, Write, WriteResult } from './rows.ts'
import { settings } from './settings.ts'

export function endpoints(
  rows: RegistryRows,
  { search, ...order }: Omit<FilteredOrder, 'endpoint'>,
): RowPage<EndpointEntry> {
  const filter = [HAS_TITLE, search?.toLowerCase() || undefined] as const
  const page = rows.page<EndpointEntry>('endpoints', order, [filter])
  return { ...page, entries: page.entries.map((it) => withCredentials(rows, it)) }
}

const HAS_TITLE = `instr(lower(name || char(10) || json_extract(value, '$.value.title')), ?) > 0`

export function endpoint(
  rows: RegistryRows,
  { name }: { readonly name: string },
): EndpointEntry | undefined {
  const entry = rows.entry<EndpointEntry>('endpoints', name)
  return entry && withCredentials(rows, entry)
}

const withCredentials = (rows: RegistryRows, entry: EndpointEntry): EndpointEntry => ({
  ...entry,
  credentials: credentialsOf(rows, { endpoint: entry.name }),
})

/** The endpoint at `/mcp`: the one in the settings, or else the oldest one. */
export function defaultEndpoint(rows: RegistryRows): string | undefined {
  const { defaultEndpoint: set } = settings(rows)
  // It may have been deleted.
  if (set !== undefined && rows.has('endpoints', set)) return set
  const oldest = rows.first('select name from endpoints order by rowid limit 1')
  return oldest && String(oldest.name)
}

/** Writes an endpoint with its new credentials, and drops the credentials that it no longer uses. */
export function putEndpoint(rows: RegistryRows, { entry, was }: Write<EndpointEntry>): WriteResult {
  const { credentials, ...kept } = entry
  const { name } = kept
  rows.put('endpoints', name, { entry: kept, was })
  const urls = Object.values(kept.value.databases).map(({ url }) => url)
  replaceCredentials(rows, { endpoint: name }, credentials, urls)
  return changed(rows, 'endpoint', name)
}

/** Deletes an endpoint with all its credentials. Its name is removed from keys and groups. */
export function deleteEndpoint(
  rows: RegistryRows,
  { name }: { readonly name: string },
): WriteResult {
  rows.delete('endpoints', name)
  rows.sql.exec('delete from credentials where endpoint = ?', name)
  for (const id of forgetEndpoints(rows, 'keys', [name])) changed(rows, 'key', id)
  for (const group of forgetEndpoints(rows, 'groups', [name])) changed(rows, 'group', group)
  return changed(rows, 'endpoint', name)
}

/** The column with an entry's endpoint names, and the expression that collects the remaining endpoints. */
const NAMING = {
  keys: { it: 'value', left: 'json_group_array(it.value)' },
  groups: { it: 'key', left: 'json_group_object(it.key, json(it.value))' },
} as const

/**
 * Removes endpoint names from keys or groups, so that these do not open later endpoints with the same names. Returns
 * the names of the entries that were changed.
 */
export function forgetEndpoints(
  rows: RegistryRows,
  table: keyof typeof NAMING,
  names: Iterable<string>,
): readonly string[] {
  const gone = JSON.stringify([...names])
  if (gone === '[]') return []
  const { it, left } = NAMING[table]
  const all = `json_each(${table}.value, '$.endpoints') as it where it.${it}`
  const them = '(select value from json_each(?1))'
  // A damaged row names no endpoint. CASE tests it first; AND could come second.
  const update = `update ${table} set value = json_set(value,
    '$.endpoints', json((select ${left} from ${all} not in ${them})),
    '$.changedAt', (value ->> 'changedAt') + 1)
    where case when json_valid(value) then exists (select 1 from ${all} in ${them}) else 0 end returning ${NAMES[table]} as name`
  return [...rows.sql.exec(update, gone)].map(({ name }) => String(name))
}

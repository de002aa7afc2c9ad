import { changed } from './changes.ts'
import type { KeyEntry } from './entries.ts'
import type { FilteredOrder, RegistryRows, RowPage, Write, WriteResult } from './rows.ts'

/** Keys that open an endpoint, and whose label or person contains the search text. */
export const keys = (
  rows: RegistryRows,
  { endpoint, search, ...order }: FilteredOrder,
): RowPage<KeyEntry> =>
  rows.page('keys', order, [
    [OPENS, endpoint],
    [HAS_LABEL, search?.toLowerCase() || undefined],
  ])

const OPENS = `exists (select 1 from json_each(keys.value, '$.endpoints') as it where it.value in (?, '*'))`
const HAS_LABEL = `instr(lower(json_extract(value, '$.label') || char(10) || coalesce(json_extract(value, '$.person'), '')), ?) > 0`

export const key = (rows: RegistryRows, { id }: { readonly id: string }): KeyEntry | undefined =>
  rows.entry('keys', id)

export function putKey(rows: RegistryRows, { entry, was }: Write<KeyEntry>): WriteResult {
  // It may have been used after the entry was read.
  const usedAt = Math.max(key(rows, entry)?.usedAt ?? 0, entry.usedAt ?? 0)
  rows.put('keys', entry.id, { entry: { ...entry, ...(usedAt > 0 && { usedAt }) }, was })
  return changed(rows, 'key', entry.id)
}

/** Notes the last use of a key. Isolates do not need this change. */
export function keyUsed(
  rows: RegistryRows,
  { id, at }: { readonly id: string; readonly at: number },
): WriteResult {
  const entry = key(rows, { id })
  if (!entry) return 'missing'
  if ((entry.usedAt ?? 0) < at) {
    const used = JSON.stringify({ ...entry, usedAt: at })
    rows.sql.exec('update keys set value = ? where id = ?', used, id)
  }
  return 'done'
}

export function deleteKey(rows: RegistryRows, { id }: { readonly id: string }): WriteResult {
  rows.delete('keys', id)
  return changed(rows, 'key', id)
}

import { changed } from './changes.ts'
import type { RegistrySettings } from './entries.ts'
import type { RegistryRows, WriteResult } from './rows.ts'

export const settings = (rows: RegistryRows): RegistrySettings =>
  rows.entry('settings', 'settings') ?? {}

/** Updates these settings, and leaves the other settings alone. Null removes a setting. */
export function putSettings(
  rows: RegistryRows,
  updates: { readonly [Name in keyof RegistrySettings]: unknown },
): WriteResult {
  const all = Object.entries({ ...settings(rows), ...updates })
  const value = JSON.stringify(Object.fromEntries(all.filter(([, it]) => it !== null)))
  rows.sql.exec("insert or replace into settings values ('settings', ?)", value)
  return changed(rows, 'settings')
}

import type { ChangedSince } from './entries.ts'
import type { RegistryRows } from './rows.ts'

/** Maximum number of stored changes. An isolate that missed more than that clears its cache. */
const MAX_CHANGES = 1_000

/** Notes a change for the isolates, which then read the entry again. */
export function changed(
  { sql }: RegistryRows,
  kind: 'endpoint' | 'key' | 'group' | 'settings' | 'everything',
  name = '',
): 'done' {
  // Older versions of this code use the mark to tell two histories apart.
  const insert = 'insert into changes (kind, name, mark) values (?, ?, hex(randomblob(16)))'
  sql.exec(insert, kind, name)
  const old = 'version <= (select max(version) from changes) - ?'
  sql.exec(`delete from changes where ${old}`, MAX_CHANGES)
  return 'done'
}

export function versionOf(rows: RegistryRows): number {
  return Number(rows.first('select max(version) as n from changes')?.n ?? 0)
}

export function changesSince(rows: RegistryRows, since: number): ChangedSince {
  if (since === 0) return 'everything'
  const newer = rows.sql
    .exec<{ kind: string; name: string }>('select kind, name from changes where version > ?', since)
    .toArray()
  if (newer.length === 0) return { endpoints: [], keys: [] }
  const oldest = rows.first('select min(version) as n from changes')
  const isWhole = newer.every(({ kind }) => kind === 'endpoint' || kind === 'key')
  if (!isWhole || Number(oldest?.n) > since + 1) return 'everything'
  const named = (wanted: string) =>
    newer.filter(({ kind }) => kind === wanted).map(({ name }) => name)
  return { endpoints: named('endpoint'), keys: named('key') }
}

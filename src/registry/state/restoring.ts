import { changed } from './changes.ts'
import { forgetEndpoints } from './endpoints.ts'
import type {
  Credential,
  EndpointEntry,
  KeyEntry,
  RegistrySettings,
  StoredGroup,
} from './entries.ts'
import { membersOf } from './groups.ts'
import { NAMES } from './registry-tables.ts'
import { type RegistryRows, Undone, type WriteResult } from './rows.ts'
import { putSettings } from './settings.ts'

/** A piece of a restore. */
export interface Piece {
  readonly endpoints: readonly EndpointEntry[]
  readonly keys: readonly KeyEntry[]
  readonly groups: readonly StoredGroup[]
}

/** The entire contents of a registry. */
export interface Contents extends Piece {
  readonly settings: RegistrySettings
}

/**
 * Stages a piece of a restore. It has no effect until all pieces are written at once. Other requests are answered in
 * between.
 */
export function stage(
  { sql }: RegistryRows,
  { id: restore, piece }: { readonly id: string; readonly piece: Piece },
): WriteResult {
  // Any other restore can no longer finish.
  sql.exec('delete from staged where restore <> ?', restore)
  const put = (kind: string, name: string, value: object) => {
    const insert = 'insert or replace into staged values (?, ?, ?, ?)'
    sql.exec(insert, restore, kind, name, JSON.stringify(value))
  }
  const putCredentials = (credentials: Readonly<Record<string, Credential>>) => {
    for (const it of Object.values(credentials)) put('credential', it.id, it)
  }
  for (const { credentials, ...it } of piece.endpoints) {
    put('endpoint', it.name, it)
    putCredentials(credentials)
  }
  for (const it of piece.keys) put('key', it.id, it)
  for (const { credentials, ...it } of piece.groups) {
    put('group', it.name, it)
    putCredentials(credentials)
    for (const member of membersOf(it)) put('member', `${it.name} ${member}`, [member, it.name])
  }
  return 'done'
}

/** Writes these and the staged entries, replacing those with the same names. `replace` also removes all others. */
export function restore(
  rows: RegistryRows,
  {
    mode,
    contents: { settings, ...piece },
    staged: { id, ...expected } = { id: '', ...sizesOf(piece) },
  }: {
    readonly mode: 'merge' | 'replace'
    readonly contents: Contents
    /** The staged restore, and the number of its entries, including those in `contents`. */
    readonly staged?: Readonly<Record<keyof Piece, number>> & { readonly id: string }
  },
): WriteResult {
  const { sql } = rows
  const now = Math.max(Date.now(), lastChange(rows) + 1)
  stage(rows, { id, piece })
  // Another restore may have started meanwhile, and dropped the staged entries of this one.
  const isWhole = (['endpoints', 'keys', 'groups'] as const).every(
    (list) =>
      rows.count('staged where restore = ? and kind = ?', id, list.slice(0, -1)) === expected[list],
  )
  if (!isWhole) throw new Undone('changed')
  const replaced = markReplacing(sql, id, now)
  if (mode === 'replace') {
    for (const table of [...Object.keys(NAMES), 'members']) sql.exec(`delete from ${table}`)
  }
  forgetEndpoints(rows, 'keys', replaced)
  forgetEndpoints(rows, 'groups', replaced)
  if (hasTaken(sql, id)) throw new Undone('taken')
  writeStaged(sql, id, now)
  rows.recount()
  putSettings(rows, settings)
  rows.assertFits()
  return changed(rows, 'everything')
}

/** Number of entries of each kind in a piece. */
const sizesOf = ({ endpoints, keys, groups }: Piece) => ({
  endpoints: endpoints.length,
  keys: keys.length,
  groups: groups.length,
})

/** Time of the last change to an endpoint or a group. Restored entries get a newer time, so isolates reload them. */
function lastChange(rows: RegistryRows): number {
  const changed = ['endpoints', 'groups'].map(
    (table) => `select json_extract(value, '$.changedAt') as at from ${table}`,
  )
  return Number(rows.first(`select max(at) as n from (${changed.join(' union all ')})`)?.n ?? 0)
}

/**
 * Marks the staged endpoints that replace a different endpoint with the same name, which was created at another time.
 * Returns their names.
 */
function markReplacing(sql: SqlStorage, restore: string, now: number): ReadonlySet<string> {
  const mark = (restoredAt: string, which: string) =>
    `update staged set value = json_set(staged.value, '$.restoredAt', cast(${restoredAt} as integer))
     from endpoints as it where it.name = staged.name and restore = ?1 and kind = 'endpoint' and ${which}`
  const [stored, given] = ["it.value ->> 'restoredAt'", "staged.value ->> 'restoredAt'"]
  const isSame = "it.value ->> 'createdAt' = staged.value ->> 'createdAt'"
  // An older export of the same endpoint does not show that it was later restored over another one.
  sql.exec(
    mark(`max(${stored}, coalesce(${given}, 0))`, `${isSame} and ${stored} is not null`),
    restore,
  )
  const update = `${mark('?2', `not ${isSame}`)} returning staged.name`
  return new Set([...sql.exec(update, restore, now)].map(({ name }) => String(name)))
}

/** True if a staged credential has the id of a credential that belongs to something else. */
function hasTaken(sql: SqlStorage, restore: string): boolean {
  const select = `select 1 from staged join credentials as it on it.id = staged.name
    where restore = ? and kind = 'credential'
    and (it.endpoint <> staged.value ->> 'endpoint' or it.group_name is not staged.value ->> 'group') limit 1`
  return sql.exec(select, restore).toArray().length > 0
}

/** Writes all staged entries over those with the same names, one statement per kind. Row by row would take seconds. */
function writeStaged(sql: SqlStorage, restore: string, now: number): void {
  const staged = (kind: string) => `from staged where restore = ?1 and kind = '${kind}'`
  const named = (kind: string) => `(select name ${staged(kind)})`
  const changed = "json_set(value, '$.changedAt', cast(?2 as integer))"
  sql.exec(
    `delete from credentials where (endpoint in ${named('endpoint')} and group_name is null)
     or group_name in ${named('group')}`,
    restore,
  )
  sql.exec(`delete from members where group_name in ${named('group')}`, restore)
  // The oldest endpoint comes first, because it may be the one at /mcp.
  sql.exec(
    `insert into endpoints (name, value) select name, ${changed} ${staged('endpoint')}
     order by value ->> 'createdAt' on conflict (name) do update set value = excluded.value`,
    restore,
    now,
  )
  // A key may have been used since it was exported.
  const used = `max(coalesce(value ->> 'usedAt', 0),
    coalesce((select it.value ->> 'usedAt' from keys as it where it.id = staged.name), 0))`
  sql.exec(
    `insert into keys (id, value)
     select name, case when ${used} > 0 then json_set(${changed}, '$.usedAt', ${used}) else ${changed} end
     ${staged('key')} on conflict (id) do update set value = excluded.value`,
    restore,
    now,
  )
  sql.exec(
    `insert into groups (name, value) select name, ${changed} ${staged('group')}
     on conflict (name) do update set value = excluded.value`,
    restore,
    now,
  )
  sql.exec(
    `insert into members (member, group_name) select value ->> 0, value ->> 1 ${staged('member')}`,
    restore,
  )
  sql.exec(
    `insert into credentials (id, endpoint, group_name, key_id, value)
     select name, value ->> 'endpoint', value ->> 'group', value ->> '$.sealed.keyId', value
     ${staged('credential')} on conflict (id) do update set endpoint = excluded.endpoint,
     group_name = excluded.group_name, key_id = excluded.key_id, value = excluded.value`,
    restore,
  )
  sql.exec('delete from staged')
}

import type { Credential } from './entries.ts'
import { NAMES, tables } from './registry-tables.ts'
import { assertKnown, STATE_VERSION } from './state-version.ts'

/** Result of checking the registry's storage. */
export interface RegistryHealth {
  /** The tables that cannot be read, or that contain an invalid entry. */
  readonly damaged: readonly string[]
  /** One credential for each key that seals credentials. */
  readonly sealed: readonly Credential[]
}

/** Maximum number of keys that are checked. After a rotation there are two. */
const MAX_SEALING_KEYS = 8

/** Creates the tables, and stores their version. Throws `StateFault` if newer code has written them. */
export function openTables(sql: SqlStorage): void {
  sql.exec('create table if not exists state_version (version integer not null)')
  const [row] = sql.exec<{ version: number }>('select version from state_version').toArray()
  assertKnown(row?.version ?? 0, 'The registry')
  for (const table of tables) sql.exec(table)
  if (row?.version === STATE_VERSION) return
  sql.exec('delete from state_version')
  sql.exec('insert into state_version values (?)', STATE_VERSION)
}

/** Checks the first and the last entry in each table. If thorough, checks all entries and all pages. */
export function healthOf(sql: SqlStorage, isThorough: boolean): RegistryHealth {
  const damaged = Object.entries(NAMES).flatMap(([table, name]) =>
    isWhole(() => readEnds(sql, table, name)) && (!isThorough || isWhole(() => readAll(sql, table)))
      ? []
      : [table],
  )
  if (damaged.length > 0) return { damaged, sealed: [] }
  // The error text from SQLite lists page numbers, which help nobody.
  if (isThorough && !isWhole(() => checkPages(sql))) return { damaged: ['pages'], sealed: [] }
  return { damaged, sealed: [...sealedOf(sql)] }
}

function readEnds(sql: SqlStorage, table: string, name: string): void {
  for (const order of ['asc', 'desc']) {
    const select = `select value from ${table} order by ${name} ${order} limit 1`
    for (const { value } of sql.exec<{ value: string }>(select)) JSON.parse(value)
  }
}

function readAll(sql: SqlStorage, table: string): void {
  const select = `select count(*) as n from ${table} where not json_valid(value)`
  if (sql.exec<{ n: number }>(select).one().n > 0) throw new Error('An entry is not JSON.')
}

function checkPages(sql: SqlStorage): void {
  const [row] = sql.exec<Record<string, string>>('pragma quick_check(1)').toArray()
  if (row && Object.values(row)[0] !== 'ok') throw new Error('The pages are damaged.')
}

function* sealedOf(sql: SqlStorage): Iterable<Credential> {
  let after = ''
  for (let found = 0; found < MAX_SEALING_KEYS; found++) {
    const select = 'select key_id, value from credentials where key_id > ? order by key_id limit 1'
    const [row] = sql.exec<{ key_id: string; value: string }>(select, after).toArray()
    if (!row) return
    after = row.key_id
    yield JSON.parse(row.value) as Credential
  }
}

function isWhole(look: () => void): boolean {
  try {
    look()
    return true
  } catch (error) {
    console.error(error)
    return false
  }
}

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
// Importing the class as a value would add the import to the package's types, too.
import sqlite, { type DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../../gateway/index.ts'
import { assertKnown, StateFault } from '../../registry/index.ts'
import { damaged, openState, type StateFile } from './state-file.ts'

/** The version of a state file's format. It grows when older code could no longer read the file. */
const FILE_VERSION = 1

/** The objects whose files store permissions. These files are checked completely. */
const RIGHTS = /^(?:registry|authorization)-[\da-f]+\.sqlite$/

/** Refuses a state that is damaged, or that newer code wrote. Throws ConfigError. */
function assertSound(state: DatabaseSync, path: string): void {
  assertWhole(state, path)
  const { user_version: version } = state.prepare('pragma user_version').get() as {
    user_version: number
  }
  if (version > FILE_VERSION) {
    throw new ConfigError(
      `The state file ${path} was written by a newer Tidegate: it has state version ${version}, and this one reads up to ${FILE_VERSION}. Install the newer Tidegate again, or give another path.`,
    )
  }
  if (version < FILE_VERSION) state.exec(`pragma user_version = ${FILE_VERSION}`)
  const folder = `${path}.objects`
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (RIGHTS.test(name)) assertRights(join(folder, name))
}

function assertRights(path: string): void {
  const database = new sqlite.DatabaseSync(path)
  try {
    assertWhole(database, path)
    const has = database.prepare("select 1 from sqlite_schema where name = 'state_version'").get()
    const row = has && database.prepare('select version from state_version').get()
    assertKnown(Number(row?.version ?? 0), `The state in ${path}`)
  } catch (error) {
    if (isDamaged(error)) throw damaged(path)
    throw error instanceof StateFault ? new ConfigError(error.message) : error
  } finally {
    database.close()
  }
}

function assertWhole(database: DatabaseSync, path: string): void {
  if (checked(database) !== 'ok') throw damaged(path)
}

/** SQLite's codes for a file it cannot read: its pages are damaged, or it is not a database. */
const DAMAGED = [11, 26]

const isDamaged = (error: unknown): boolean =>
  DAMAGED.includes((error as { errcode?: number }).errcode ?? 0)

/** Maximum number of pages for a complete check, at about 3 ms per MB. In a larger file, only the tree is walked. */
const MAX_PAGES = 16_384

function checked(database: DatabaseSync): string | undefined {
  const ask = (sql: string) => Object.values(database.prepare(sql).get() ?? {}).map(String)[0]
  try {
    if (Number(ask('pragma page_count')) <= MAX_PAGES) return ask('pragma quick_check(1)')
    ask('select count(*) from _cf_KV')
    return 'ok'
  } catch {
    return undefined
  }
}

/** Opens the state, unless it is damaged or newer than this code. Throws ConfigError. */
export function openSound(path: string | undefined): StateFile {
  const kept = openState(path)
  try {
    if (path !== undefined) assertSound(kept.database, path)
    return kept
  } catch (error) {
    kept.close()
    throw error
  }
}

import { accessSync, constants as rights } from 'node:fs'
import { tmpdir } from 'node:os'
import * as sqlite from 'node:sqlite'
import { rules } from '../../database/sqlite/reader.ts'

/** Maximum length of a value, including intermediate ones. Values in the file can be this long. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024

/** SQLite's total memory limit, if it counts its memory. */
const MAX_HEAP_BYTES = 128 * 1024 * 1024

/** Opens a file read-only. The system, SQLite's settings and a list of allowed statements enforce this. */
export function connect(uri: string, timeoutMs: number): sqlite.DatabaseSync {
  const database = new sqlite.DatabaseSync(uri, {
    readOnly: true,
    allowExtension: false,
    enableForeignKeyConstraints: false,
  })
  database.exec(`
    pragma hard_heap_limit = ${MAX_HEAP_BYTES};
    pragma temp_store = ${hasTemporaryFiles() ? 'file' : 'memory'};
    pragma busy_timeout = ${Math.ceil(timeoutMs)};
    pragma query_only = on;
    pragma trusted_schema = off;
    pragma cell_size_check = on`)
  // Not every Node version has all of these.
  database.enableDefensive?.(true)
  if (database.limits) Object.assign(database.limits, { length: MAX_VALUE_BYTES, attach: 0 })
  database.setAuthorizer?.(authorize)
  return database
}

/** True if a big sort can use temporary files. Such a file has no name from the moment it is made. */
function hasTemporaryFiles(): boolean {
  try {
    accessSync(tmpdir(), rights.W_OK)
    return true
  } catch {
    return false
  }
}

function authorize(action: number, name: string | null, call: string | null): number {
  const { constants: codes } = sqlite
  switch (action) {
    case codes.SQLITE_SELECT:
    case codes.SQLITE_READ:
    case codes.SQLITE_RECURSIVE:
      return codes.SQLITE_OK
    case codes.SQLITE_FUNCTION:
      return rules.refusedFunctions.test(String(call).toLowerCase())
        ? codes.SQLITE_DENY
        : codes.SQLITE_OK
    case codes.SQLITE_PRAGMA:
      return DESCRIBING.test(String(name)) ? codes.SQLITE_OK : codes.SQLITE_DENY
    case codes.SQLITE_INSERT:
    case codes.SQLITE_UPDATE:
    case codes.SQLITE_DELETE:
      return OF_R_TREE.test(String(name)) ? codes.SQLITE_OK : codes.SQLITE_DENY
    default:
      return codes.SQLITE_DENY
  }
}

/** The pragmas that describe the schema, as in the guard, and the one that FTS5 uses. */
const DESCRIBING =
  /^(?:table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|foreign_key_list|data_version)$/i

/** An R-Tree compiles its write statements as soon as it is opened. */
const OF_R_TREE = /_(?:node|parent|rowid)$/i

import { accessSync, constants as rights } from 'node:fs'
import { tmpdir } from 'node:os'
import * as sqlite from 'node:sqlite'
import { rules } from '../../database/sqlite/reader.ts'

/** The longest value, also of one on the way to an answer. Those in the file may be as long. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024

/** What SQLite may take of memory in all, where it counts that. */
const MAX_HEAP_BYTES = 128 * 1024 * 1024

/** Opens a file that is only read: by the system, by SQLite's settings, and by what may be compiled. */
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
  // Not every Node has all of these.
  database.enableDefensive?.(true)
  if (database.limits) Object.assign(database.limits, { length: MAX_VALUE_BYTES, attach: 0 })
  database.setAuthorizer?.(authorize)
  return database
}

/** Where a big sort may be put. Such a file has no name from the moment it is made. */
function hasTemporaryFiles(): boolean {
  try {
    accessSync(tmpdir(), rights.W_OK)
    return true
  } catch {
    return false
  }
}

/** Lets nothing be compiled but what reads. */
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

/** The pragmas that describe the schema, as the guard has them, and the one that FTS5 asks. */
const DESCRIBING =
  /^(?:table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|foreign_key_list|data_version)$/i

/** An R-Tree compiles how it would write as soon as it is opened. */
const OF_R_TREE = /_(?:node|parent|rowid)$/i

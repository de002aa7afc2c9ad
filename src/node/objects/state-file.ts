import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../../gateway/index.ts'
import { VALUES } from './storage.ts'

/** Where the objects keep what they keep: in memory, or in a file and a folder beside it. */
export interface StateFile {
  /** The values of sessions, tasks and kept results, and all alarms. */
  readonly database: DatabaseSync
  /** Whether what is there survives the process. */
  readonly isKept: boolean
  /** How much sessions, tasks and kept results may be together. */
  readonly maxBytes: number
  /** Opens the database that one object has for itself. */
  open(kind: string, name: string): DatabaseSync
  close(): void
}

/** Some 100 of the largest results, which are 250 KB before they are sealed. */
const MAX_BYTES = 32 * 2 ** 20
const MAX_FILE_BYTES = 512 * 2 ** 20

/** Opens it. Throws ConfigError. */
export function openState(path: string | undefined): StateFile {
  const database = path === undefined ? new DatabaseSync(':memory:', OPTIONS) : openFile(path)
  database.exec(VALUES)
  const folder = `${path}.objects`
  return {
    database,
    isKept: path !== undefined,
    maxBytes: path === undefined ? MAX_BYTES : MAX_FILE_BYTES,
    open(kind, name) {
      // The demo is the same at every start.
      const isKept = path !== undefined && kind !== 'DEMO'
      if (isKept) mkdirSync(folder, { recursive: true, mode: 0o700 })
      const file = `${kind.toLowerCase()}-${hash(name)}.sqlite`
      const own = new DatabaseSync(isKept ? join(folder, file) : ':memory:', OPTIONS)
      if (isKept) own.exec('pragma journal_mode = wal; pragma synchronous = normal')
      own.exec(VALUES)
      return own
    },
    close: () => database.close(),
  }
}

/** What the platform allows its objects: no other files, no writing to the schema, values of 2 MB. */
const OPTIONS = {
  defensive: true,
  enableDoubleQuotedStringLiterals: true,
  limits: { attach: 0, length: 2_200_000 },
}

const hash = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32)

/** Opens the file, which is made for its owner alone. It belongs to one process as long as that runs. */
function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    closeSync(openSync(path, 'a', 0o600))
    database = new DatabaseSync(path, OPTIONS)
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal')
    database.exec('pragma synchronous = normal; begin immediate; commit')
    return database
  } catch (error) {
    database?.close()
    throw new ConfigError(reasonOf(error, path))
  }
}

function reasonOf(error: unknown, path: string): string {
  const { errcode, code } = error as { errcode?: number; code?: string }
  if (errcode === BUSY) {
    return `The state file ${path} is in use by another Tidegate: stop that one, or give this one a file of its own.`
  }
  if (errcode === NOT_A_DATABASE)
    return `The state file ${path} is no SQLite file: give another path.`
  const why = code === 'ENOENT' ? 'its folder does not exist' : 'it cannot be opened for writing'
  return `The state file ${path} cannot be used: ${why}.`
}

const BUSY = 5
const NOT_A_DATABASE = 26

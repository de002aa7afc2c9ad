import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
// Importing the class as a value would add the import to the package's types, too.
import sqlite, { type DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../../gateway/index.ts'
import { Disk, syncFolder } from './disk.ts'
import { VALUES } from './storage.ts'

/** The objects' storage: in memory, or in a file and a folder next to it. */
export interface StateFile {
  /** The values of sessions, tasks and stored results, and all alarms. */
  readonly database: DatabaseSync
  readonly isKept: boolean
  readonly disk: Disk | undefined
  readonly maxBytes: number
  open(kind: string, name: string): OwnDatabase
  close(): void
}

/** A database that belongs to one object. */
export interface OwnDatabase {
  readonly database: DatabaseSync
  readonly disk: Disk | undefined
  close(): void
}

/** About 100 of the largest results, which are 250 KB before they are sealed. */
const MAX_BYTES = 32 * 2 ** 20
const MAX_FILE_BYTES = 512 * 2 ** 20

/** Opens the state. Throws ConfigError. */
export function openState(path: string | undefined): StateFile {
  const database =
    path === undefined ? new sqlite.DatabaseSync(':memory:', OPTIONS) : openFile(path)
  database.exec(VALUES)
  const folder = `${path}.objects`
  if (path !== undefined) removeMeters(folder)
  return {
    ...closing(database),
    isKept: path !== undefined,
    maxBytes: path === undefined ? MAX_BYTES : MAX_FILE_BYTES,
    open(kind, name) {
      // The demo is the same on every start, so it is not stored.
      const isKept = path !== undefined && kind !== 'DEMO'
      if (isKept) makeFolder(folder)
      const file = `${kind.toLowerCase()}-${hash(name)}.sqlite`
      const own = new sqlite.DatabaseSync(isKept ? join(folder, file) : ':memory:', OPTIONS)
      if (isKept) own.exec('pragma journal_mode = wal; pragma synchronous = normal')
      own.exec(VALUES)
      return closing(own)
    },
  }
}

/** A database and the disk under it, with a function that closes both. */
function closing(database: DatabaseSync): OwnDatabase {
  // SQLite follows links, and the log is next to the resolved path.
  const { file } = database
    .prepare("select file from pragma_database_list where name = 'main'")
    .get()!
  const disk = file ? new Disk(String(file)) : undefined
  return {
    database,
    disk,
    close() {
      disk?.close()
      database.close()
    },
  }
}

/** Removes meter files. Older versions made one for each caller, and kept it forever. */
function removeMeters(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (/^meter-[\da-f]{32}\.sqlite(?:-wal|-shm)?$/.test(name)) rmSync(join(folder, name))
  }
}

/** Makes the folder for objects with their own databases. Like the databases, its name has to survive a power cut. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  mkdirSync(path, { recursive: true, mode: 0o700 })
  syncFolder(dirname(path))
}

/** The platform's limits for its objects: no other files, no writing to the schema, values of 2 MB. */
const OPTIONS = {
  defensive: true,
  enableDoubleQuotedStringLiterals: true,
  limits: { attach: 0, length: 2_200_000 },
}

const hash = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32)

/** Opens the file, which only its owner can read. While a process has it open, no other process can use it. */
function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    closeSync(openSync(path, 'a', 0o600))
    database = new sqlite.DatabaseSync(path, OPTIONS)
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
    return `The state file ${path} is in use by another Tidegate: stop that one, or give this one its own file.`
  }
  if (errcode === NOT_A_DATABASE)
    return `The state file ${path} is not a SQLite file: give another path.`
  if (errcode === CORRUPT) return damaged(path).message
  const why = code === 'ENOENT' ? 'its folder does not exist' : 'it cannot be opened for writing'
  return `The state file ${path} cannot be used: ${why}.`
}

/** The error for a state that cannot be read. */
export const damaged = (path: string): ConfigError =>
  new ConfigError(
    `The state in ${path} is damaged, so nothing is served from it. Restore a copy of the state file and its folder, or give another path and restore an export there.`,
  )

const BUSY = 5
const CORRUPT = 11
const NOT_A_DATABASE = 26

import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseError } from '../../database/sqlite/reader.ts'

/** A way to read a SQLite file as it is, without creating a file next to it. */
export interface SqliteFileView {
  readonly uri: string
  /** True if SQLite locks it, so a result is right whatever other programs do. */
  readonly isLocked: boolean
  /** Returns true if a file that is read without locks has not changed. */
  readonly holds: () => boolean
}

/**
 * Checks a file before it is opened. Throws {@link DatabaseError} with the reason if it cannot be read.
 *
 * A file with a write-ahead log is read through the log and its index, which a writer keeps next to the file.
 * Without a writer, both are gone, and SQLite would create them again. So SQLite opens the file as
 * immutable, and the file is compared before and after: a writer changes it only when it moves its log there.
 */
export function look(path: string): SqliteFileView {
  const name = basename(path)
  const file = reading(name, () => realpathSync(path))
  const stats = reading(name, () => statSync(file))
  if (stats.isDirectory()) throw fault(`${name} is a folder, not a SQLite file.`)
  if (!stats.isFile()) throw fault(`${name} is not a file that can hold a database.`)
  const header = reading(name, () => headerOf(file))
  if (header.length > 0 && header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw fault(
      isText(header)
        ? `${name} is not a SQLite file.`
        : `${name} is not a SQLite file, or an encrypted one, which cannot be read.`,
    )
  }
  const uriWith = (more: string) => `${pathToFileURL(file).href}?mode=ro&${more}`
  const locked = { uri: uriWith('readonly_shm=1'), isLocked: true, holds: () => true }
  if (header[READ_VERSION] !== WAL) return locked
  const beside = () => [sizeOf(`${file}-wal`), sizeOf(`${file}-shm`)]
  let [log, index] = beside()
  // The last writer removes the index first, and then the log.
  for (let looks = 1; log && index === undefined && looks < 5; looks++) {
    pause(10)
    ;[log, index] = beside()
  }
  // If the writer leaves right now, SQLite misses the index, and at worst leaves an empty log.
  if (log !== undefined && index !== undefined) return locked
  if (log) {
    throw fault(
      `${name} was not closed: next to it is a log of writes without its index. Open it once with the program that writes it, or with sqlite3.`,
    )
  }
  const before = settled(file)
  return { uri: uriWith('immutable=1'), isLocked: false, holds: () => stampOf(file) === before }
}

/** The offset of the read version in the header: https://sqlite.org/fileformat2.html */
const READ_VERSION = 19
const WAL = 2

function headerOf(file: string): Buffer {
  const opened = openSync(file, 'r')
  try {
    const header = Buffer.alloc(100)
    return header.subarray(0, readSync(opened, header, 0, 100, 0))
  } finally {
    closeSync(opened)
  }
}

const isText = (bytes: Buffer) =>
  bytes.every((it) => it === 9 || it === 10 || it === 13 || it >= 32)

const statsOf = (file: string) => statSync(file, { throwIfNoEntry: false })
const sizeOf = (file: string) => statsOf(file)?.size

/** The time that a file must have been unchanged: file systems record change times in steps. */
const STEP_MS = 50

/** A file's stamp, once its last change is long enough ago. */
function settled(file: string): string {
  const changed = statsOf(file)?.mtimeMs ?? 0
  const wait = changed + STEP_MS - Date.now()
  if (wait > 0) pause(Math.min(wait, STEP_MS))
  return stampOf(file)
}

function stampOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats ? [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join() : ''
}

function reading<It>(name: string, act: () => It): It {
  try {
    return act()
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException
    throw fault(SENTENCES[code]?.(name) ?? `The system does not allow ${name} to be read.`)
  }
}

const SENTENCES: Readonly<Record<string, (name: string) => string>> = {
  ENOENT: (name) =>
    `There is no file ${name} at the path of this database URL. A relative path starts at the folder in which this was started.`,
  ENOTDIR: (name) => `The path of ${name} passes through a file that is not a folder.`,
  ELOOP: (name) => `The path of ${name} is a link that leads back to itself.`,
  EACCES: (name) => `The user that runs this is not allowed to read ${name}.`,
  EPERM: (name) => `The user that runs this is not allowed to read ${name}.`,
}

/** The error for a file that cannot be read. */
export const fault = (message: string) => new DatabaseError('config', message)

/** Pauses this process, which has nothing else to do. */
export const pause = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

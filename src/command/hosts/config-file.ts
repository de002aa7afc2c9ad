// Reads and writes a host's configuration file.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CommandFailure, codeOf } from '../terminal/failure.ts'

const MAX_BYTES = 64 * 1024 * 1024

/** A host's configuration file. */
export interface ConfigFile {
  /** The real path, because the file can be a link. */
  readonly path: string
  readonly text: string
  readonly mode: number
  readonly isNew: boolean
}

/** Reads a file, which need not exist yet. */
export function readConfigFile(named: string): ConfigFile {
  if (!existsSync(named)) return { path: named, text: '', mode: 0o600, isNew: true }
  try {
    const path = realpathSync(named)
    const { size, mode } = statSync(path)
    if (size > MAX_BYTES) throw new CommandFailure(`${named} is too large. Nothing was changed.`)
    return { path, text: readFileSync(path, 'utf8'), mode: mode & 0o777, isNew: false }
  } catch (error) {
    throw failureOf(error, named, 'read')
  }
}

/**
 * Writes a file atomically, and preserves its mode. The old contents are saved next to it.
 * @returns the path of the saved copy, if there is one
 */
export function writeConfigFile(
  { path, text: before, mode, isNew }: ConfigFile,
  text: string,
): string | undefined {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(dirname(path), { recursive: true })
    if (isNew === existsSync(path) || (!isNew && readFileSync(path, 'utf8') !== before))
      throw new CommandFailure(
        `${path} has changed in the meantime. Nothing was written: run this again.`,
      )
    const file = openSync(beside, 'wx', mode)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (isNew) {
      renameSync(beside, path)
      return undefined
    }
    // The umask restricts the mode of a new file.
    chmodSync(beside, mode)
    const kept = `${path}.before-tidegate`
    copyFileSync(path, kept)
    chmodSync(kept, mode)
    renameSync(beside, path)
    return kept
  } catch (error) {
    throw failureOf(error, path, 'written')
  } finally {
    rmSync(beside, { force: true })
  }
}

function failureOf(error: unknown, path: string, what: string): CommandFailure {
  if (error instanceof CommandFailure) return error
  return new CommandFailure(`${path} cannot be ${what} (${codeOf(error) ?? 'it is not a file'}).`)
}

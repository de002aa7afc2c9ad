// Reads and writes the file of a host.
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
import { Failure } from '../api.mjs'

const MAX_BYTES = 64 * 1024 * 1024

/** What a file holds, and where it really is: it may be a link. */
export function readConfigFile(named) {
  if (!existsSync(named)) return { path: named, text: '', isNew: true }
  try {
    const path = realpathSync(named)
    const { size, mode } = statSync(path)
    if (size > MAX_BYTES) throw new Failure(`${named} is too large. Nothing was changed.`)
    return { path, text: readFileSync(path, 'utf8'), mode: mode & 0o777, isNew: false }
  } catch (error) {
    throw failureOf(error, named, 'read')
  }
}

/**
 * Writes a file, whole or not at all, with the mode that it had. What it held is kept beside it.
 * @returns the path of what is kept, if there is something
 */
export function writeConfigFile({ path, text: before, mode, isNew }, text) {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(dirname(path), { recursive: true })
    if (isNew === existsSync(path) || (!isNew && readFileSync(path, 'utf8') !== before))
      throw new Failure(`${path} has changed meanwhile. Nothing was written: run this again.`)
    const file = openSync(beside, 'wx', isNew ? 0o600 : mode)
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
    // The mode of a new file is less what the umask says.
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

function failureOf(error, path, what) {
  if (error instanceof Failure) return error
  return new Failure(`${path} cannot be ${what} (${error.code ?? 'it is no file'}).`)
}

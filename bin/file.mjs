// Reads the files that commands are given.
import { readFileSync } from 'node:fs'
import { Failure } from './api.mjs'

/** The option that names a file. */
export const file = {
  file: { type: 'string', short: 'f', value: 'FILE', about: 'the file to read; - for stdin' },
}

/** The value in a JSON file. What is said of a mistake repeats nothing of the file, which may hold secrets. */
export function readJson(path) {
  if (path === undefined) throw new Failure('Name the file with -f FILE.', 2)
  const text = readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    const [, at] = /at position (\d+)/.exec(error.message) ?? []
    const before = text.slice(0, Number(at ?? text.length))
    const line = before.split('\n').length
    const column = before.length - before.lastIndexOf('\n')
    throw new Failure(
      `${path === '-' ? 'Stdin' : path} is not JSON: see line ${line}, column ${column}.`,
      2,
    )
  }
}

function readText(path) {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw new Failure(
      error.code === 'ENOENT'
        ? `There is no file ${path}.`
        : `${path} cannot be read (${error.code}).`,
      2,
    )
  }
}

import { readFileSync } from 'node:fs'
import { hasPassword } from '../database-url.ts'
import { codeOf, Mistake, messageOf } from '../terminal/failure.ts'
import { shared } from './private-file.ts'

/** The option that names a file. */
export const file = {
  file: { type: 'string', short: 'f', value: 'FILE', about: 'the file to read; - for stdin' },
} as const

/** The value in a JSON file. Error messages repeat nothing from the file, which can contain secrets. */
export function readJson(path: string | undefined): unknown {
  if (path === undefined) throw new Mistake('Name the file with -f FILE.')
  const text = readText(path)
  const reason = path === '-' ? undefined : shared(path)
  let holdsPassword = false
  let value: unknown
  try {
    value = JSON.parse(text, (_, it: unknown) => {
      holdsPassword ||= typeof it === 'string' && hasPassword(it)
      return it
    })
  } catch (error) {
    const [, at] = /at position (\d+)/.exec(messageOf(error)) ?? []
    const before = text.slice(0, Number(at ?? text.length))
    const line = before.split('\n').length
    const column = before.length - before.lastIndexOf('\n')
    throw new Mistake(
      `${path === '-' ? 'Stdin' : path} is not JSON: see line ${line}, column ${column}.`,
    )
  }
  if (reason && holdsPassword) throw new Mistake(reason)
  return value
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    const code = codeOf(error)
    throw new Mistake(
      code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    )
  }
}

// This folder's variables: from `.dev.vars`, and from the environment, which wins.
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { codeOf, Mistake } from '../terminal/failure.ts'
import { readFile } from './private-file.ts'

const FILE = '.dev.vars'

/** Reads a folder's `.dev.vars`, then the environment. Throws {@link Mistake} if other users can read it. */
export function readVars(folder = '.'): NodeJS.Dict<string> {
  const set = Object.entries(process.env).filter(([, value]) => value)
  return { ...devVarsIn(folder), ...Object.fromEntries(set) }
}

/** The variables in a folder's `.dev.vars`. Throws {@link Mistake} if it is unreadable, or if others can read it. */
export function devVarsIn(folder: string): NodeJS.Dict<string> {
  const path = join(folder, FILE)
  try {
    return varsIn(path)
  } catch (error) {
    throw error instanceof Mistake
      ? error
      : new Mistake(`${path} cannot be read (${codeOf(error)}).`)
  }
}

/** The variables in a file, which need not exist. Throws {@link Mistake} if other users can read it. */
export const varsIn = (path: string): NodeJS.Dict<string> => parseEnv(textOf(path))

/** Generates a random secret with this name and adds it to `.dev.vars`. The other lines stay as they are. */
export function makeSecret(name: string, prefix = ''): string {
  const secret = prefix + randomBytes(32).toString('base64url')
  const before = textOf(FILE)
  const newline = before && !before.endsWith('\n') ? '\n' : ''
  appendFileSync(FILE, `${newline}${name}=${secret}\n`, { mode: 0o600 })
  return secret
}

function textOf(path: string): string {
  if (!existsSync(path)) return ''
  const { bytes, shared } = readFile(path)
  if (shared) throw new Mistake(shared)
  return bytes.toString('utf8')
}

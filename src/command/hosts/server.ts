// A server to add to a host: an endpoint by its URL, or this program, which the host starts.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { OptionValues } from '../command.ts'
import { root } from '../root.ts'
import { options } from '../run/arguments.ts'
import { Mistake } from '../terminal/failure.ts'
import { urlEnv } from '../terminal/read-secret.ts'

const { stdio } = options

/** Options that describe the server. */
export const serverOptions = {
  demo: { type: 'boolean', about: 'the built-in demo database' },
  ...urlEnv,
  config: { type: 'string', value: 'FILE', about: 'a file with endpoints' },
  endpoint: { type: 'string', value: 'NAME', about: 'the endpoint in the file to use' },
  vars: { type: 'string', value: 'FILE', about: 'a file with the variables, NAME=value' },
  'env-file': { type: 'string', value: 'FILE', about: 'the same' },
  ssh: { type: 'string', value: 'USER@HOST', about: 'connect through this SSH server' },
  'ssh-key': stdio['ssh-key'],
  ...{ title: stdio.title, purpose: stdio.purpose, rows: stdio.rows, timeout: stdio.timeout },
  'no-sql': stdio['no-sql'],
  'key-env': {
    type: 'string',
    value: 'NAME',
    about: 'the environment variable that holds the key, for a URL that needs one',
  },
} as const

/** A server: an endpoint, or a command with the names of its variables. */
export type ServerEntry =
  | { readonly url: string; readonly keyEnv: string | undefined }
  | {
      readonly url?: undefined
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly string[]
    }

type ServerOptions = OptionValues<typeof serverOptions>

/** Options passed on to the command. */
const PASSED = (Object.keys(serverOptions) as (keyof ServerOptions)[]).filter(
  (it) => it !== 'key-env',
)

/** Options with file names: hosts start the command in folders of their own. */
const FILES: readonly string[] = ['config', 'vars', 'env-file', 'ssh-key']

const program = join(root, 'bin/tidegate.mjs')

/**
 * The server that a command names.
 * @param isShared true for a file that is shared with other people
 */
export function serverOf(
  what: string | undefined,
  options: ServerOptions,
  isShared: boolean,
): ServerEntry {
  const { 'key-env': keyEnv } = options
  for (const name of [keyEnv, options['url-env']]) assertVariable(name)
  const ways = [what, options.demo, options['url-env'], options.config].filter(Boolean)
  if (ways.length > 1)
    throw new Mistake('Name one thing to add: a URL, a file, --demo, --config or --url-env.')
  if (what !== undefined && /^https?:\/\//i.test(what)) return remote(what, keyEnv)
  if (keyEnv) throw new Mistake('--key-env works only with the URL of an endpoint.')
  if (ways.length === 0 && !options.vars && !options['env-file']) {
    throw new Mistake(
      'Say what to add: the URL of an endpoint, a SQLite file, --demo, --config FILE or --url-env NAME.',
    )
  }
  return local(what, options, isShared)
}

function remote(text: string, keyEnv: string | undefined): ServerEntry {
  if (!URL.canParse(text)) throw new Mistake('This is not a valid URL.')
  const { username, password } = new URL(text)
  if (username || password)
    throw new Mistake('Hosts do not send the user name and password in a URL. Leave both out.')
  return { url: text, keyEnv }
}

function local(what: string | undefined, options: ServerOptions, isShared: boolean): ServerEntry {
  const { 'url-env': urlEnv, config } = options
  const passed = PASSED.flatMap((it) => {
    const value = options[it]
    if (!value) return []
    if (value === true) return [`--${it}`]
    return [`--${it}`, FILES.includes(it) ? fileOf(value) : value]
  })
  const args = [...(what === undefined ? [] : [databaseOf(what)]), ...passed]
  // The variables that a file of endpoints refers to, as the gateway reads them.
  const named = config ? readFileSync(config, 'utf8').matchAll(/"secret:(\w+)"/g) : []
  const names = [urlEnv, ...[...named].map(([, name]) => name)].filter((it) => it !== undefined)
  const env = options.vars || options['env-file'] ? [] : [...new Set(names)]
  const [command, ...before] = commandOf(isShared)
  return { command, args: [...before, ...args], env }
}

/** The command with which a host starts this program. */
function commandOf(isShared: boolean): [command: string, ...args: string[]] {
  const isInstalled = /[\\/]node_modules[\\/]/.test(program)
  // npx clears its cache, and a shared project file must not contain a path on this machine.
  const byNpx = isInstalled && (isShared || /[\\/]_npx[\\/]/.test(program))
  if (!byNpx) return [process.execPath, program]
  // Windows does not start a .cmd file without a shell.
  const npx = ['-y', 'tidegate']
  return process.platform === 'win32' ? ['cmd', '/c', 'npx', ...npx] : ['npx', ...npx]
}

/** A file, or a connection string without a secret. */
function databaseOf(text: string): string {
  // A single letter is a drive.
  if (!/^[a-z][a-z\d+.-]+:/i.test(text)) return fileOf(text)
  const hasSecret =
    !URL.canParse(text) ||
    new URL(text).password ||
    /[?&][^=&]*(?:pass|token|secret|key)[^=&]*=/i.test(text)
  if (hasSecret) {
    throw new Mistake(
      "A connection string with a password does not belong in a host's file. Put it in an environment variable, and name the variable with --url-env.",
    )
  }
  return text
}

function fileOf(named: string): string {
  const path = resolve(named)
  if (!existsSync(path)) throw new Mistake(`There is no file ${named}.`)
  if (!statSync(path).isFile()) throw new Mistake(`${named} is not a file.`)
  return path
}

function assertVariable(name: string | undefined): void {
  if (name !== undefined && !/^[a-z_]\w*$/i.test(name))
    throw new Mistake('A variable name can have only letters, digits and underscores.')
}

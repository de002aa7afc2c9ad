// What is added to a host: an endpoint by its URL, or this program, which the host starts.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../api.mjs'
import { options as ofCommand } from '../run/arguments.mjs'

/** The options that say what to add. */
export const serverOptions = {
  demo: { type: 'boolean', about: 'the built-in demo database' },
  'url-env': {
    type: 'string',
    value: 'NAME',
    about: 'the environment variable that holds the connection string',
  },
  config: { type: 'string', value: 'FILE', about: 'a file of endpoints' },
  endpoint: { type: 'string', value: 'NAME', about: 'which endpoint of the file' },
  vars: { type: 'string', value: 'FILE', about: 'a file with the variables, NAME=value' },
  'env-file': { type: 'string', value: 'FILE', about: 'the same' },
  ssh: { type: 'string', value: 'USER@HOST', about: 'go through this SSH server' },
  ...pick(['ssh-key', 'title', 'purpose', 'rows', 'timeout', 'no-sql']),
  'key-env': {
    type: 'string',
    value: 'NAME',
    about: 'the environment variable that holds the key, for a URL that needs one',
  },
}

/** Options of the command that the host starts. */
function pick(names) {
  return Object.fromEntries(names.map((it) => [it, ofCommand.stdio[it]]))
}

/** Those that are passed on, and those that name a file: hosts start the command in folders of their own. */
const PASSED = [
  ...['demo', 'url-env', 'config', 'endpoint', 'vars', 'env-file', 'ssh', 'ssh-key'],
  ...['title', 'purpose', 'rows', 'timeout', 'no-sql'],
]
const FILES = ['config', 'vars', 'env-file', 'ssh-key']

const program = fileURLToPath(new URL('../tidegate.mjs', import.meta.url))

/** The server that a command names. */
export function serverOf(what, options, machine) {
  const { 'key-env': keyEnv } = options
  for (const name of ['key-env', 'url-env']) assertVariable(options[name])
  const ways = [what, options.demo, options['url-env'], options.config].filter(Boolean)
  if (ways.length > 1)
    throw new Failure('Name one thing to add: a URL, a file, --demo, --config or --url-env.', 2)
  if (what !== undefined && /^https?:\/\//i.test(what)) return remote(what, keyEnv)
  if (keyEnv) throw new Failure('--key-env goes with the URL of an endpoint.', 2)
  if (ways.length === 0 && !options.vars && !options['env-file']) {
    throw new Failure(
      'Say what to add: the URL of an endpoint, a SQLite file, --demo, --config FILE or --url-env NAME.',
      2,
    )
  }
  return local(what, options, machine)
}

function remote(text, keyEnv) {
  if (!URL.canParse(text)) throw new Failure('This is no URL.', 2)
  const { username, password } = new URL(text)
  if (username || password)
    throw new Failure('Hosts send no user name and no password in a URL. Leave both out.', 2)
  return { url: text, ...(keyEnv && { keyEnv }) }
}

function local(what, options, machine) {
  const { 'url-env': urlEnv, config } = options
  const passed = PASSED.filter((it) => options[it]).flatMap((it) => {
    if (options[it] === true) return [`--${it}`]
    return [`--${it}`, FILES.includes(it) ? fileOf(options[it]) : options[it]]
  })
  const args = [...(what === undefined ? [] : [databaseOf(what)]), ...passed]
  // The names in a file of endpoints, as the gateway reads them.
  const named = config
    ? [...readFileSync(config, 'utf8').matchAll(/"secret:(\w+)"/g)].map(([, name]) => name)
    : []
  const env =
    options.vars || options['env-file'] ? [] : [...new Set([...(urlEnv ? [urlEnv] : []), ...named])]
  const [command, ...before] = commandOf(machine)
  return { command, args: [...before, ...args], env }
}

/** How a host starts this program. */
function commandOf({ platform, isShared, path = program }) {
  const isInstalled = /[\\/]node_modules[\\/]/.test(path)
  // npx clears its cache; and what a project shares may not name a path of this machine.
  const byNpx = isInstalled && (isShared || /[\\/]_npx[\\/]/.test(path))
  if (!byNpx) return [process.execPath, path]
  // Windows starts no .cmd file without a shell.
  return [...(platform === 'win32' ? ['cmd', '/c'] : []), 'npx', '-y', 'tidegate']
}

/** A file, or a connection string that holds no secret. */
function databaseOf(text) {
  // One letter is a drive.
  if (!/^[a-z][a-z\d+.-]+:/i.test(text)) return fileOf(text)
  const hasSecret =
    !URL.canParse(text) ||
    new URL(text).password ||
    /[?&][^=&]*(?:pass|token|secret|key)[^=&]*=/i.test(text)
  if (hasSecret) {
    throw new Failure(
      'A connection string with a password does not belong into the file of a host. Put it into an environment variable, and name that with --url-env.',
      2,
    )
  }
  return text
}

function fileOf(named) {
  const path = isAbsolute(named) ? named : resolve(named)
  if (!existsSync(path)) throw new Failure(`There is no file ${named}.`, 2)
  if (!statSync(path).isFile()) throw new Failure(`${named} is no file.`, 2)
  return path
}

function assertVariable(name) {
  if (name !== undefined && !/^[a-z_]\w*$/i.test(name))
    throw new Failure('The name of a variable has letters, digits and underscores only.', 2)
}

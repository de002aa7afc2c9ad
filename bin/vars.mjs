// Variables for the local Worker: from `.dev.vars`, and from the environment, which wins.
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const FILE = '.dev.vars'
const NAMES = [
  'ACCESS_AUDIENCE',
  'ACCESS_TEAM',
  'DATABASE_URL',
  'ENDPOINTS',
  'ENTERPRISE_ISSUER',
  'ORIGINS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'PRIVATE_HOSTS',
  'REGISTRY_REPLICAS',
  'OPERATORS',
  'SIGN_IN_ALLOW',
  'SIGN_IN_CLIENT_ID',
  'SIGN_IN_CLIENT_SECRET',
  'SIGN_IN_DAYS',
  'SIGN_IN_GROUPS_CLAIM',
  'SIGN_IN_ISSUER',
  'SIGN_IN_PERSON_CLAIM',
  'SIGN_IN_SCOPES',
  'TIDEGATE_KEY',
  'TIDEGATE_PASSPHRASE',
  'TIDEGATE_SECRET',
  'TIDEGATE_SECRET_PREVIOUS',
  'TOKEN_AUDIENCE',
  'TOKEN_ISSUER',
]

/**
 * Reads the `.dev.vars` of a folder, then our variables and the secrets that ENDPOINTS names from the
 * environment.
 */
export function readVars(folder = '.') {
  const file = join(folder, FILE)
  const vars = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {}
  const endpoints = process.env.ENDPOINTS || vars.ENDPOINTS || ''
  const secrets = [...endpoints.matchAll(/"secret:(\w+)"/g)].map(([, name]) => name)
  for (const name of [...NAMES, ...secrets]) {
    if (process.env[name]) vars[name] = process.env[name]
  }
  return vars
}

/** Makes a random secret of this name and adds it to `.dev.vars`. The other lines stay as they are. */
export function makeSecret(name, prefix = '') {
  const secret = prefix + randomBytes(32).toString('base64url')
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : ''
  const newline = before && !before.endsWith('\n') ? '\n' : ''
  appendFileSync(FILE, `${newline}${name}=${secret}\n`, { mode: 0o600 })
  return secret
}

/**
 * Writes variables so that wrangler reads the same values: one file for each, which only this user can
 * read and which is deleted at the end. A command line or a log would show them to others.
 * @returns the paths
 */
export function writeVars(vars) {
  mkdirSync('.wrangler', { recursive: true })
  const folder = mkdtempSync(join('.wrangler', 'vars-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return Object.entries(vars).map(([name, value]) => {
    const path = join(folder, name)
    writeFileSync(path, `${name}=${quote(name, value)}\n`, { mode: 0o600 })
    return path
  })
}

/**
 * Puts a value in quotes that it does not contain. In double quotes, `\n` and `\r` would become line
 * ends. A dollar would name another variable without the backslash before it, which wrangler drops.
 */
function quote(name, value) {
  const mark = ["'", '`', '"'].find(
    (it) => !value.includes(it) && (it !== '"' || !/\\[nr]/.test(value)),
  )
  if (!mark)
    throw new Error(`${name} contains all three kinds of quotes. In a URL, write " as %22.`)
  return mark + value.replaceAll('$', '\\$') + mark
}

// The expression of dotenv, with which wrangler reads `.dev.vars`.
const LINE =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm

function parse(text) {
  const vars = {}
  for (const [, name, raw = ''] of text.replace(/\r\n?/g, '\n').matchAll(LINE)) {
    const value = raw.trim()
    const bare = value.replace(/^(['"`])([\s\S]*)\1$/gm, '$2')
    vars[name] = value[0] === '"' ? bare.replace(/\\n/g, '\n').replace(/\\r/g, '\r') : bare
  }
  return vars
}

import { badConfig } from '../../error.ts'
import type { Machine } from '../../machine.ts'
import { hostsOf } from '../../transport/hosts.ts'
import { readParameters } from './parameters.ts'

/** The groups that MySQL's and MariaDB's own clients read. */
const GROUPS = ['client', 'client-server', 'client-mariadb']

/** The encryption settings that are read from a file. A file cannot weaken verification. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'ssl-ca': ['ssl-ca', 'ssl-rootcert', 'server-ssl-cert'],
  'ssl-cert': ['ssl-cert'],
  'ssl-key': ['ssl-key'],
  'ssl-crl': ['ssl-crl'],
}

/**
 * Fills in the missing parts of a URL as MySQL's clients do: from `~/.my.cnf`, then from environment variables. Host,
 * port and socket belong together, so they are only used if the URL has no host. Throws {@link DatabaseError}.
 */
export async function withClientSettings(given: URL, machine: Machine): Promise<URL> {
  const file = await readOptionFile(machine)
  const { variables } = machine
  const url = new URL(given)
  const { searchParams } = url
  const [first] = hostsOf(url)
  if (!first?.name) {
    const socket = file.get('socket') ?? (file.has('host') ? undefined : variables.MYSQL_UNIX_PORT)
    const host = file.get('host') ?? variables.MYSQL_HOST ?? 'localhost'
    const port = file.get('port') ?? variables.MYSQL_TCP_PORT
    const isHere = host === 'localhost'
    const asked = readParameters(searchParams, true).socket
    searchParams.delete('host')
    searchParams.delete('port')
    url.host = host.includes(':') ? `[${host}]` : host
    url.port = String(first?.port ?? port ?? '')
    if (socket && isHere && !asked && !first?.port) searchParams.set('socket', socket)
  }
  if (!url.username) url.username = encoded(file.get('user') ?? machine.user)
  const isToken = searchParams.has('auth')
  if (!url.password && !isToken) {
    const password = file.get('password')
    if (password !== undefined) await assertPrivate(machine)
    url.password = encoded(password ?? variables.MYSQL_PWD ?? '')
  }
  const names = new Set([...searchParams.keys()].map(plain))
  for (const [name, aliases] of Object.entries(FILES)) {
    const path = file.get(name)
    if (path && !aliases.some((it) => names.has(plain(it)))) searchParams.set(name, path)
  }
  const { tls } = readParameters(searchParams, true)
  if (tls === undefined && asksTls(file)) searchParams.set('ssl-mode', 'REQUIRED')
  return url
}

const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '')

/** Escapes a string for the part of a URL before the @. */
const encoded = (text: string) => encodeURIComponent(text)

const asksTls = (file: ReadonlyMap<string, string>) =>
  /^(?:required|verify_ca|verify_identity)$/i.test(file.get('ssl-mode') ?? '') ||
  ['ssl', 'ssl-verify-server-cert'].some((it) => /^(?:1|true|on|)$/i.test(file.get(it) ?? 'no'))

const pathOf = ({ home }: Machine) => `${home}/.my.cnf`

/** Reads the user's option file. Throws {@link DatabaseError} if other users can write to it. */
async function readOptionFile(machine: Machine): Promise<ReadonlyMap<string, string>> {
  const path = pathOf(machine)
  const state = await machine.look(path)
  if (!state) return new Map()
  if (state.mode !== undefined && (state.mode & 0o022) !== 0) {
    throw badConfig(
      `Other users can write to the file ${path}, so it is not read. Run: chmod 600 ${path}`,
    )
  }
  return optionsOf(await machine.readFile(path))
}

async function assertPrivate(machine: Machine): Promise<void> {
  const path = pathOf(machine)
  const { mode } = (await machine.look(path)) ?? {}
  if (mode === undefined || (mode & 0o077) === 0) return
  throw badConfig(`Other users can read the password in the file ${path}. Run: chmod 600 ${path}`)
}

/**
 * Reads the client options from an option file. If an option occurs twice, the last value wins. Included files are
 * not read.
 * https://dev.mysql.com/doc/refman/8.4/en/option-files.html
 */
export function optionsOf(text: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>()
  let isOurs = false
  for (const line of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((it) => it.trim())) {
    if (/^[#;!]/.test(line)) continue
    const group = /^\[([^\]]*)\]/.exec(line)?.[1]
    if (group !== undefined) isOurs = GROUPS.includes(group.trim().toLowerCase())
    else if (isOurs && line !== '') {
      const at = line.indexOf('=')
      const name = at < 0 ? line.split('#')[0]! : line.slice(0, at)
      const key = name
        .trim()
        .toLowerCase()
        .replaceAll('_', '-')
        .replace(/^loose-/, '')
      options.set(key, at < 0 ? '' : valueIn(line.slice(at + 1).trim()))
    }
  }
  return options
}

/** A value, with or without quotes. A comment can follow it. */
function valueIn(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^'\\]|\\.)*)'/.exec(text)
  const raw = quoted?.[1] ?? quoted?.[2] ?? text.split('#')[0]!.trim()
  return raw.replace(/\\([btnrs\\"'])/g, (_, sign: string) => ESCAPES[sign] ?? sign)
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', r: '\r', s: ' ' }

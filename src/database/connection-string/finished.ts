import { isSocket } from '../transport/hosts.ts'
import { mayNameFiles, plainName, take } from './draft.ts'
import { servicesOf } from './engine-of.ts'
import { NotRecognised } from './fault.ts'
import type { Notes, StringDraft } from './pasted.ts'
import { serviceOf } from './services.ts'

/** Builds a URL from these parts, and encodes the special characters in them. */
export function urlOf(
  { scheme, user, password, host = '', port, database = '' }: StringDraft,
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const login =
    user === undefined && password === undefined
      ? ''
      : `${encoded(user)}${password === undefined ? '' : `:${encoded(password)}`}@`
  // A socket can only be in a parameter.
  const hosts = host.split(',')
  const listed = hosts.some(isSocket) ? { host, port } : {}
  const query = Object.entries({ ...listed, ...params }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encoded(value)}`],
  )
  const ports = port?.split(',') ?? ['']
  const places = ('host' in listed ? [] : hosts).map((it, i) => {
    const own = ports.length > 1 ? ports[i] : ports[0]
    return own ? `${it}:${own}` : it
  })
  return `${scheme}://${login}${places.join(',')}${database === '' ? '' : `/${encoded(database)}`}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

const encoded = (text = '') => encodeURIComponent(text)

/**
 * Checks and corrects the hosts and ports in a draft. For an engine that accepts only one host, the first is used.
 * Throws {@link NotRecognised}.
 */
export function assertPlace(draft: StringDraft, notes: Notes, several = false): void {
  const hosts = draft.host?.split(',').map((it) => it.trim()) ?? []
  const ports = draft.port?.split(',').map((it) => it.trim()) ?? ['']
  if (hosts.length === 0) {
    throw new NotRecognised(
      `It has no host. Write the address of the server after the @: ${draft.scheme}://user:password@host/database.`,
      'host',
    )
  }
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new NotRecognised(
      'The number of ports does not match the number of hosts. Write one port for each host, or one for all.',
      'port',
    )
  }
  if (hosts.length > 1 && !several) {
    notes.changes.push(`Used the first of ${hosts.length} hosts.`)
    hosts.length = 1
    ports.length = 1
  }
  draft.host = hosts.map((it) => placed(it, notes)).join(',')
  const numbers = ports.map((it) => portOf(it)).join(',')
  draft.port = /\d/.test(numbers) ? numbers : undefined
}

function placed(host: string, notes: Notes): string {
  if (isSocket(host) && mayNameFiles(notes)) return host
  if (isSocket(host) || host.startsWith('@')) throw socket(host, notes)
  return soundHost(host, notes)
}

function portOf(port: string): string {
  if (port === '') return ''
  if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) {
    return String(Number(port))
  }
  throw new NotRecognised(
    'The port is not a number from 1 to 65535. Write it after the host: host:5432.',
    'port',
  )
}

function soundHost(host: string, notes: Notes): string {
  const wrong = (sentence: string) => new NotRecognised(sentence, 'host')
  if (host.startsWith('[')) {
    if (host.includes('%')) {
      throw wrong(
        'The address of the host belongs to one network card (%), and is not reachable from elsewhere. Write its public address.',
      )
    }
    if (URL.canParse(`http://${host}/`)) return new URL(`http://${host}/`).hostname
    throw wrong('The host in the brackets is not an IPv6 address. Write it as [2001:db8::1].')
  }
  const bare = host.replace(/\.$/, '')
  if (bare !== host) notes.changes.push('Removed the dot at the end of the host.')
  if (/^[a-z\d._-]{1,253}$/i.test(bare) && !/^[.-]|\.\./.test(bare)) return bare.toLowerCase()
  const ascii = /^[\p{L}\p{N}._-]{1,253}$/u.test(bare) && asciiOf(bare)
  if (ascii) {
    notes.changes.push('Wrote the host in ASCII letters.')
    return ascii
  }
  throw wrong(
    'The host contains characters that are not allowed in a host. If they belong to the password, an @ is missing between the password and the host.',
  )
}

const asciiOf = (host: string) =>
  URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined

function socket(host: string, { machine }: Notes): NotRecognised {
  if (host.startsWith('/cloudsql/')) {
    return new NotRecognised(
      'This is a Cloud SQL socket, which only programs next to its proxy can open. Write the public IP address of the instance instead, or put Hyperdrive in front of it.',
      'host',
    )
  }
  return new NotRecognised(
    machine
      ? 'This refers to a socket, which is a file on the machine, and a string entered here cannot refer to files. Write the address and the port of the server, or start Tidegate with this in the variable DATABASE_URL.'
      : 'This refers to a socket, which is a file on one machine, and a Worker does not have files. Write the address and the port of the server.',
    'host',
  )
}

/** Adds a note about parameters that were left out, without their values. */
export function noteDropped(draft: StringDraft, notes: Notes): void {
  const names = [...draft.params.keys()].filter((it) => /^[\w.-]{1,40}$/.test(it))
  if (draft.params.size === 0) return
  const shown = names.slice(0, MAX_SHOWN).join(', ')
  const more = draft.params.size - Math.min(names.length, MAX_SHOWN)
  const rest = more > 0 ? `${shown === '' ? '' : ' and '}${more}${shown === '' ? '' : ' more'}` : ''
  notes.changes.push(`Removed parameters that are not needed here: ${shown}${rest}.`)
}

const MAX_SHOWN = 6

/** Instructions for trusting a CA on a machine. */
export const TELL_IT =
  'Start Tidegate with NODE_EXTRA_CA_CERTS set to the file with its CA certificate'

/**
 * Adds a hint for a server whose certificate a Worker cannot trust.
 *
 * @param canHyperdrive false for IAM logins, which Hyperdrive does not support
 */
export function hintAuthority(
  { host = '' }: StringDraft,
  canHyperdrive: boolean,
  notes: Notes,
): void {
  const service = serviceOf(host, servicesOf(notes.engines))
  if (!service?.authority) return
  if (notes.machine) {
    notes.hints.push(`${service.title} signs its own certificates. ${TELL_IT}.`)
    return
  }
  const instead = canHyperdrive
    ? 'Put Hyperdrive in front of it: it accepts a private CA.'
    : 'If the test reports it, use an address with a certificate from a public CA.'
  notes.hints.push(
    `${service.title} signs its own certificates, and a Worker trusts only public CAs. ${instead}`,
  )
}

/**
 * Takes the encryption mode out of a draft, from its own parameter or from other programs' parameters for it.
 * Undefined if the draft does not set it. Throws {@link NotRecognised}.
 *
 * @param parameter the name of the engine's own parameter
 * @param modes the mode for each plain value
 */
export function takeMode(
  draft: StringDraft,
  parameter: string,
  modes: Readonly<Record<string, string>>,
  notes: Notes,
): string | undefined {
  const written = take(draft, 'sslmode')
  const flag = take(draft, 'ssl', 'tls', 'usessl', 'requiressl', 'sslaccept')
  const asked = written || flag
  if (!asked) return flag === '' ? modes.require : undefined
  // `ssl={"rejectUnauthorized":true}` and the like.
  const plain = asked.trimStart().startsWith('{') ? 'true' : plainName(asked)
  const mode = Object.hasOwn(modes, plain) ? modes[plain]! : undefined
  if (mode === undefined) {
    throw new NotRecognised(
      `Its ${parameter} has an unknown value. Write ${parameter}=${modes.require}, or leave it out.`,
      'parameter',
    )
  }
  if (mode !== written) notes.changes.push(`Wrote the encryption as ${parameter}=${mode}.`)
  if (UNVERIFIED.test(asked)) {
    notes.hints.push(
      `${notes.machine ? 'Tidegate' : 'A Worker'} always verifies the certificate: this cannot be turned off.`,
    )
  }
  return mode
}

const UNVERIFIED =
  /^(?:no-?verify|skip-?verify|accept_invalid_certs|trust)$|unauthorized"?:\s?false/i

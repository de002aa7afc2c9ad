import { isSocket } from '../transport/hosts.ts'
import { type Draft, mayNameFiles, type Notes } from './draft.ts'
import { NotRecognised } from './fault.ts'
import type { Recognised } from './recognised.ts'
import { serviceOf } from './services.ts'

/** A draft as a URL for our drivers. */
export interface Finished {
  readonly url: string
  readonly engine: string
  readonly encryption: Recognised['encryption']
  /** The port that the driver takes if the URL names none. */
  readonly port: number
}

/** How the drafts of one family become URLs. Throws {@link NotRecognised}. */
export type Finish = (draft: Draft, notes: Notes) => Finished

/** A URL of these parts, with the signs in them that mean something else encoded. */
export function urlOf(
  { scheme, user, password, host = '', port, database = '' }: Draft,
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const login =
    user === undefined && password === undefined
      ? ''
      : `${encoded(user)}${password === undefined ? '' : `:${encoded(password)}`}@`
  // Only a parameter can hold a socket.
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

/** Whether a host is this machine, as the drivers see it. */
export { isLoopback } from '../transport/url.ts'

/**
 * Checks the hosts and the ports of a draft, and puts them right. Of an engine that has one host, the first
 * one is taken. Throws {@link NotRecognised}.
 */
export function assertPlace(draft: Draft, engine: string, notes: Notes, several = false): void {
  const hosts = draft.host?.split(',').map((it) => it.trim()) ?? []
  const ports = draft.port?.split(',').map((it) => it.trim()) ?? ['']
  if (hosts.length === 0) {
    throw new NotRecognised(
      `It names no host. Write the address of the server behind the @: ${draft.scheme}://user:password@host/database.`,
      'host',
      engine,
    )
  }
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new NotRecognised(
      'It has more ports than hosts, or fewer. Write one port for each host, or one for all.',
      'port',
      engine,
    )
  }
  if (hosts.length > 1 && !several) {
    notes.changes.push(`Took the first of ${hosts.length} hosts.`)
    hosts.length = 1
    ports.length = 1
  }
  draft.host = hosts.map((it) => placed(it, engine, notes)).join(',')
  const numbers = ports.map((it) => portOf(it, engine)).join(',')
  draft.port = /\d/.test(numbers) ? numbers : undefined
}

function placed(host: string, engine: string, notes: Notes): string {
  if (isSocket(host) && mayNameFiles(notes)) return host
  if (isSocket(host) || host.startsWith('@')) throw socket(host, engine, notes)
  return soundHost(host, engine, notes)
}

function portOf(port: string, engine: string): string {
  if (port === '') return ''
  if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) {
    return String(Number(port))
  }
  throw new NotRecognised(
    'The port is not a number from 1 to 65535. Write it behind the host: host:5432.',
    'port',
    engine,
  )
}

function soundHost(host: string, engine: string, notes: Notes): string {
  const wrong = (sentence: string) => new NotRecognised(sentence, 'host', engine)
  if (host.startsWith('[')) {
    if (host.includes('%')) {
      throw wrong(
        'The address of the host belongs to one network card (%), and is not reachable from elsewhere. Write its public address.',
      )
    }
    if (URL.canParse(`http://${host}/`)) return new URL(`http://${host}/`).hostname
    throw wrong('The host in the brackets is no IPv6 address. Write it as [2001:db8::1].')
  }
  const bare = host.replace(/\.$/, '')
  if (bare !== host) notes.changes.push('Took the point off the end of the host.')
  if (/^[a-z\d._-]{1,253}$/i.test(bare) && !/^[.-]|\.\./.test(bare)) return bare.toLowerCase()
  const ascii = /^[\p{L}\p{N}._-]{1,253}$/u.test(bare) && asciiOf(bare)
  if (ascii) {
    notes.changes.push('Wrote the host in ASCII letters.')
    return ascii
  }
  throw wrong(
    'The host has signs that no host has. If they belong to the password, there is an @ missing between the password and the host.',
  )
}

const asciiOf = (host: string) =>
  URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined

function socket(host: string, engine: string, { machine }: Notes): NotRecognised {
  if (host.startsWith('/cloudsql/')) {
    return new NotRecognised(
      'This is a socket of Cloud SQL, which only programs beside its proxy can open. Write the public IP address of the instance instead, or put Hyperdrive in front of it.',
      'host',
      engine,
    )
  }
  return new NotRecognised(
    machine
      ? 'This names a socket, a file of the machine, and what is entered here may name no files. Write the address of the server, and its port; or start Tidegate with this in the variable DATABASE_URL.'
      : 'This names a socket, a file on one machine, and a Worker has no files. Write the address of the server, and its port.',
    'host',
    engine,
  )
}

/** Says what was left out, without the values. */
export function noteDropped(draft: Draft, notes: Notes): void {
  const names = [...draft.params.keys()].filter((it) => /^[\w.-]{1,40}$/.test(it))
  if (draft.params.size === 0) return
  const shown = names.slice(0, MAX_SHOWN).join(', ')
  const more = draft.params.size - Math.min(names.length, MAX_SHOWN)
  const rest = more > 0 ? `${shown === '' ? '' : ' and '}${more}${shown === '' ? '' : ' more'}` : ''
  notes.changes.push(`Took off parameters that are not needed here: ${shown}${rest}.`)
}

const MAX_SHOWN = 6

/** How a machine is told of an authority. */
export const TELL_IT =
  'Start Tidegate with NODE_EXTRA_CA_CERTS, which names the file of its authority'

/**
 * Tells of a server whose certificate no Worker can trust.
 *
 * @param canHyperdrive Hyperdrive takes no login by IAM.
 */
export function hintAuthority({ host = '' }: Draft, canHyperdrive: boolean, notes: Notes): void {
  const service = serviceOf(host)
  if (!service?.ownAuthority) return
  if (notes.machine) {
    notes.hints.push(`${service.title} signs its certificates itself. ${TELL_IT}.`)
    return
  }
  const instead = canHyperdrive
    ? 'Put Hyperdrive in front of it, which can be told of it.'
    : 'If the test says so, use an address whose certificate is public.'
  notes.hints.push(
    `${service.title} signs its certificates itself, and a Worker trusts public authorities only. ${instead}`,
  )
}

import { DatabaseError } from '../error.ts'
import { decoded } from './url.ts'

/** A server that a URL names. */
export interface Host {
  /** A name or an address, as a URL has it: an IPv6 address stands in brackets. */
  readonly name: string
  /** Undefined for the usual one of the engine. */
  readonly port: number | undefined
}

/** The most hosts of one database: each of them may take a share of a call's time. */
const MAX_HOSTS = 8

/** The URLs that may name several hosts: those of libpq, and those of MySQL's programs. */
const SEVERAL = ['postgres:', 'postgresql:', 'mysql:', 'mariadb:']

/** Those that may name a socket, or no host at all, where there is a machine. */
const PLACELESS = /^(?:postgres(?:ql)?|mysql|mariadb):$/

/** As {@link SEVERAL}. A parser drops what stands before a scheme here. */
const AUTHORITY = /^[\0-\x20]*(?:postgres|postgresql|mysql|mariadb):\/\/([^/?#]*)/i

/**
 * Reads the URL of a database. Of several hosts, `postgres://user@one:5432,two/db`, the URL has the first
 * one, and {@link hostsOf} reads all of them from its parameters `host` and `port`, which libpq has as well.
 * A single host never stands in a parameter. Throws {@link DatabaseError}, without repeating the URL.
 *
 * @param isHere whether there is a machine, which has sockets, and settings for a URL that names no host. Both
 *   stand in the parameter `host`: the path of the socket, or nothing
 */
export function databaseUrl(text: string, isHere = false): URL {
  // As every parser of URLs does.
  const trimmed = text
    .replaceAll(/[\t\n\r]/g, '')
    // Under its own scheme a path would begin at the root, also a relative one.
    .replace(/^[\0-\x20]*file:/i, 'sqlite:')
  const clean = isHere && PLACELESS.test(trimmed) ? `${trimmed}//` : trimmed
  const found = AUTHORITY.exec(clean)
  if (!found) return parsed(clean)
  const end = found[0].length
  const places = found[1]!.slice(found[1]!.lastIndexOf('@') + 1)
  const url = parsed(`${clean.slice(0, end - places.length)}host${clean.slice(end)}`)
  const { searchParams } = url
  const isPlaceless = isHere && PLACELESS.test(url.protocol)
  const mayBeElsewhere =
    isPlaceless && (/^(?::|$)|%2f/i.test(places) || searchParams.get('host') === '')
  if (
    !places.includes(',') &&
    !searchParams.has('host') &&
    !searchParams.has('port') &&
    !mayBeElsewhere
  ) {
    return parsed(clean)
  }
  const own = places === '' ? [] : places.split(',').map((it) => hostAt(it, isPlaceless))
  const hosts = readHosts(
    own.length > 0 || !isPlaceless ? own : [NOWHERE],
    searchParams,
    isPlaceless,
  )
  const isElsewhere = hosts.some(({ name }) => !isNetworked(name))
  url.hostname = isElsewhere ? 'localhost' : hosts[0]!.name
  url.port = String(hosts[0]!.port ?? '')
  searchParams.delete('host')
  searchParams.delete('port')
  if (hosts.length > 1 || isElsewhere) {
    searchParams.set('host', hosts.map(({ name }) => name).join(','))
    searchParams.set('port', hosts.map(({ port }) => port ?? '').join(','))
  }
  return url
}

/** The hosts of a URL that {@link databaseUrl} read, in the order in which they are tried. */
export function hostsOf({ protocol, hostname, port, searchParams }: URL): readonly Host[] {
  const own = { name: hostname, port: Number(port) || undefined }
  return SEVERAL.includes(protocol) ? readHosts([own], searchParams, true) : [own]
}

/** The hosts of lists that are written as libpq has them: `one,two` and `5432,5433`. Throws {@link DatabaseError}. */
export const listedHosts = (names: string, ports: string): readonly Host[] =>
  readHosts([], new URLSearchParams({ host: names, port: ports }), true)

/** Whether a host is reached by a socket, a file of this machine. */
export const isSocket = (name: string): boolean => name.startsWith('/')

const isNetworked = (name: string) => name !== '' && !isSocket(name)

const NOWHERE: Host = { name: '', port: undefined }

/** Whether a URL names more than one host. */
export const hasSeveralHosts = (url: URL): boolean => hostsOf(url).length > 1

function parsed(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw fault('The database URL is not a URL. Percent-encode its user and its password.')
}

/** A parameter stands for what is written before the path, and of two with one name the last is taken. */
function readHosts(own: readonly Host[], params: URLSearchParams, isHere = false): readonly Host[] {
  const listed = params.getAll('host').at(-1)?.split(',')
  const names = listed?.map((it) => nameOf(it, isHere)) ?? own.map(({ name }) => name)
  const ports = params.getAll('port').at(-1)?.split(',').map(portOf) ?? own.map(({ port }) => port)
  if (names.length > MAX_HOSTS) {
    throw fault(`The database URL names ${names.length} hosts. The most are ${MAX_HOSTS}.`)
  }
  if (names.length === 0) throw fault('The database URL names no host.')
  if (ports.length > 1 && ports.length !== names.length) {
    throw fault(
      `The database URL has a list of ${ports.length} ports, and one of ${names.length} hosts. Write one port for each host, or one for all.`,
    )
  }
  return names.map((name, i) => ({ name, port: ports.length > 1 ? ports[i] : ports[0] }))
}

/** Reads `host`, `host:5432` or `[2001:db8::1]:5432`. */
function hostAt(text: string, isHere = false): Host {
  if (isHere && /^(?::\d{0,5})?$/.test(text)) return { name: '', port: portOf(text.slice(1)) }
  const url = /[/?#@]/.test(text) ? null : URL.parse(`postgres://${text}`)
  if (!url?.hostname) {
    throw fault('The database URL names a host that is none. Write each as host or host:port.')
  }
  const { hostname } = url
  const name = isHere && /^%2f/i.test(hostname) ? decoded(hostname) : hostname
  return { name, port: Number(url.port) || undefined }
}

/** Reads a host of libpq's parameter, where an IPv6 address has no brackets. */
function nameOf(text: string, isHere: boolean): string {
  if (isHere && (text === '' || isSocket(text))) return text
  if (/^[/@]/.test(text)) {
    throw fault(
      'The database URL names a socket, a file on one machine. Name the address of the server.',
    )
  }
  const isBare = text.includes(':') && !text.startsWith('[')
  const { name, port } = hostAt(isBare ? `[${text}]` : text)
  if (port === undefined) return name
  throw fault('The database URL has a port in the parameter host. Write it in the parameter port.')
}

function portOf(text: string): number | undefined {
  if (/^\d{0,5}$/.test(text) && Number(text) <= 65_535) return Number(text) || undefined
  throw fault('The database URL names a port that is not a number from 1 to 65535.')
}

const fault = (message: string) => new DatabaseError('config', message)

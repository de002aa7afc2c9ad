import { badConfig } from '../error.ts'
import { decoded } from './url.ts'

/** A server in a URL. */
export interface DatabaseHost {
  /** A name or an address, as in a URL: an IPv6 address is in brackets. */
  readonly name: string
  /** Undefined for the engine's default port. */
  readonly port: number | undefined
}

/** Maximum number of hosts for one database, because each can take a share of a call's time. */
const MAX_HOSTS = 8

/** Schemes that allow several hosts, from libpq and MySQL's programs. */
const SEVERAL = ['postgres:', 'postgresql:', 'mysql:', 'mariadb:']

/** On a machine, schemes that allow a socket or no host at all. */
const PLACELESS = /^(?:postgres(?:ql)?|mysql|mariadb):$/

/** Matches the schemes in {@link SEVERAL}, with the leading characters that a URL parser drops. */
const AUTHORITY = /^[\0-\x20]*(?:postgres|postgresql|mysql|mariadb):\/\/([^/?#]*)/i

/**
 * Parses a database URL. If it has several hosts, as in `postgres://user@one:5432,two/db`, the parsed URL contains
 * the first one, and {@link hostsOf} reads all of them from its parameters `host` and `port`, as in libpq. A
 * single host is never in a parameter. Throws {@link DatabaseError}, without repeating the URL.
 *
 * @param isHere true on a machine, which has sockets, and settings for a URL without a host. The parameter
 *   `host` then contains the socket's path, or is empty
 */
export function databaseUrl(text: string, isHere = false): URL {
  // Every URL parser does this.
  const trimmed = text
    .replaceAll(/[\t\n\r]/g, '')
    // Under the original scheme, even a relative path would begin at the root.
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

/** Reads the hosts in a URL from {@link databaseUrl}, in the order in which they are tried. */
export function hostsOf({ protocol, hostname, port, searchParams }: URL): readonly DatabaseHost[] {
  const own = { name: hostname, port: Number(port) || undefined }
  return SEVERAL.includes(protocol) ? readHosts([own], searchParams, true) : [own]
}

/** Reads lists of hosts and ports in libpq's format: `one,two` and `5432,5433`. Throws {@link DatabaseError}. */
export const listedHosts = (names: string, ports: string): readonly DatabaseHost[] =>
  readHosts([], new URLSearchParams({ host: names, port: ports }), true)

/** True if a host is a socket, which is a file on this machine. */
export const isSocket = (name: string): boolean => name.startsWith('/')

const isNetworked = (name: string) => name !== '' && !isSocket(name)

const NOWHERE: DatabaseHost = { name: '', port: undefined }

/** True if a URL has more than one host. */
export const hasSeveralHosts = (url: URL): boolean => hostsOf(url).length > 1

function parsed(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw badConfig('The database URL is not a URL. Percent-encode its user and its password.')
}

/**
 * Reads hosts and ports from parameters. They replace the hosts before the path. If a name occurs twice, the
 * last one is used.
 */
function readHosts(
  own: readonly DatabaseHost[],
  params: URLSearchParams,
  isHere = false,
): readonly DatabaseHost[] {
  const listed = params.getAll('host').at(-1)?.split(',')
  const names = listed?.map((it) => nameOf(it, isHere)) ?? own.map(({ name }) => name)
  const ports = params.getAll('port').at(-1)?.split(',').map(portOf) ?? own.map(({ port }) => port)
  if (names.length > MAX_HOSTS) {
    throw badConfig(`The database URL has ${names.length} hosts. The maximum is ${MAX_HOSTS}.`)
  }
  if (names.length === 0) throw badConfig('The database URL has no host.')
  if (ports.length > 1 && ports.length !== names.length) {
    throw badConfig(
      `The database URL lists ${ports.length} ports, but ${names.length} hosts. Write one port for each host, or one for all.`,
    )
  }
  return names.map((name, i) => ({ name, port: ports.length > 1 ? ports[i] : ports[0] }))
}

/** Reads `host`, `host:5432` or `[2001:db8::1]:5432`. */
function hostAt(text: string, isHere = false): DatabaseHost {
  if (isHere && /^(?::\d{0,5})?$/.test(text)) return { name: '', port: portOf(text.slice(1)) }
  const url = /[/?#@]/.test(text) ? null : URL.parse(`postgres://${text}`)
  if (!url?.hostname) {
    throw badConfig(
      'The database URL has a host that is not valid. Write each as host or host:port.',
    )
  }
  const { hostname } = url
  const name = isHere && /^%2f/i.test(hostname) ? decoded(hostname) : hostname
  return { name, port: Number(url.port) || undefined }
}

/** Reads a host from libpq's parameter, where an IPv6 address has no brackets. */
function nameOf(text: string, isHere: boolean): string {
  if (isHere && (text === '' || isSocket(text))) return text
  if (/^[/@]/.test(text)) {
    throw badConfig(
      'The database URL refers to a socket, a file on one machine. Write the address of the server.',
    )
  }
  const isBare = text.includes(':') && !text.startsWith('[')
  const { name, port } = hostAt(isBare ? `[${text}]` : text)
  if (port === undefined) return name
  throw badConfig(
    'The database URL has a port in the parameter host. Write it in the parameter port.',
  )
}

function portOf(text: string): number | undefined {
  if (/^\d{0,5}$/.test(text) && Number(text) <= 65_535) return Number(text) || undefined
  throw badConfig('The database URL has a port that is not a number from 1 to 65535.')
}

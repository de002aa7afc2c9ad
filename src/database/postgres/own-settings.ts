import { DatabaseError } from '../error.ts'
import { isTokenAuth } from '../iam/token-login.ts'
import type { Machine } from '../machine.ts'
import { type Host, hostsOf, isSocket, listedHosts } from '../transport/hosts.ts'
import { decoded } from '../transport/url.ts'
import { pathOf, placesOf } from './own-places.ts'
import { rulesHere } from './own-rules.ts'
import { serviceIn } from './service-file.ts'
import { type Access, accessBy } from './tcp-login.ts'
import { readParameters } from './tcp-parameters.ts'

/**
 * What a URL says of its servers on a machine. As in libpq, what it leaves out is filled from its service, then
 * from the variables, then with what is usual. Throws {@link DatabaseError}.
 */
export async function accessOn(machine: Machine, url: URL): Promise<Access> {
  const stated = new Map<string, Stated>()
  const fill = (name: string, value: string, by: string) => {
    // Of the ways to say whether to encrypt, one is enough.
    const isSaid = stated.has(name) || (/^(?:sslmode|requiressl)$/.test(name) && MODES.some(has))
    if (!isSaid) stated.set(name, { value, by })
  }
  const has = (name: string) => stated.has(name)
  for (const [name, value] of partsOf(url)) fill(name, value, `The ${name} of the database URL`)

  const service = stated.get('service')?.value ?? machine.variables.PGSERVICE
  if (service) {
    const { path, settings } = await settingsOf(service, stated.get('servicefile')?.value, machine)
    for (const [name, value] of settings)
      fill(name, value, `The ${name} of the service file ${path}`)
  }
  const isToken = isTokenAuth(stated.get('auth')?.value ?? '')
  for (const [name, variable] of VARIABLES) {
    const value = machine.variables[variable]
    if (!value || (isToken && name === 'password')) continue
    fill(name, value, `The variable ${variable}`)
  }

  const said = (name: string) => stated.get(name)?.value ?? ''
  const shown = (name: string) => stated.get(name)!.by
  const given = readParameters(
    new Map([...stated].map(([name, { value }]) => [name, value] as const)),
    rulesHere,
    shown,
  )
  const user = said('user') || machine.user
  const hosts = hostsFor(said('host'), said('port'))
  const [password, database] = [said('password'), said('dbname')]
  if (given.has('requirepeer') && hosts.some(({ name }) => isSocket(name))) {
    throw new DatabaseError(
      'config',
      `${shown('requirepeer')} asks who runs the server at a socket, which cannot be seen here. Take it off.`,
    )
  }
  return accessBy({ hosts, user, password, database, given }, true)
}

interface Stated {
  readonly value: string
  /** For messages: "The sslmode of the database URL". */
  readonly by: string
}

const MODES = ['sslmode', 'ssl', 'requiressl']

/** All that a URL says, by the names of its parameters. */
function* partsOf(url: URL): Iterable<readonly [string, string]> {
  const hosts = hostsOf(url)
  const { searchParams } = url
  for (const name of new Set(searchParams.keys())) {
    const value = searchParams.getAll(name).at(-1)!
    const isPart = /^(?:host|port|user|password|dbname)$/.test(name)
    if (!isPart || (value !== '' && !/^(?:host|port)$/.test(name))) yield [name, value]
  }
  if (hosts.some(({ name }) => name !== '')) yield ['host', hosts.map(({ name }) => name).join()]
  if (hosts.some(({ port }) => port !== undefined)) {
    yield ['port', hosts.map(({ port }) => port ?? '').join()]
  }
  const rest = { user: url.username, password: url.password, dbname: url.pathname.slice(1) }
  for (const [name, part] of Object.entries(rest)) if (part) yield [name, decoded(part)]
}

/** Where libpq's builds look for the socket of the server, and where it may be if there is none. */
const USUAL_PLACES = ['/var/run/postgresql', '/tmp', 'localhost']

/** The folder whose socket a password file calls `localhost`. */
export const isUsualPlace = (host: string): boolean => USUAL_PLACES.includes(host)

function hostsFor(names: string, ports: string): readonly Host[] {
  return listedHosts(names || USUAL_PLACES.join(), ports)
}

async function settingsOf(service: string, file: string | undefined, machine: Machine) {
  const { PGSERVICEFILE, PGSYSCONFDIR } = machine.variables
  const named = file || PGSERVICEFILE
  const own = named ? pathOf(named, machine) : placesOf(machine).services
  const paths = [own, ...(PGSYSCONFDIR ? [`${PGSYSCONFDIR}/pg_service.conf`] : [])]
  for (const path of paths) {
    // One that is named has to be there.
    if (!(named && path === own) && !(await machine.look(path))) continue
    const settings = serviceIn(await machine.readFile(path), service, path)
    if (settings) return { path, settings }
  }
  throw new DatabaseError('config', `There is no service of that name in ${paths.join(' or ')}.`)
}

/**
 * The variables of libpq that set a parameter. PGTZ, PGDATESTYLE and PGGEQO are no parameters, and not read.
 * https://www.postgresql.org/docs/current/libpq-envars.html
 */
const VARIABLES: readonly (readonly [name: string, variable: string])[] = [
  ...named('host hostaddr port user password passfile options'),
  ...named(
    'sslmode requiressl sslnegotiation sslcert sslkey sslcertmode sslrootcert sslcrl sslcrldir',
  ),
  ...named('sslsni sslcompression ssl_min_protocol_version ssl_max_protocol_version'),
  ...named('requirepeer require_auth channel_binding min_protocol_version max_protocol_version'),
  ...named('gssencmode gsslib gssdelegation krbsrvname client_encoding'),
  ...named('target_session_attrs load_balance_hosts'),
  ['dbname', 'PGDATABASE'],
  ['application_name', 'PGAPPNAME'],
  ['connect_timeout', 'PGCONNECT_TIMEOUT'],
]

function named(names: string): readonly (readonly [name: string, variable: string])[] {
  return names.split(' ').map((it) => [it, `PG${it.replaceAll('_', '').toUpperCase()}`] as const)
}

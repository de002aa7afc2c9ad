import { badConfig } from '../../error.ts'
import { isTokenAuth } from '../../iam/token-login.ts'
import type { Machine } from '../../machine.ts'
import { type DatabaseHost, hostsOf, isSocket, listedHosts } from '../../transport/hosts.ts'
import { decoded } from '../../transport/url.ts'
import { accessBy, type PostgresServers } from './login.ts'
import { pathOf, placesOf } from './own-places.ts'
import { readParameters } from './parameters.ts'
import { serviceIn } from './service-file.ts'

/**
 * Reads the servers from a URL outside Workers. As in libpq, missing settings come from its service, then
 * from environment variables, then from defaults. Throws {@link DatabaseError}.
 */
export async function accessOn(machine: Machine, url: URL): Promise<PostgresServers> {
  const stated = new Map<string, SettingValue>()
  const fill = (name: string, value: string, by: string) => {
    // Of the parameters that set encryption, only the first one counts.
    const isSaid = stated.has(name) || (/^(?:sslmode|requiressl)$/.test(name) && MODES.some(has))
    if (!isSaid) stated.set(name, { value, by })
  }
  const has = (name: string) => stated.has(name)
  for (const [name, value] of partsOf(url)) fill(name, value, `The ${name} in the database URL`)

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
  const values = [...stated].map(([name, { value }]) => [name, value] as const)
  const given = readParameters(values, true, shown)
  const user = said('user') || machine.user
  const hosts = hostsFor(said('host'), said('port'))
  const [password, database] = [said('password'), said('dbname')]
  if (given.has('requirepeer') && hosts.some(({ name }) => isSocket(name))) {
    throw badConfig(
      `${shown('requirepeer')} requires a check of the user who runs the server at a socket, which is not possible here. Remove it.`,
    )
  }
  return accessBy({ hosts, user, password, database, given }, true)
}

interface SettingValue {
  readonly value: string
  /** Source of the value, for messages: "The sslmode in the database URL". */
  readonly by: string
}

const MODES = ['sslmode', 'ssl', 'requiressl']

/** All settings in a URL, by parameter name. */
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

/** Default socket folders in builds of libpq, then the host to try if there is no socket. */
const USUAL_PLACES = ['/var/run/postgresql', '/tmp', 'localhost']

/** True for a host that a password file lists as `localhost`: a default socket folder, or `localhost` itself. */
export const isUsualPlace = (host: string): boolean => USUAL_PLACES.includes(host)

function hostsFor(names: string, ports: string): readonly DatabaseHost[] {
  return listedHosts(names || USUAL_PLACES.join(), ports)
}

async function settingsOf(service: string, file: string | undefined, machine: Machine) {
  const { PGSERVICEFILE, PGSYSCONFDIR } = machine.variables
  const named = file || PGSERVICEFILE
  const own = named ? pathOf(named, machine) : placesOf(machine).services
  const paths = [own, ...(PGSYSCONFDIR ? [`${PGSYSCONFDIR}/pg_service.conf`] : [])]
  for (const path of paths) {
    // A file that was specified must exist.
    if (!(named && path === own) && !(await machine.look(path))) continue
    const settings = serviceIn(await machine.readFile(path), service, path)
    if (settings) return { path, settings }
  }
  throw badConfig(`There is no service with that name in ${paths.join(' or ')}.`)
}

/**
 * libpq's environment variables for parameters. PGTZ, PGDATESTYLE and PGGEQO are not parameters, and are not read.
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

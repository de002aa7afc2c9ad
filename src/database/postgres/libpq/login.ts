import type { Io } from '../../database.ts'
import { badConfig, type DatabaseError } from '../../error.ts'
import { assertEncrypted, isHere, type ServerLogin, serverLogin } from '../../iam/token-login.ts'
import { type DatabaseHost, hostsOf, isSocket } from '../../transport/hosts.ts'
import { hyperdriveOf } from '../../transport/hyperdrive.ts'
import { DatabaseServers, type Target } from '../../transport/servers.ts'
import { decoded } from '../../transport/url.ts'
import { modeOf, readParameters } from './parameters.ts'

/** Address of a PostgreSQL server, and the user to connect as. */
export interface PostgresLogin extends ServerLogin {
  readonly tls: Tls
  /** True to encrypt without asking the server first. */
  readonly direct: boolean
  /** Settings for the session, as `-c name=value`, or options for a proxy. */
  readonly options: string | undefined
  /** The session's name in pg_stat_activity. */
  readonly name: string
  /** All parameters, outside Workers. Some refer to files, which are read again for each connection. */
  readonly own?: Readonly<Record<string, string>> | undefined
}

/** Encryption: required, preferred, allowed, or off. */
export type Tls = 'always' | 'prefer' | 'allow' | 'never'

/** The servers in a URL, and the kind of server to connect to. */
export interface PostgresServers {
  readonly servers: DatabaseServers<PostgresLogin>
  readonly target: Target
  /** True if the servers are tried in random order. */
  readonly random: boolean
  /** Time to wait for each server, if the URL sets it. */
  readonly connectMs: number | undefined
}

/**
 * Encryption for each `sslmode`. TLS always verifies the certificate and the name here, against public CAs,
 * so libpq's modes that verify less are not weaker here.
 */
const modes: Readonly<Record<string, Tls>> = {
  disable: 'never',
  allow: 'allow',
  prefer: 'prefer',
  require: 'always',
  'verify-ca': 'always',
  'verify-full': 'always',
}

/** Settings for a database, from its URL and from other sources that complete it. */
export interface LibpqSettings {
  readonly hosts: readonly DatabaseHost[]
  /** Empty if not set. */
  readonly user: string
  readonly password: string
  readonly database: string
  readonly given: ReadonlyMap<string, string>
}

/** Reads the servers from a URL. Throws {@link DatabaseError}. */
export function accessOf(url: URL): PostgresServers {
  const given = readParameters(url.searchParams)
  return accessBy({
    hosts: hostsOf(url),
    user: given.get('user') || decoded(url.username),
    password: given.get('password') || decoded(url.password),
    database: given.get('dbname') || decoded(url.pathname.slice(1)),
    given,
  })
}

/** Reads the servers from settings. With `own`, logins keep the parameters. Throws {@link DatabaseError}. */
export function accessBy(said: LibpqSettings, own = false): PostgresServers {
  const { given, hosts } = said
  const seconds = Number(given.get('connect_timeout') ?? 0)
  const parameters = own ? { own: Object.fromEntries(given) } : {}
  return {
    servers: new DatabaseServers(hosts.map((host) => ({ ...loginAt(host, said), ...parameters }))),
    target: (given.get('target_session_attrs') ?? 'any') as Target,
    random: given.get('load_balance_hosts') === 'random',
    connectMs: seconds > 0 ? seconds * 1_000 : undefined,
  }
}

function loginAt({ name, port = 5432 }: DatabaseHost, said: LibpqSettings): PostgresLogin {
  const { given, hosts, password, user } = said
  if (!name || !user) {
    throw badConfig(
      'A PostgreSQL URL needs a user and a host: postgres://user:password@host/database',
    )
  }
  const database = said.database || user
  const login = serverLogin({ host: name, port, user, password, database }, given)
  const direct = given.get('sslnegotiation') === 'direct'
  const isCertified = given.has('sslrootcert') || given.has('sslcert')
  const isPlain = isHere(hosts) && !direct && !login.token && !isCertified
  // As in libpq, there is no TLS over a Unix socket.
  const tls = isSocket(name) ? 'never' : modes[modeOf(given) ?? (isPlain ? 'disable' : 'require')]!
  assertEncrypted(login.token, tls === 'always')
  return {
    ...login,
    tls,
    direct: direct && tls !== 'never',
    options: given.get('options'),
    name: given.get('application_name') ?? given.get('fallback_application_name') ?? 'tidegate',
  }
}

/** Reads the login from a Hyperdrive binding. Throws {@link DatabaseError}. */
export function hyperdriveAccess(url: URL, io: Io): PostgresServers {
  const login: PostgresLogin = {
    ...hyperdriveOf(url, io),
    // The connection to Hyperdrive stays within Cloudflare. Hyperdrive encrypts the rest of the way.
    tls: 'never',
    direct: false,
    options: undefined,
    name: 'tidegate',
  }
  return {
    servers: new DatabaseServers([login]),
    target: 'any',
    random: false,
    connectMs: undefined,
  }
}

/** Additions to a connection outside Workers. */
export interface Extras {
  readonly tls: object
  /** Opens a stream to use instead of a socket. */
  readonly dial?: ((signal: AbortSignal) => Promise<object>) | undefined
  /** True if the login must be bound to the certificate. */
  readonly isBound: boolean
  /** Returns the error for a failed connection, by its code. Undefined if the code is not specific. */
  explain(code: string): DatabaseError | undefined
}

/** Connection options for `pg`. */
export const configOf = (login: PostgresLogin, extras?: Extras, stream?: object) => ({
  host: login.host,
  port: login.port,
  user: login.user,
  // A function, because for an empty string `pg` would look in the environment and in files.
  password: () => login.password,
  database: login.database,
  ssl: login.tls !== 'never' && (extras?.tls ?? true),
  sslnegotiation: login.direct ? 'direct' : 'postgres',
  options: login.options,
  application_name: login.name,
  // Sends queries without waiting for earlier responses.
  pipeline: true,
  ...(extras && {
    keepAlive: true,
    enableChannelBinding: extras.isBound,
    ...(stream && { stream }),
  }),
})

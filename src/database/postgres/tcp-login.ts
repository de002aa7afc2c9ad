import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { assertEncrypted, type TokenLogin, tokenLogin } from '../iam/token-login.ts'
import { type Host, hostsOf, isSocket } from '../transport/hosts.ts'
import { hyperdriveOf } from '../transport/hyperdrive.ts'
import { Servers } from '../transport/servers.ts'
import { decoded, isLoopback } from '../transport/url.ts'
import type { ClientConfig, TlsOptions } from './pg.mjs'
import { modeOf, readParameters, type Target } from './tcp-parameters.ts'

/** Where a PostgreSQL server is, and as which user to connect. */
export interface Login {
  readonly host: string
  readonly port: number
  readonly user: string
  /** Empty where there is a token in its place. */
  readonly password: string
  readonly token: TokenLogin | undefined
  readonly database: string
  readonly tls: Tls
  /** Whether to encrypt without asking the server first. */
  readonly direct: boolean
  /** Settings for the session, as `-c name=value`, or what a proxy needs to know. */
  readonly options: string | undefined
  /** The name of the session in pg_stat_activity. */
  readonly name: string
  /** All parameters, where there is a machine: some name files, which are read anew for each connection. */
  readonly own?: Readonly<Record<string, string>> | undefined
}

/** Whether to encrypt: in any case, rather than not, rather not, or not at all. */
export type Tls = 'always' | 'prefer' | 'allow' | 'never'

/** The servers that a URL names, and which of them is wanted. */
export interface Access {
  /** One for each host. */
  readonly servers: Servers<Login>
  readonly target: Target
  /** Whether they are tried in random order. */
  readonly random: boolean
  /** How long to wait for each server, if the URL says so. */
  readonly connectMs: number | undefined
}

/**
 * What `sslmode` asks for. TLS always verifies certificate and name here, against the public authorities,
 * so the modes of libpq that verify less are not weaker.
 */
const modes: Readonly<Record<string, Tls>> = {
  disable: 'never',
  allow: 'allow',
  prefer: 'prefer',
  require: 'always',
  'verify-ca': 'always',
  'verify-full': 'always',
}

/** What is said of a database: by its URL, and by what else fills its gaps. */
export interface Said {
  readonly hosts: readonly Host[]
  /** Empty, where it is not said. */
  readonly user: string
  readonly password: string
  readonly database: string
  /** The other parameters. */
  readonly given: ReadonlyMap<string, string>
}

/** What a URL says. Throws {@link DatabaseError}. */
export function saidBy(url: URL): Said {
  const given = readParameters(url.searchParams)
  return {
    hosts: hostsOf(url),
    user: given.get('user') || decoded(url.username),
    password: given.get('password') || decoded(url.password),
    database: given.get('dbname') || decoded(url.pathname.slice(1)),
    given,
  }
}

/** What a URL says of its servers. Throws {@link DatabaseError}. */
export const accessOf = (url: URL): Access => accessBy(saidBy(url))

/** The same, of what is said. `own`: whether the logins keep the parameters. Throws {@link DatabaseError}. */
export function accessBy(said: Said, own = false): Access {
  const { given, hosts } = said
  const seconds = Number(given.get('connect_timeout') ?? 0)
  const parameters = own ? { own: Object.fromEntries(given) } : {}
  return {
    servers: new Servers(hosts.map((host) => ({ ...loginBy(said, host), ...parameters }))),
    target: (given.get('target_session_attrs') ?? 'any') as Target,
    random: given.get('load_balance_hosts') === 'random',
    connectMs: seconds > 0 ? seconds * 1_000 : undefined,
  }
}

/** The login at the first host of a URL. Throws {@link DatabaseError}. */
export const loginOf = (url: URL): Login => loginBy(saidBy(url))

function loginBy(said: Said, host: Host = said.hosts[0]!): Login {
  const { given, hosts, password, user } = said
  const { name } = host
  const isHere = hosts.every((it) => isSocket(it.name) || isLoopback(it.name))
  if (!name || !user) {
    throw new DatabaseError(
      'config',
      'A PostgreSQL URL names a user and a host: postgres://user:password@host/database',
    )
  }
  const port = host.port ?? 5432
  const token = tokenLogin(given, { host: name, port, user, password })
  const direct = given.get('sslnegotiation') === 'direct'
  const isPlain = isHere && !direct && !token && !given.has('sslrootcert') && !given.has('sslcert')
  // As in libpq, there is no TLS within a machine.
  const tls = isSocket(name) ? 'never' : modes[modeOf(given) ?? (isPlain ? 'disable' : 'require')]!
  assertEncrypted(token, tls === 'always')
  return {
    host: name.replace(/^\[(.*)\]$/, '$1'),
    port,
    user,
    password,
    token,
    database: said.database || user,
    tls,
    direct: direct && tls !== 'never',
    options: given.get('options'),
    name: given.get('application_name') ?? given.get('fallback_application_name') ?? 'tidegate',
  }
}

/** The access that a Hyperdrive binding stands for. Throws {@link DatabaseError}. */
export function hyperdriveAccess(url: URL, io: Io): Access {
  const { host, port, user, password, database } = hyperdriveOf(url, io)
  const login: Login = {
    ...{ host, port, user, password, database },
    token: undefined,
    // The connection to Hyperdrive stays within Cloudflare. Hyperdrive encrypts the rest of the way.
    tls: 'never',
    direct: false,
    options: undefined,
    name: 'tidegate',
  }
  return { servers: new Servers([login]), target: 'any', random: false, connectMs: undefined }
}

/** What a machine adds to a connection. */
export interface Extras {
  /** How TLS is done, in the words of Node. */
  readonly tls: TlsOptions
  /** Connects by another way than the network alone. */
  readonly dial?: ((signal: AbortSignal) => Promise<object>) | undefined
  /** Whether the login must be bound to the certificate. */
  readonly isBound: boolean
  /** Why there is no connection, by the code of an error; nothing if it tells no more. */
  explain(code: string): DatabaseError | undefined
}

/** How `pg` is told to connect. */
export const configOf = (login: Login, extras?: Extras, stream?: object): ClientConfig => ({
  host: login.host,
  port: login.port,
  user: login.user,
  // A function: for an empty text, `pg` would look in the environment and in files.
  password: () => login.password,
  database: login.database,
  ssl: login.tls !== 'never' && (extras?.tls ?? true),
  sslnegotiation: login.direct ? 'direct' : 'postgres',
  options: login.options,
  application_name: login.name,
  pipeline: true,
  ...(extras && {
    keepAlive: true,
    enableChannelBinding: extras.isBound,
    ...(stream && { stream }),
  }),
})

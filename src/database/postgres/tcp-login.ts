import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { assertEncrypted, type TokenLogin, tokenLogin } from '../iam/token-login.ts'
import { type Host, hostsOf } from '../transport/hosts.ts'
import { hyperdriveOf } from '../transport/hyperdrive.ts'
import { Servers } from '../transport/servers.ts'
import { decoded, isLoopback } from '../transport/url.ts'
import type { ClientConfig } from './pg.mjs'
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

/** What a URL says of its servers. Throws {@link DatabaseError}. */
export function accessOf(url: URL): Access {
  const given = readParameters(url.searchParams)
  const seconds = Number(given.get('connect_timeout') ?? 0)
  return {
    servers: new Servers(hostsOf(url).map((host) => loginOf(url, host))),
    target: (given.get('target_session_attrs') ?? 'any') as Target,
    random: given.get('load_balance_hosts') === 'random',
    connectMs: seconds > 0 ? seconds * 1_000 : undefined,
  }
}

/** The login at a host of a URL, or at its first one. Throws {@link DatabaseError}. */
export function loginOf(url: URL, host: Host = hostsOf(url)[0]!): Login {
  const { name } = host
  const given = readParameters(url.searchParams)
  const isHere = hostsOf(url).every((it) => isLoopback(it.name))
  const user = given.get('user') || decoded(url.username)
  if (!name || !user) {
    throw new DatabaseError(
      'config',
      'A PostgreSQL URL names a user and a host: postgres://user:password@host/database',
    )
  }
  const port = host.port ?? 5432
  const password = given.get('password') || decoded(url.password)
  const token = tokenLogin(given, { host: name, port, user, password })
  const direct = given.get('sslnegotiation') === 'direct'
  const isPlain = isHere && !direct && !token
  const tls = modes[modeOf(given) ?? (isPlain ? 'disable' : 'require')]!
  assertEncrypted(token, tls === 'always')
  return {
    host: name.replace(/^\[(.*)\]$/, '$1'),
    port,
    user,
    password,
    token,
    database: given.get('dbname') || decoded(url.pathname.slice(1)) || user,
    tls,
    direct,
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

/** How `pg` is told to connect. */
export const configOf = (login: Login): ClientConfig => ({
  host: login.host,
  port: login.port,
  user: login.user,
  // A function: for an empty text, `pg` would look in the environment and in files.
  password: () => login.password,
  database: login.database,
  ssl: login.tls !== 'never',
  sslnegotiation: login.direct ? 'direct' : 'postgres',
  options: login.options,
  application_name: login.name,
  pipeline: true,
})

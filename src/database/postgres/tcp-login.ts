import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { databaseUrl, hasSeveralHosts } from '../transport/hosts.ts'
import { decoded, isLoopback } from '../transport/url.ts'
import type { ClientConfig } from './pg.mjs'

/** Where a PostgreSQL server is, and as which user to connect. */
export interface Login {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: Tls
  /** Settings for the session, as `-c name=value`, or what a proxy needs to know. */
  readonly options: string | undefined
  /** The name of the session in pg_stat_activity. */
  readonly name: string
}

/** Whether to encrypt: in any case, if the server offers it, or not at all. */
export type Tls = 'always' | 'offered' | 'never'

/**
 * What `sslmode` asks for. A Worker's TLS always verifies certificate and name, against the public
 * authorities, so the weaker modes of libpq are not weaker here.
 */
const modes: Readonly<Record<string, Tls>> = {
  disable: 'never',
  allow: 'offered',
  prefer: 'offered',
  require: 'always',
  'verify-ca': 'always',
  'verify-full': 'always',
}

/** The login that a URL stands for. Throws {@link DatabaseError}. */
export function loginOf(url: URL): Login {
  const { hostname, port, username, password, pathname, searchParams } = url
  if (hasSeveralHosts(url)) {
    throw new DatabaseError('config', 'A PostgreSQL URL names one host here.')
  }
  const mode = searchParams.get('sslmode') ?? (isLoopback(hostname) ? 'disable' : 'require')
  const tls = Object.hasOwn(modes, mode) ? modes[mode] : undefined
  if (!tls) {
    throw new DatabaseError(
      'config',
      `The sslmode of the database URL must be one of ${Object.keys(modes).join(', ')}.`,
    )
  }
  const user = decoded(username)
  if (!hostname || !user) {
    throw new DatabaseError(
      'config',
      'A PostgreSQL URL names a user and a host: postgres://user:password@host/database',
    )
  }
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || 5432,
    user,
    password: decoded(password),
    database: decoded(pathname.slice(1)) || user,
    tls,
    options: searchParams.get('options') ?? undefined,
    name: searchParams.get('application_name') ?? 'tidegate',
  }
}

/** The login that a Hyperdrive binding stands for. Throws {@link DatabaseError}. */
export function hyperdriveLogin({ pathname: name }: URL, { bindings }: Io): Login {
  const binding = bindings[name] as Partial<Hyperdrive> | undefined
  if (typeof binding?.connectionString !== 'string') {
    throw new DatabaseError(
      'config',
      `This deployment has no Hyperdrive binding called ${JSON.stringify(name)}.`,
    )
  }
  // The connection to Hyperdrive stays within Cloudflare. Hyperdrive encrypts the rest of the way.
  return { ...loginOf(databaseUrl(binding.connectionString)), tls: 'never' }
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
  options: login.options,
  application_name: login.name,
  pipeline: true,
})

import { DatabaseError } from '../error.ts'
import { hasSeveralHosts } from '../transport/hosts.ts'
import { decoded, isLoopback } from '../transport/url.ts'

/** Where a MySQL server is, and as which user to connect. */
export interface Login {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: boolean
}

/**
 * Whether to encrypt. A Worker's TLS always verifies certificate and name, so the weaker modes of other
 * clients are not weaker here. There is no mode that encrypts only if the server does.
 */
const modes: Readonly<Record<string, boolean>> = {
  disabled: false,
  disable: false,
  required: true,
  require: true,
  verify_ca: true,
  'verify-ca': true,
  verify_identity: true,
  'verify-full': true,
}

/** The login that a URL stands for. Throws {@link DatabaseError}. */
export function loginOf(url: URL): Login {
  const { hostname, port, username, password, pathname, searchParams } = url
  if (hasSeveralHosts(url)) {
    throw new DatabaseError('config', 'A MySQL URL names one host here.')
  }
  const asked = searchParams.get('ssl-mode') ?? searchParams.get('sslmode')
  const mode = asked?.toLowerCase() ?? (isLoopback(hostname) ? 'disabled' : 'required')
  const tls = Object.hasOwn(modes, mode) ? modes[mode] : undefined
  if (tls === undefined) {
    throw new DatabaseError(
      'config',
      'The ssl-mode of the database URL must be one of DISABLED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY.',
    )
  }
  const user = decoded(username)
  const database = decoded(pathname.slice(1))
  if (!hostname || !user || !database) {
    throw new DatabaseError(
      'config',
      'A MySQL URL names a user, a host and a database: mysql://user:password@host/database',
    )
  }
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || 3306,
    user,
    password: decoded(password),
    database,
    tls,
  }
}

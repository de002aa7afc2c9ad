import { DatabaseError } from '../error.ts'
import { assertEncrypted, type TokenLogin, tokenLogin } from '../iam/token-login.ts'
import { type Host, hostsOf } from '../transport/hosts.ts'
import { decoded, isLoopback } from '../transport/url.ts'
import { readParameters, type Target } from './tcp-parameters.ts'

/** Where a MySQL server is, and as which user to connect. */
export interface Login {
  readonly host: string
  readonly port: number
  readonly user: string
  /** Empty where there is a token in its place. */
  readonly password: string
  readonly token: TokenLogin | undefined
  readonly database: string
  /**
   * Whether to encrypt, or to do so if the server offers it. TLS always verifies certificate and name here, so the
   * modes of other clients that verify less are not weaker.
   */
  readonly tls: boolean | 'offered'
  /** Whether the server may send the key that encrypts the password, where the connection is not encrypted. */
  readonly takesKey?: boolean
}

/** The servers that a URL names, and which of them is wanted. */
export interface Access {
  /** One for each host, in the order in which they are tried. */
  readonly logins: readonly Login[]
  readonly target: Target
  /** How long to wait for each server, if the URL says so. */
  readonly connectMs: number | undefined
}

/** What a URL says of its servers. Throws {@link DatabaseError}. */
export function accessOf(url: URL): Access {
  const { target, connectMs } = readParameters(url.searchParams)
  return { logins: hostsOf(url).map((host) => loginOf(url, host)), target, connectMs }
}

/** The login at a host of a URL, or at its first one. Throws {@link DatabaseError}. */
export function loginOf(url: URL, host: Host = hostsOf(url)[0]!): Login {
  const { name } = host
  const { tls: asked, takesKey } = readParameters(url.searchParams)
  const isHere = hostsOf(url).every((it) => isLoopback(it.name))
  const user = decoded(url.username)
  const database = decoded(url.pathname.slice(1))
  if (!name || !user || !database) {
    throw new DatabaseError(
      'config',
      'A MySQL URL names a user, a host and a database: mysql://user:password@host/database',
    )
  }
  const port = host.port ?? 3306
  const password = decoded(url.password)
  const token = tokenLogin(url.searchParams, { host: name, port, user, password })
  const tls = asked ?? (!isHere || token !== undefined)
  assertEncrypted(token, tls === true)
  return {
    host: name.replace(/^\[(.*)\]$/, '$1'),
    port,
    user,
    password,
    token,
    database,
    tls,
    takesKey: takesKey || isHere,
  }
}

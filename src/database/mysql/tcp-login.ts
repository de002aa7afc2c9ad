import { DatabaseError } from '../error.ts'
import { assertEncrypted, type TokenLogin, tokenLogin } from '../iam/token-login.ts'
import type { Machine } from '../machine.ts'
import { type Host, hostsOf, isSocket } from '../transport/hosts.ts'
import { decoded, isLoopback } from '../transport/url.ts'
import { readParameters, type Target } from './tcp-parameters.ts'
import type { TlsFiles } from './tcp-tls.ts'

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
  /** What is read from files for the encryption, where there are files. */
  readonly files?: TlsFiles
  /** The file that leads to the server, where it is one. */
  readonly socket?: string | undefined
}

/** The servers that a URL names, and which of them is wanted. */
export interface Access {
  /** One for each host, in the order in which they are tried. */
  readonly logins: readonly Login[]
  readonly target: Target
  /** How long to wait for each server, if the URL says so. */
  readonly connectMs: number | undefined
}

/**
 * What a URL says of its servers. Throws {@link DatabaseError}.
 *
 * @param machine the machine of one's own, if this is one
 */
export function accessOf(url: URL, machine?: Machine): Access {
  const { target, connectMs } = readParameters(url.searchParams, machine !== undefined)
  const logins = hostsOf(url).map((host) => loginOf(url, host, machine))
  return { logins, target, connectMs }
}

/** The login at a host of a URL, or at its first one. Throws {@link DatabaseError}. */
export function loginOf(url: URL, host: Host = hostsOf(url)[0]!, machine?: Machine): Login {
  const parameters = readParameters(url.searchParams, machine !== undefined)
  const { tls: asked, takesKey, files } = parameters
  const named = machine && isSocket(host.name) ? host.name : undefined
  const name = named ? 'localhost' : host.name
  const socket = named ?? parameters.socket
  const isHere = hostsOf(url).every((it) => isLoopback(it.name) || isSocket(it.name))
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
  if (socket !== undefined && (!isHere || machine?.dial)) {
    throw new DatabaseError(
      'config',
      'A socket is a file of this machine, so the host of the database URL must be localhost, and there is no tunnel.',
    )
  }
  return {
    host: name.replace(/^\[(.*)\]$/, '$1'),
    port,
    user,
    password,
    token,
    database,
    tls,
    takesKey: takesKey || isHere,
    files,
    socket,
  }
}

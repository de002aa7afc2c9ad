import { badConfig } from '../../error.ts'
import { assertEncrypted, isHere, type ServerLogin, serverLogin } from '../../iam/token-login.ts'
import type { Machine } from '../../machine.ts'
import { type DatabaseHost, hostsOf, isSocket } from '../../transport/hosts.ts'
import type { Target } from '../../transport/servers.ts'
import { decoded } from '../../transport/url.ts'
import { type MysqlSettings, readParameters } from './parameters.ts'
import type { TlsFiles } from './tls.ts'

/** Address of a MySQL server, and the user to connect as. */
export interface MysqlLogin extends ServerLogin {
  /**
   * Encryption: always, never, or if the server offers it. TLS always verifies the certificate and the name here, so
   * modes that verify less in other clients are not weaker here.
   */
  readonly tls: boolean | 'offered'
  /** True if the server may send the key that encrypts the password over an unencrypted connection. */
  readonly takesKey?: boolean
  /** Encryption settings from files, on platforms that have files. */
  readonly files?: TlsFiles
  readonly socket?: string | undefined
}

/** The servers in a URL, and the kind of server to connect to. */
export interface MysqlServers {
  /** One for each host, in the order in which they are tried. */
  readonly logins: readonly MysqlLogin[]
  readonly target: Target
  /** Time to wait for each server, if the URL sets it. */
  readonly connectMs: number | undefined
}

/**
 * Reads the servers from a URL. Throws {@link DatabaseError}.
 *
 * @param machine the local machine, unless this runs in a Worker
 */
export function accessOf(url: URL, machine?: Machine): MysqlServers {
  const settings = readParameters(url.searchParams, machine !== undefined)
  const { target, connectMs } = settings
  const logins = hostsOf(url).map((host) => loginOf(url, host, settings, machine))
  return { logins, target, connectMs }
}

function loginOf(
  url: URL,
  host: DatabaseHost,
  settings: MysqlSettings,
  machine?: Machine,
): MysqlLogin {
  const named = machine && isSocket(host.name) ? host.name : undefined
  const name = named ? 'localhost' : host.name
  const socket = named ?? settings.socket
  const isNear = isHere(hostsOf(url))
  const [user, password] = [decoded(url.username), decoded(url.password)]
  const database = decoded(url.pathname.slice(1))
  if (!name || !user || !database) {
    throw badConfig(
      'A MySQL URL needs a user, a host and a database: mysql://user:password@host/database',
    )
  }
  const given = { host: name, port: host.port ?? 3306, user, password, database }
  const login = serverLogin(given, url.searchParams)
  const tls = settings.tls ?? (!isNear || login.token !== undefined)
  assertEncrypted(login.token, tls === true)
  if (socket !== undefined && (!isNear || machine?.dial)) {
    throw badConfig(
      'A socket is a file on this machine, so the host in the database URL must be localhost, and a tunnel is not possible.',
    )
  }
  const { takesKey, files } = settings
  return { ...login, tls, takesKey: takesKey || isNear, files, socket }
}

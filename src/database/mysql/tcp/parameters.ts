import { badConfig } from '../../error.ts'
import type { Target } from '../../transport/servers.ts'
import { words } from '../../words.ts'
import { AUTHORITY, MODES, NO, PARAMETERS, SOCKET, TLS_VERSION, YES } from './known-parameters.ts'
import type { TlsFiles } from './tls.ts'

/** Settings from a URL's parameters. */
export interface MysqlSettings {
  /** Encryption: always, never, or if the server offers it. Undefined if the URL does not specify it. */
  readonly tls: boolean | 'offered' | undefined
  readonly target: Target
  /** Time to wait for a server, if the URL sets it. */
  readonly connectMs: number | undefined
  /** True if the server may send the key that encrypts the password over an unencrypted connection. */
  readonly takesKey: boolean
  /** Settings that need files, so they are not available in a Worker. */
  readonly files: TlsFiles
  readonly socket: string | undefined
}

/**
 * Reads the parameters in a URL. Throws {@link DatabaseError}, whose message never contains a value.
 *
 * @param hasFiles true outside Workers, where parameters can refer to files
 */
export function readParameters(params: URLSearchParams, hasFiles = false): MysqlSettings {
  const given = new Map<string, string>()
  for (const [written, value] of params) {
    const name = written.toLowerCase().replace(/[-_]/g, '')
    // Text that is not a valid name may be part of a password.
    const shown = /^[a-z][a-z\d_-]{0,40}$/i.test(written) ? written : undefined
    const rule = PARAMETERS.get(name)
    if (!rule) {
      const which = shown ? `the parameter ${shown}` : 'a parameter'
      throw badConfig(`The database URL has ${which}, which MySQL does not support. Remove it.`)
    }
    if (given.has(name)) {
      throw badConfig(`The database URL has the parameter ${shown} twice. Write it once.`)
    }
    given.set(name, value)
    const why = rule(value, hasFiles)
    if (why) {
      const reason = words(AUTHORITY).includes(name) ? 'authority_not_here' : undefined
      throw badConfig(`The ${shown} in the database URL ${why}`, { reason })
    }
  }
  const files = filesOf(given)
  return {
    // As in MySQL's own clients, specifying a certificate requests encryption.
    tls: tlsOf(given) ?? ([files.ca, files.cert, files.key].some((it) => it) || undefined),
    target: (given.get('targetsessionattrs') ?? 'any') as Target,
    connectMs: connectMsOf(params),
    takesKey: ['allowpublickeyretrieval', 'getserverpublickey'].some((it) => isYes(given.get(it))),
    files,
    socket: firstOf(given, SOCKET),
  }
}

const firstOf = (given: ReadonlyMap<string, string>, names: string) =>
  words(names)
    .map((it) => given.get(it))
    .find((it) => it !== undefined)

function filesOf(given: ReadonlyMap<string, string>): TlsFiles {
  const ca = firstOf(given, AUTHORITY)
  const versions = firstOf(given, TLS_VERSION)
  const mode = given.get('sslmode')?.toLowerCase().replace('-', '_')
  return {
    ca,
    cert: given.get('sslcert'),
    key: given.get('sslkey'),
    crl: given.get('sslcrl'),
    passphrase: firstOf(given, 'sslpassword sslpassphrase'),
    minVersion: versions && !/1\.2/.test(versions) ? 'TLSv1.3' : undefined,
    maxVersion: versions && !/1\.3/.test(versions) ? 'TLSv1.2' : undefined,
    // A public CA certifies anyone, so its certificate would prove nothing without a name check.
    namesHost: !(mode === 'verify_ca' && ca !== undefined),
  }
}

const isYes = (value: string | undefined) => value !== undefined && YES.test(value)

/** Parameters that request encryption if they are true, and otherwise have no effect. */
const FLAGS = words(
  'requiressl verifyservercertificate sslverifycert sslverifyidentity sslverifyservercert',
)

/** Reads the encryption. If several parameters set it, the strictest one is used. */
function tlsOf(given: ReadonlyMap<string, string>): MysqlSettings['tls'] {
  const [mode, go] = [given.get('sslmode'), given.get('tls')]
  const said: readonly MysqlSettings['tls'][] = [
    mode === undefined ? undefined : MODES[mode.toLowerCase()],
    go === undefined ? undefined : /^preferred$/i.test(go) ? 'offered' : !NO.test(go),
    ...['ssl', 'usessl'].map((it) => (given.has(it) ? !NO.test(given.get(it)!) : undefined)),
    ...FLAGS.map((it) => isYes(given.get(it)) || undefined),
    given.has('sslaccept') || undefined,
  ]
  const asked = said.filter((it) => it !== undefined)
  if (asked.includes(false) && asked.some((it) => it !== false)) {
    throw badConfig('The database URL requests both an encrypted and an unencrypted connection.')
  }
  return asked.find((it) => it === true) ?? asked[0]
}

/** Reads the connect timeout. Its unit is milliseconds, or seconds if the name has an underscore. */
function connectMsOf(params: URLSearchParams): number | undefined {
  for (const [name, value] of params) {
    const [all] = /^connect[-_]?timeout$/i.exec(name) ?? []
    if (all) return Number(value) * (all.includes('_') ? 1_000 : 1) || undefined
  }
  return undefined
}

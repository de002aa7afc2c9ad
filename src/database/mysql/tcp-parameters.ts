import { DatabaseError } from '../error.ts'
import { words } from '../words.ts'
import type { TlsFiles } from './tcp-tls.ts'

/** Which server is wanted, as libpq's `target_session_attrs` says it. */
export type Target = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby' | 'prefer-standby'

/** What the parameters of a URL ask for. */
export interface Parameters {
  /** Whether to encrypt, or to do so if the server offers it. Undefined if the URL does not say. */
  readonly tls: boolean | 'offered' | undefined
  readonly target: Target
  /** How long to wait for a server, if the URL says so. */
  readonly connectMs: number | undefined
  /** Whether the server may send the key that encrypts the password, where the connection is not encrypted. */
  readonly takesKey: boolean
  /** What stands only where there are files: on a machine of one's own. */
  readonly files: TlsFiles
  readonly socket: string | undefined
}

/**
 * Why a value is refused, after the name of its parameter. Nothing for one that may stand in a URL.
 *
 * @param hasFiles whether this is a machine of one's own
 */
type Rule = (value: string, hasFiles: boolean) => string | undefined

/** What it asks for is read elsewhere, is the case in any event, or could change nothing here. */
const fine: Rule = () => undefined

const never =
  (why: string): Rule =>
  () =>
    why

const only =
  (values: RegExp, why: string): Rule =>
  (value) =>
    values.test(value) ? undefined : why

/** It names a file. */
const inWorker =
  (why: string): Rule =>
  (value, hasFiles) => {
    if (!hasFiles) return why
    return value === '' ? 'names no file.' : undefined
  }

const rules = (rule: Rule, names: string) =>
  words(names).map((name): readonly [string, Rule] => [name, rule])

const YES = /^(?:true|1|yes|on)$/i
const NO = /^(?:false|0|no|off)$/i
const yesOrNo = (value: string) =>
  YES.test(value) || NO.test(value) ? undefined : 'must be true or false.'

/** What says whether to encrypt, and how: a mode of MySQL, libpq or MariaDB; Go; Prisma; others. */
const MODES: Readonly<Record<string, boolean | 'offered'>> = {
  ...{ disabled: false, preferred: 'offered', required: true, verify_ca: true },
  ...{ verify_identity: true, disable: false, allow: 'offered', prefer: 'offered', require: true },
  ...{ 'verify-ca': true, 'verify-full': true, trust: true },
}
const GO = /^(?:true|false|skip-verify|preferred)$/i
const PRISMA = /^(?:strict|accept_invalid_certs)$/i

const OWN_AUTHORITY =
  'names certificate authorities of your own, and a Worker trusts the public ones only. If the server has a public certificate, take it off; if not, put Hyperdrive in front of the database.'
const CLIENT_CERTIFICATE =
  'asks for a certificate of the client, which a Worker cannot show. Put Hyperdrive in front of the database: it can.'

/** On a machine of one's own it is refused for another reason. */
const notHere =
  (inWorker: string, why: string): Rule =>
  (_, hasFiles) =>
    hasFiles ? why : inWorker
const ONE_FILE =
  'names a folder or a store of Java. Write the certificates into one file, in PEM, and name it in ssl-ca.'
const PEM = 'names a store of Java, or of a program. Name files in PEM: ssl-cert and ssl-key.'

/** The parameters of one meaning. The first that is there is taken. */
const SOCKET = 'socket socketpath unixsocket localsocket'
const AUTHORITY = 'sslca sslrootcert serversslcert'
const TLS_VERSION = 'tlsversion tlsversions enabledtlsprotocols'

/** Older ones are never spoken. */
const VERSIONS = /^(?:TLSv1(?:\.1)?,)*(?:TLSv1\.2|TLSv1\.3|TLSv1\.2,TLSv1\.3)$/i

/**
 * The parameters of MySQL's own programs, and those that the drivers of several languages write into the same URLs:
 * in small letters, without lines between their words. A parameter is taken, changes nothing here, or is refused:
 * nothing is ever weaker than it was asked for.
 * https://dev.mysql.com/doc/refman/8.4/en/connecting-using-uri-or-key-value-pairs.html
 */
const PARAMETERS: ReadonlyMap<string, Rule> = new Map([
  ...rules(fine, 'host port'),
  // Our own: how to log in with a token.
  ...rules(fine, 'auth region credentials'),
  [
    'sslmode',
    only(
      new RegExp(`^(?:${Object.keys(MODES).join('|')})$`, 'i'),
      'must be one of DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY.',
    ),
  ],
  ['ssl', (value) => (value.startsWith('{') ? faultOfOptions(value) : yesOrNo(value))],
  ['tls', only(GO, 'must be true, false, skip-verify or preferred.')],
  ['sslaccept', only(PRISMA, 'must be strict or accept_invalid_certs.')],
  ...rules(yesOrNo, 'usessl requiressl verifyservercertificate sslverifycert sslverifyidentity'),
  ...rules(yesOrNo, 'sslverifyservercert allowpublickeyretrieval getserverpublickey'),
  ...rules(inWorker(OWN_AUTHORITY), AUTHORITY),
  ...rules(notHere(OWN_AUTHORITY, ONE_FILE), 'sslcapath trustcertificatekeystoreurl truststore'),
  ...rules(inWorker(CLIENT_CERTIFICATE), 'sslcert sslkey'),
  ...rules(
    (_, hasFiles) => (hasFiles ? undefined : CLIENT_CERTIFICATE),
    'sslpassword sslpassphrase',
  ),
  ...rules(notHere(CLIENT_CERTIFICATE, PEM), 'sslidentity clientcertificatekeystoreurl keystore'),
  ...rules(
    inWorker('asks for a list of revoked certificates, which is not read here. Take it off.'),
    'sslcrl',
  ),
  ...rules(
    never('asks for lists of revoked certificates, which are not read here. Take it off.'),
    'sslcrlpath',
  ),
  ...rules(
    never('asks for ciphers, which cannot be chosen here. Take it off.'),
    'sslcipher tlsciphersuites',
  ),
  ...rules(
    (value, hasFiles) =>
      (hasFiles ? VERSIONS : /^(?:TLSv1(?:\.1)?,)*TLSv1\.2,TLSv1\.3$/i).test(value)
        ? undefined
        : 'asks for a TLS that cannot be chosen here. Take it off.',
    TLS_VERSION,
  ),
  ...rules(
    never('names a file with a key, and there are no files here.'),
    'serverpublickeypath serverrsapublickeyfile',
  ),
  ...rules(
    inWorker('names a socket, a file on one machine. Name the address of the server.'),
    SOCKET,
  ),
  ...rules(never('names a pipe of Windows. Name the address of the server.'), 'pipe'),
  ...rules(
    never('asks for a way to log in, which the server chooses. Take it off.'),
    'authmethod defaultauth authenticationplugins defaultauthenticationplugin',
  ),
  ...rules(
    never('is not read here. Write it before the path: mysql://user:password@host/database'),
    'user username password database dbname',
  ),
  ...rules(
    never('asks for settings of the session, which Tidegate makes itself. Take it off.'),
    'sqlmode initcommand initsql sessionvariables',
  ),
  ...rules(
    only(/^utf-?8(?:mb[34])?$/i, 'must be utf8mb4, which every session has here.'),
    'charset encoding characterencoding',
  ),
  ...rules(
    never('asks for another collation than that of utf8mb4. Take it off.'),
    'collation connectioncollation',
  ),
  [
    'targetsessionattrs',
    only(
      /^(?:any|read-write|read-only|primary|standby|prefer-standby)$/,
      'must be one of any, read-write, read-only, primary, standby, prefer-standby.',
    ),
  ],
  ['connecttimeout', only(/^\d{1,9}$/, 'must be a number.')],
  ['protocol', only(/^tcp$/i, 'must be tcp.')],
  // Of pools, of what programs make of rows, of what they keep. All of it has its own limits here.
  ...rules(
    fine,
    'connectionlimit maxconnectionlifetime maxidleconnectionlifetime pooltimeout pool',
  ),
  ...rules(fine, 'poolsize sockettimeout readtimeout writetimeout timeout statementcachesize'),
  ...rules(fine, 'statementcachecapacity waitforconnections queuelimit maxidle idletimeout'),
  ...rules(fine, 'reconnect autoreconnect compress compression compressionalgorithms adapter'),
  ...rules(fine, 'parsetime loc timezone servertimezone connectiontimezone zerodatetimebehavior'),
  ...rules(fine, 'useunicode uselegacydatetimecode tinyint1isbit interpolateparams'),
  ...rules(
    fine,
    'supportbignumbers bignumberstrings datestrings decimalnumbers preparedstatements',
  ),
  ...rules(fine, 'useserverprepstmts cacheprepstmts prepstmtcachesize prepstmtcachesqllimit'),
  ...rules(fine, 'rewritebatchedstatements multiplestatements multistatements allowmultiqueries'),
  ...rules(fine, 'connectionattributes connectattributes programname applicationname debug'),
  ...rules(fine, 'allownativepasswords allowcleartextpasswords enablecleartextplugin'),
  ...rules(fine, 'maxallowedpacket checkconnliveness clientfoundrows permitmysqlscheme'),
])

/**
 * What the parameters of a URL ask for. Throws {@link DatabaseError}, without repeating a value.
 *
 * @param hasFiles whether this is a machine of one's own, so that files may be named
 */
export function readParameters(params: URLSearchParams, hasFiles = false): Parameters {
  const given = new Map<string, string>()
  for (const [written, value] of params) {
    const name = written.toLowerCase().replace(/[-_]/g, '')
    // What is no name may be a part of a password.
    const shown = /^[a-z][a-z\d_-]{0,40}$/i.test(written) ? written : undefined
    const rule = PARAMETERS.get(name)
    if (!rule) {
      const which = shown ? `the parameter ${shown}` : 'a parameter'
      throw fault(`The database URL has ${which}, which MySQL does not know. Take it off.`)
    }
    if (given.has(name))
      throw fault(`The database URL has the parameter ${shown} twice. Write it once.`)
    given.set(name, value)
    const why = rule(value, hasFiles)
    if (why) throw fault(`The ${shown} of the database URL ${why}`)
  }
  const files = filesOf(given)
  return {
    // As in MySQL's own clients, to name a certificate is to ask for encryption.
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
    // A public authority vouches for anybody, so without the name it would say nothing.
    namesHost: !(mode === 'verify_ca' && ca !== undefined),
  }
}

const isYes = (value: string | undefined) => value !== undefined && YES.test(value)

/** Of several that ask for encryption, the one that asks for most is taken. */
function tlsOf(given: ReadonlyMap<string, string>): Parameters['tls'] {
  const flags = words('requiressl verifyservercertificate sslverifycert sslverifyidentity')
  const [mode, go] = [given.get('sslmode'), given.get('tls')]
  const said: readonly Parameters['tls'][] = [
    mode === undefined ? undefined : MODES[mode.toLowerCase()],
    go === undefined ? undefined : /^preferred$/i.test(go) ? 'offered' : !NO.test(go),
    ...['ssl', 'usessl'].map((it) => (given.has(it) ? !NO.test(given.get(it)!) : undefined)),
    ...[...flags, 'sslverifyservercert'].map((it) => isYes(given.get(it)) || undefined),
    given.has('sslaccept') || undefined,
  ]
  const asked = said.filter((it) => it !== undefined)
  if (asked.includes(false) && asked.some((it) => it !== false)) {
    throw fault('The database URL says both that the connection is encrypted, and that it is not.')
  }
  return asked.find((it) => it === true) ?? asked[0]
}

/** What is wrong with the options of `mysql2`, which are JSON in a URL: they may only ask for what is so here. */
function faultOfOptions(text: string): string | undefined {
  try {
    const options = JSON.parse(text) as Record<string, unknown>
    if (['ca', 'cert', 'key', 'pfx'].some((it) => Object.hasOwn(options, it))) {
      return Object.hasOwn(options, 'ca') ? OWN_AUTHORITY : CLIENT_CERTIFICATE
    }
    const known = ['rejectUnauthorized', 'verifyIdentity']
    if (Object.entries(options).every(([it, on]) => known.includes(it) && on === !!on)) return
  } catch {
    // Said below.
  }
  return 'must be true, false, or {"rejectUnauthorized":true}.'
}

/** Drivers with names of two words wait for milliseconds, and those with lines for seconds. */
function connectMsOf(params: URLSearchParams): number | undefined {
  for (const [name, value] of params) {
    const [all] = /^connect[-_]?timeout$/i.exec(name) ?? []
    if (all) return Number(value) * (all.includes('_') ? 1_000 : 1) || undefined
  }
  return undefined
}

const fault = (message: string) => new DatabaseError('config', message)

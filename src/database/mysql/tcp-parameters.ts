import { DatabaseError } from '../error.ts'
import { words } from '../words.ts'

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
}

/** Why a value is refused, after the name of its parameter. Nothing for one that may stand in a URL. */
type Rule = (value: string) => string | undefined

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

const rules = (rule: Rule, names: string) =>
  words(names).map((name): readonly [string, Rule] => [name, rule])

const YES = /^(?:true|1|yes|on)$/i
const NO = /^(?:false|0|no|off)$/i
const YES_OR_NO = only(/^(?:true|1|yes|on|false|0|no|off)$/i, 'must be true or false.')

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
  ['ssl', (value) => (value.startsWith('{') ? faultOfOptions(value) : YES_OR_NO(value))],
  ['tls', only(GO, 'must be true, false, skip-verify or preferred.')],
  ['sslaccept', only(PRISMA, 'must be strict or accept_invalid_certs.')],
  ...rules(YES_OR_NO, 'usessl requiressl verifyservercertificate sslverifycert sslverifyidentity'),
  ...rules(YES_OR_NO, 'sslverifyservercert allowpublickeyretrieval getserverpublickey'),
  ...rules(never(OWN_AUTHORITY), 'sslca sslcapath sslrootcert serversslcert'),
  ...rules(never(OWN_AUTHORITY), 'trustcertificatekeystoreurl truststore'),
  ...rules(never(CLIENT_CERTIFICATE), 'sslcert sslkey sslidentity sslpassword'),
  ...rules(never(CLIENT_CERTIFICATE), 'clientcertificatekeystoreurl keystore'),
  ...rules(
    never('asks for a list of revoked certificates, which is not read here. Take it off.'),
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
    only(
      /^(?:TLSv1(?:\.1)?,)*TLSv1\.2,TLSv1\.3$/i,
      'asks for a TLS that cannot be chosen here. Take it off.',
    ),
    'tlsversion tlsversions enabledtlsprotocols',
  ),
  ...rules(
    never('names a file with a key, and there are no files here.'),
    'serverpublickeypath serverrsapublickeyfile',
  ),
  ...rules(
    never('names a socket, a file on one machine. Name the address of the server.'),
    'socket socketpath unixsocket pipe localsocket',
  ),
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

/** What the parameters of a URL ask for. Throws {@link DatabaseError}, without repeating a value. */
export function readParameters(params: URLSearchParams): Parameters {
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
    const why = rule(value)
    if (why) throw fault(`The ${shown} of the database URL ${why}`)
  }
  return {
    tls: tlsOf(given),
    target: (given.get('targetsessionattrs') ?? 'any') as Target,
    connectMs: connectMsOf(params),
    takesKey: ['allowpublickeyretrieval', 'getserverpublickey'].some((it) => isYes(given.get(it))),
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

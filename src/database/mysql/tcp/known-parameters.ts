import {
  byPlace,
  CLIENT_CERTIFICATE,
  fine,
  never,
  ONE_REVOKED,
  OWN_AUTHORITY,
  only,
  REVOKED,
  type Rule,
  rules,
} from '../../transport/parameter-rules.ts'
import { TARGETS } from '../../transport/servers.ts'

/** A parameter whose value must match a pattern. */
const like =
  (values: RegExp, why: string): Rule =>
  (value) =>
    values.test(value) ? undefined : why

/** A parameter that refers to a file, with the reason that a Worker refuses it. */
const ofFile = (why: string): Rule => byPlace(never(why), like(/./s, 'must specify a file.'))

export const YES = /^(?:true|1|yes|on)$/i
export const NO = /^(?:false|0|no|off)$/i
const yesOrNo = like(/^(?:true|1|yes|on|false|0|no|off)$/i, 'must be true or false.')

/** The encryption modes, from MySQL, libpq or MariaDB. */
export const MODES: Readonly<Record<string, boolean | 'offered'>> = {
  ...{ disabled: false, preferred: 'offered', required: true, verify_ca: true },
  ...{ verify_identity: true, disable: false, allow: 'offered', prefer: 'offered', require: true },
  ...{ 'verify-ca': true, 'verify-full': true, trust: true },
}

const ONE_FILE =
  'refers to a folder or a Java keystore. Write the certificates into one PEM file, and specify it in ssl-ca.'
const PEM =
  'refers to a keystore for Java or another program. Specify PEM files instead: ssl-cert and ssl-key.'

/** Parameters with the same meaning. The first one present is used. */
export const SOCKET = 'socket socketpath unixsocket localsocket'
export const AUTHORITY = 'sslca sslrootcert serversslcert'
export const TLS_VERSION = 'tlsversion tlsversions enabledtlsprotocols'

/** The TLS versions that can be requested. Older versions are never used, and a Worker has no choice. */
const VERSIONS = /^(?:TLSv1(?:\.1)?,)*(?:TLSv1\.2|TLSv1\.3|TLSv1\.2,TLSv1\.3)$/i
const BOTH_VERSIONS = /^(?:TLSv1(?:\.1)?,)*TLSv1\.2,TLSv1\.3$/i
const NO_VERSION = 'requests a TLS version that cannot be chosen here. Remove it.'

/**
 * The parameters of MySQL's own programs, and of drivers for several languages that use the same URLs,
 * in lower case, without hyphens or underscores. A parameter is used, has no effect here, or is refused,
 * so security is never weaker than requested.
 * https://dev.mysql.com/doc/refman/8.4/en/connecting-using-uri-or-key-value-pairs.html
 */
export const PARAMETERS: ReadonlyMap<string, Rule> = new Map([
  // The last three are our own, for token logins.
  ...rules(fine, 'host port auth region credentials'),
  ...rules(
    like(
      new RegExp(`^(?:${Object.keys(MODES).join('|')})$`, 'i'),
      'must be one of DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY.',
    ),
    'sslmode',
  ),
  ...rules((it) => (it.startsWith('{') ? faultOfOptions(it) : yesOrNo(it, true)), 'ssl'),
  // From Go and Prisma.
  ...rules(
    like(
      /^(?:true|false|skip-verify|preferred)$/i,
      'must be true, false, skip-verify or preferred.',
    ),
    'tls',
  ),
  ...rules(
    like(/^(?:strict|accept_invalid_certs)$/i, 'must be strict or accept_invalid_certs.'),
    'sslaccept',
  ),
  ...rules(
    yesOrNo,
    'usessl requiressl verifyservercertificate sslverifycert sslverifyidentity',
    'sslverifyservercert allowpublickeyretrieval getserverpublickey',
  ),
  ...rules(ofFile(OWN_AUTHORITY), AUTHORITY),
  ...rules(
    byPlace(never(OWN_AUTHORITY), never(ONE_FILE)),
    'sslcapath trustcertificatekeystoreurl truststore',
  ),
  ...rules(ofFile(CLIENT_CERTIFICATE), 'sslcert sslkey'),
  ...rules(byPlace(never(CLIENT_CERTIFICATE), fine), 'sslpassword sslpassphrase'),
  ...rules(
    byPlace(never(CLIENT_CERTIFICATE), never(PEM)),
    'sslidentity clientcertificatekeystoreurl keystore',
  ),
  ...rules(ofFile(ONE_REVOKED), 'sslcrl'),
  ...rules(never(REVOKED), 'sslcrlpath'),
  ...rules(
    never('requests ciphers, which cannot be chosen here. Remove it.'),
    'sslcipher tlsciphersuites',
  ),
  ...rules(byPlace(like(BOTH_VERSIONS, NO_VERSION), like(VERSIONS, NO_VERSION)), TLS_VERSION),
  ...rules(
    never('refers to a key file, which is not read here. Remove it.'),
    'serverpublickeypath serverrsapublickeyfile',
  ),
  ...rules(
    ofFile('refers to a socket, a file on one machine. Write the address of the server.'),
    SOCKET,
  ),
  ...rules(never('refers to a Windows pipe. Write the address of the server.'), 'pipe'),
  ...rules(
    never('requests a login method, which the server chooses. Remove it.'),
    'authmethod defaultauth authenticationplugins defaultauthenticationplugin',
  ),
  ...rules(
    never('is not read here. Write it before the path: mysql://user:password@host/database'),
    'user username password database dbname',
  ),
  ...rules(
    never('changes session settings, which Tidegate sets itself. Remove it.'),
    'sqlmode initcommand initsql sessionvariables',
  ),
  ...rules(
    like(/^utf-?8(?:mb[34])?$/i, 'must be utf8mb4, which every session uses here.'),
    'charset encoding characterencoding',
  ),
  ...rules(
    never('requests a collation, but the default collation for utf8mb4 is used here. Remove it.'),
    'collation connectioncollation',
  ),
  ...rules(only(TARGETS), 'targetsessionattrs'),
  ...rules(like(/^\d{1,9}$/, 'must be a number.'), 'connecttimeout'),
  ...rules(like(/^tcp$/i, 'must be tcp.'), 'protocol'),
  // Settings for pools, row formats and caches. Tidegate has its own limits for all of these.
  ...rules(
    fine,
    'connectionlimit maxconnectionlifetime maxidleconnectionlifetime pooltimeout pool',
    'poolsize sockettimeout readtimeout writetimeout timeout statementcachesize',
    'statementcachecapacity waitforconnections queuelimit maxidle idletimeout',
    'reconnect autoreconnect compress compression compressionalgorithms adapter',
    'parsetime loc timezone servertimezone connectiontimezone zerodatetimebehavior',
    'useunicode uselegacydatetimecode tinyint1isbit interpolateparams',
    'supportbignumbers bignumberstrings datestrings decimalnumbers preparedstatements',
    'useserverprepstmts cacheprepstmts prepstmtcachesize prepstmtcachesqllimit',
    'rewritebatchedstatements multiplestatements multistatements allowmultiqueries',
    'connectionattributes connectattributes programname applicationname debug',
    'allownativepasswords allowcleartextpasswords enablecleartextplugin',
    'maxallowedpacket checkconnliveness clientfoundrows permitmysqlscheme',
  ),
])

/** Checks `mysql2` options, which are JSON in a URL. They can only request what always applies here. */
function faultOfOptions(text: string): string | undefined {
  try {
    const options = JSON.parse(text) as Record<string, unknown>
    if (Object.hasOwn(options, 'ca')) return OWN_AUTHORITY
    if (['cert', 'key', 'pfx'].some((it) => Object.hasOwn(options, it))) return CLIENT_CERTIFICATE
    const known = ['rejectUnauthorized', 'verifyIdentity']
    if (Object.entries(options).every(([it, on]) => known.includes(it) && on === !!on)) return
  } catch {
    // Reported below.
  }
  return 'must be true, false, or {"rejectUnauthorized":true}.'
}

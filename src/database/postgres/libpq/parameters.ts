import { badConfig } from '../../error.ts'
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

const FILE =
  'refers to a file, and there are no files here. Write the contents of the file into the URL, and remove this parameter.'
const OLD_VERSION = 'must be TLSv1.2 or TLSv1.3: older versions are not supported.'

/**
 * The parameters of libpq, and of other programs that use the same URLs. A parameter is used, has no effect
 * here, or is refused, so security is never weaker than requested.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
 */
const PARAMETERS: ReadonlyMap<string, Rule> = new Map([
  ...rules(fine, 'host port user password dbname options application_name'),
  // The last three are our own, for token logins.
  ...rules(fine, 'fallback_application_name auth region credentials'),
  ['sslmode', only('disable allow prefer require verify-ca verify-full')],
  ['ssl', only('true', 'must be true. For anything else, use sslmode.')],
  ['requiressl', only('0 1')],
  ['sslnegotiation', only('postgres direct')],
  ['sslrootcert', byPlace(only('system', OWN_AUTHORITY), fine)],
  ...rules(byPlace(never(CLIENT_CERTIFICATE), fine), 'sslcert sslkey sslpassword'),
  [
    'sslcertmode',
    byPlace(
      only('disable allow', CLIENT_CERTIFICATE),
      only(
        'disable allow',
        'requires the server to request a certificate, which cannot be checked here. Set it to allow, or remove it.',
      ),
    ),
  ],
  ['sslcrl', byPlace(never(ONE_REVOKED), fine)],
  ['sslcrldir', never(REVOKED)],
  [
    'sslsni',
    only(
      '1',
      'turns off the server name in the TLS handshake, which is always sent here. Remove it.',
    ),
  ],
  [
    'ssl_min_protocol_version',
    byPlace(
      only(
        'TLSv1 TLSv1.1 TLSv1.2',
        'requires more than TLSv1.2, which cannot be guaranteed here. Set it to TLSv1.2, or remove it.',
      ),
      only('TLSv1 TLSv1.1 TLSv1.2 TLSv1.3', OLD_VERSION),
    ),
  ],
  [
    'ssl_max_protocol_version',
    byPlace(
      only('TLSv1.3', 'requests an old TLS version, which cannot be chosen here. Remove it.'),
      only('TLSv1.2 TLSv1.3', OLD_VERSION),
    ),
  ],
  [
    'channel_binding',
    byPlace(
      only(
        'disable prefer',
        'requires a login that is bound to the certificate, which a Worker cannot see. The certificate and the host are always verified here, so set it to prefer, or remove it.',
      ),
      only('disable prefer require'),
    ),
  ],
  ['require_auth', never('cannot be guaranteed here. Remove it.')],
  [
    'gssencmode',
    only('disable prefer', 'requires Kerberos, which is not supported here. Remove it.'),
  ],
  [
    'connect_timeout',
    (value) => (/^-?\d{1,9}$/.test(value) ? undefined : 'must be a number of seconds.'),
  ],
  ['target_session_attrs', only(TARGETS)],
  ['load_balance_hosts', only('disable random')],
  ['hostaddr', never('is not read here. Write the address as the host.')],
  ...rules(byPlace(never(FILE), fine), 'passfile service servicefile'),
  [
    'sslkeylogfile',
    byPlace(
      never(FILE),
      never('writes the connection keys to a file, which is not supported here. Remove it.'),
    ),
  ],
  ['replication', only('false off no 0', 'requests replication. Remove it.')],
  ['min_protocol_version', only('3.0', 'requires a version above 3.0, but 3.0 is used here.')],
  ...rules(
    fine,
    'client_encoding sslcompression krbsrvname gsslib gssdelegation requirepeer',
    'keepalives keepalives_idle keepalives_interval keepalives_count',
    'tcp_user_timeout max_protocol_version',
    // Settings from Prisma, Supabase and node-postgres for their own pools and statements.
    'schema pgbouncer connection_limit pool_timeout statement_cache_size',
    'sslaccept socket_timeout supa workaround uselibpqcompat',
  ),
])

/**
 * Reads the parameters in a URL. If a name occurs twice, the last value is used. Throws {@link DatabaseError}.
 *
 * @param hasFiles true outside Workers, where parameters can refer to files
 * @param shown describes a parameter's source, if it is not the URL
 */
export function readParameters(
  params: Iterable<readonly [string, string]>,
  hasFiles = false,
  shown = (name: string) => `The ${name} in the database URL`,
): ReadonlyMap<string, string> {
  const given = new Map(params)
  for (const [name, value] of given) {
    const rule = PARAMETERS.get(name)
    if (!rule) {
      // Text that is not a valid name may be part of a password.
      const shown = /^[a-z_]{1,40}$/.test(name) ? `the parameter ${name}` : 'a parameter'
      throw badConfig(
        `The database URL has ${shown}, which PostgreSQL does not support. Remove it.`,
      )
    }
    const why = rule(value, hasFiles)
    if (why) {
      const reason = name === 'sslrootcert' ? 'authority_not_here' : undefined
      throw badConfig(`${shown(name)} ${why}`, { reason })
    }
  }
  const negotiation = given.get('sslnegotiation')
  const mode = modeOf(given)
  if (given.get('sslrootcert') === 'system' && (mode ?? 'verify-full') !== 'verify-full') {
    throw badConfig('With sslrootcert=system, the sslmode in the database URL must be verify-full.')
  }
  if (negotiation === 'direct') {
    if (mode !== undefined && /^(?:disable|allow|prefer)$/.test(mode)) {
      throw badConfig(
        'With sslnegotiation=direct, the sslmode in the database URL must be require, verify-ca or verify-full.',
      )
    }
    if (navigator.userAgent === 'Cloudflare-Workers') {
      throw badConfig(
        'The sslnegotiation in the database URL is direct. The client must then send the protocol (ALPN), which a Worker cannot do. Remove it.',
      )
    }
  }
  return given
}

/** The `sslmode` in a URL, from any of libpq's names for it. */
export function modeOf(given: ReadonlyMap<string, string>): string | undefined {
  const required = given.get('requiressl')
  const old = required === undefined ? undefined : required === '1' ? 'require' : 'prefer'
  const strict = given.get('sslrootcert') === 'system' ? 'verify-full' : undefined
  return given.get('sslmode') ?? (given.has('ssl') ? 'require' : (old ?? strict))
}

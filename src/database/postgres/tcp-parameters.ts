import { DatabaseError } from '../error.ts'

/** Which server is wanted, as `target_session_attrs` says it. */
export type Target = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby' | 'prefer-standby'

/** Why a value is refused, after the name of its parameter. Nothing for one that may stand in a URL. */
export type Rule = (value: string) => string | undefined

/** Read by what opens the connection. */
export const taken: Rule = () => undefined

/** What it asks for is the case in any event, or there is nothing here that it could change. */
const needless: Rule = () => undefined

export const never =
  (why: string): Rule =>
  () =>
    why

export const only =
  (values: string, otherwise?: string): Rule =>
  (value) =>
    values.split(' ').includes(value)
      ? undefined
      : (otherwise ?? `must be one of ${values.replaceAll(' ', ', ')}.`)

export const rules = (rule: Rule, names: string) =>
  names.split(' ').map((name): [string, Rule] => [name, rule])

const FILE =
  'names a file, and there are no files here. Write what the file has into the URL, and take it off.'
const CLIENT_CERTIFICATE =
  'asks for a certificate of the client, which a Worker cannot show. Put Hyperdrive in front of the database: it can.'

/**
 * The parameters of libpq, with those that other programs write into the same URLs. A parameter is taken,
 * changes nothing here, or is refused: nothing is ever weaker than it was asked for.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
 */
const PARAMETERS: ReadonlyMap<string, Rule> = new Map([
  ...rules(taken, 'host port user password dbname options application_name'),
  ...rules(taken, 'fallback_application_name'),
  // Our own: how to log in with a token.
  ...rules(taken, 'auth region credentials'),
  ['sslmode', only('disable allow prefer require verify-ca verify-full')],
  ['ssl', only('true', 'must be true. For anything else write sslmode.')],
  ['requiressl', only('0 1')],
  ['sslnegotiation', only('postgres direct')],
  [
    'sslrootcert',
    only(
      'system',
      'names certificate authorities of your own, and a Worker trusts the public ones only. If the server has a public certificate, take it off; if not, put Hyperdrive in front of the database.',
    ),
  ],
  ...rules(never(CLIENT_CERTIFICATE), 'sslcert sslkey sslpassword'),
  ['sslcertmode', only('disable allow', CLIENT_CERTIFICATE)],
  ...rules(
    never('asks for a list of revoked certificates, which is not read here. Take it off.'),
    'sslcrl',
  ),
  ...rules(
    never('asks for lists of revoked certificates, which are not read here. Take it off.'),
    'sslcrldir',
  ),
  [
    'sslsni',
    only('1', 'asks not to tell the server its name. Here it is always told. Take it off.'),
  ],
  [
    'ssl_min_protocol_version',
    only(
      'TLSv1 TLSv1.1 TLSv1.2',
      'asks for more than TLSv1.2, which cannot be promised here. Write TLSv1.2, or take it off.',
    ),
  ],
  [
    'ssl_max_protocol_version',
    only('TLSv1.3', 'asks for an old TLS, which cannot be chosen here. Take it off.'),
  ],
  [
    'channel_binding',
    only(
      'disable prefer',
      'asks to bind the login to the certificate, which a Worker is not shown. The certificate and the host are always verified here, so write prefer, or take it off.',
    ),
  ],
  ['require_auth', never('cannot be promised here. Take it off.')],
  [
    'gssencmode',
    only('disable prefer', 'asks for Kerberos, which is not spoken here. Take it off.'),
  ],
  [
    'connect_timeout',
    (value) => (/^-?\d{1,9}$/.test(value) ? undefined : 'must be a number of seconds.'),
  ],
  ['target_session_attrs', only('any read-write read-only primary standby prefer-standby')],
  ['load_balance_hosts', only('disable random')],
  ['hostaddr', never('is not read here. Write the address as the host.')],
  ...rules(never(FILE), 'passfile service servicefile sslkeylogfile'),
  ['replication', only('false off no 0', 'asks for replication. Take it off.')],
  ['min_protocol_version', only('3.0', 'asks for more than version 3.0, which is spoken here.')],
  ...rules(needless, 'client_encoding sslcompression krbsrvname gsslib gssdelegation requirepeer'),
  ...rules(needless, 'keepalives keepalives_idle keepalives_interval keepalives_count'),
  ...rules(needless, 'tcp_user_timeout max_protocol_version'),
  // Of Prisma, Supabase and node-postgres: about their own pools and statements.
  ...rules(needless, 'schema pgbouncer connection_limit pool_timeout statement_cache_size'),
  ...rules(needless, 'sslaccept socket_timeout supa workaround uselibpqcompat'),
])

/**
 * The parameters of a URL. Of two with one name the last is taken. Throws {@link DatabaseError}.
 *
 * @param more rules that stand for those of a Worker
 * @param shown where a parameter comes from, if not from the URL
 */
export function readParameters(
  params: Iterable<readonly [string, string]>,
  more?: ReadonlyMap<string, Rule>,
  shown = (name: string) => `The ${name} of the database URL`,
): ReadonlyMap<string, string> {
  const given = new Map(params)
  for (const [name, value] of given) {
    const rule = more?.get(name) ?? PARAMETERS.get(name)
    if (!rule) {
      // What is no name may be a part of a password.
      const shown = /^[a-z_]{1,40}$/.test(name) ? `the parameter ${name}` : 'a parameter'
      throw fault(`The database URL has ${shown}, which PostgreSQL does not know. Take it off.`)
    }
    const why = rule(value)
    if (why) throw fault(`${shown(name)} ${why}`)
  }
  const negotiation = given.get('sslnegotiation')
  const mode = modeOf(given)
  if (given.get('sslrootcert') === 'system' && (mode ?? 'verify-full') !== 'verify-full') {
    throw fault('With sslrootcert=system, the sslmode of the database URL must be verify-full.')
  }
  if (negotiation === 'direct') {
    if (mode !== undefined && /^(?:disable|allow|prefer)$/.test(mode)) {
      throw fault(
        'With sslnegotiation=direct, the sslmode of the database URL must be require, verify-ca or verify-full.',
      )
    }
    if (navigator.userAgent === 'Cloudflare-Workers') {
      throw fault(
        'The sslnegotiation of the database URL is direct, for which a Worker cannot tell the server the protocol (ALPN). Take it off.',
      )
    }
  }
  return given
}

/** The `sslmode` of a URL, by any of the names that libpq has for it. */
export function modeOf(given: ReadonlyMap<string, string>): string | undefined {
  const required = given.get('requiressl')
  const old = required === undefined ? undefined : required === '1' ? 'require' : 'prefer'
  const strict = given.get('sslrootcert') === 'system' ? 'verify-full' : undefined
  return given.get('sslmode') ?? (given.has('ssl') ? 'require' : (old ?? strict))
}

const fault = (message: string) => new DatabaseError('config', message)

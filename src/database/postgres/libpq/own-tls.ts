import { badConfig, type DatabaseError } from '../../error.ts'
import type { Machine } from '../../machine.ts'
import { authorities } from '../pg.mjs'
import { pathOf, placesOf } from './own-places.ts'

type TlsParameters = Readonly<Record<string, string>>

/**
 * TLS options with the files in the parameters, or with libpq's default files if they exist. The server's
 * certificate is always verified, against the CAs in the file, otherwise against public CAs. With
 * `sslmode=verify-ca` and a CA file, the name is not checked. Throws {@link DatabaseError}.
 */
export async function tlsOptions(given: TlsParameters, machine: Machine): Promise<object> {
  const usual = (name: string) => `${placesOf(machine).certificates}/${name}`
  const isSystem = given.sslrootcert === 'system'
  const root = isSystem ? undefined : await named(given.sslrootcert, usual('root.crt'), machine)
  const ca = root && certificatesIn(await machine.readFile(root), root)
  const isNameless = ca !== undefined && given.sslmode === 'verify-ca'
  const crl = await named(given.sslcrl, usual('root.crl'), machine)
  const system = isSystem ? authorities() : undefined
  return {
    ...(ca && { ca }),
    ...(system && { ca: system }),
    ...(isNameless && { checkServerIdentity: () => undefined }),
    ...(crl && { crl: await machine.readFile(crl) }),
    ...(await ownCertificate(given, usual, machine)),
    minVersion: given.ssl_min_protocol_version === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2',
    ...(given.ssl_max_protocol_version && { maxVersion: given.ssl_max_protocol_version }),
  }
}

/** Path of the specified file, or of the default file if it exists. */
async function named(written: string | undefined, usual: string, machine: Machine) {
  if (written) return pathOf(written, machine)
  return (await machine.look(usual)) && usual
}

/** The certificate sent to the server if it requests one, with its key. */
async function ownCertificate(
  given: TlsParameters,
  usual: (name: string) => string,
  machine: Machine,
): Promise<object> {
  if (given.sslcertmode === 'disable') return {}
  const path = await named(given.sslcert, usual('postgresql.crt'), machine)
  if (!path) return {}
  const cert = certificatesIn(await machine.readFile(path), path)
  const keyPath = given.sslkey ? pathOf(given.sslkey, machine) : usual('postgresql.key')
  const key = await keyIn(keyPath, machine)
  return { cert, key, ...(given.sslpassword && { passphrase: given.sslpassword }) }
}

/** Reads a key. Throws if other users can read it. The group can read a key owned by root. */
async function keyIn(path: string, machine: Machine): Promise<string> {
  const { mode = 0, owner } = (await machine.look(path)) ?? { mode: 0, owner: 0 }
  if (mode & (owner === 0 ? 0o037 : 0o077)) {
    throw badConfig(
      `Other users can read the file ${path}, which contains a private key. Make it readable only for its owner: chmod 600.`,
      { reason: 'tls_file_unusable' },
    )
  }
  const text = await machine.readFile(path)
  if (/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/.test(text)) return text
  throw badConfig(`The file ${path} does not contain a PEM private key.`, {
    reason: 'tls_file_unusable',
  })
}

function certificatesIn(text: string, path: string): string {
  if (/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text)) return text
  throw badConfig(`The file ${path} does not contain a PEM certificate.`, {
    reason: 'tls_file_unusable',
  })
}

/** The error for a failed TLS handshake, by Node's error code. Undefined if the code is not specific. */
export function tlsFailure(code: string): DatabaseError | undefined {
  const known = FAILURES.find(([codes]) => codes.test(code))
  if (!known) return undefined
  const [, reason, message, hint] = known
  return badConfig(message, { reason, hint })
}

const FAILURES: readonly (readonly [
  codes: RegExp,
  reason: 'certificate_untrusted' | 'tls_failed',
  message: string,
  hint?: string,
])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'certificate_untrusted',
    'The database certificate is not for its host.',
    'The operator can use the name from the certificate in the URL. With a CA certificate file as sslrootcert, sslmode=verify-ca does not check the name.',
  ],
  [/^CERT_REVOKED$/, 'certificate_untrusted', 'The database certificate has been revoked.'],
  [/^CERT_HAS_EXPIRED$/, 'certificate_untrusted', 'The database certificate has expired.'],
  [
    /^(?:UNABLE_TO_GET_CRL|CRL_)/,
    'certificate_untrusted',
    'The list of revoked certificates does not match the database certificate.',
    'The operator must check sslcrl, or ~/.postgresql/root.crl: each CA in the certificate chain needs its own list.',
  ],
  [
    /^ERR_SSL_.*_ALERT_/,
    'tls_failed',
    'The database does not accept the client certificate, or did not receive one.',
    'The operator must check sslcert and sslkey: the database requires a certificate from a CA that it trusts.',
  ],
  [
    /^ERR_SSL_(?:UNSUPPORTED_PROTOCOL|.*VERSION)/,
    'tls_failed',
    'The database uses a different TLS version.',
  ],
  [
    /^ERR_(?:OSSL|CRYPTO)/,
    'tls_failed',
    'A certificate, a key or its sslpassword cannot be used.',
    'The operator must check sslcert and sslkey, which belong together, and sslrootcert and sslcrl.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_/,
    'certificate_untrusted',
    'The database certificate cannot be trusted.',
    'The operator can specify the CA certificate file in the URL: sslrootcert=FILE.',
  ],
]

import { DatabaseError } from '../error.ts'
import type { Machine } from '../machine.ts'
import { pathOf, placesOf } from './own-places.ts'
import type { TlsOptions } from './pg.mjs'

/** The parameters of a login that are about TLS. */
type Parameters = Readonly<Record<string, string>>

/**
 * How TLS is done with the files that the parameters name, or that libpq takes if they are there. The certificate
 * of the server is always verified: by the authorities that are named, else by the public ones. Its name is
 * left out where `sslmode=verify-ca` says so, and an authority is named. Throws {@link DatabaseError}.
 */
export async function tlsOptions(
  given: Parameters,
  machine: Machine,
  authorities: () => readonly string[] | undefined,
): Promise<TlsOptions> {
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

/** A file that is named, or the one that is taken if it is there. */
async function named(written: string | undefined, usual: string, machine: Machine) {
  if (written) return pathOf(written, machine)
  return (await machine.look(usual)) && usual
}

/** The certificate that is shown to the server, if it asks for one, and its key. */
async function ownCertificate(
  given: Parameters,
  usual: (name: string) => string,
  machine: Machine,
): Promise<TlsOptions> {
  if (given.sslcertmode === 'disable') return {}
  const path = await named(given.sslcert, usual('postgresql.crt'), machine)
  if (!path) return {}
  const cert = certificatesIn(await machine.readFile(path), path)
  const keyPath = given.sslkey ? pathOf(given.sslkey, machine) : usual('postgresql.key')
  const key = await keyIn(keyPath, machine)
  return { cert, key, ...(given.sslpassword && { passphrase: given.sslpassword }) }
}

/** Reads a key, unless others can read it as well: of a key of root, its group may. */
async function keyIn(path: string, machine: Machine): Promise<string> {
  const { mode = 0, owner } = (await machine.look(path)) ?? { mode: 0, owner: 0 }
  if (mode & (owner === 0 ? 0o037 : 0o077)) {
    throw new DatabaseError(
      'config',
      `Others can read the file ${path}, which holds a private key. It must be readable for its owner alone: chmod 600.`,
    )
  }
  const text = await machine.readFile(path)
  if (/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/.test(text)) return text
  throw new DatabaseError('config', `The file ${path} holds no private key in PEM.`)
}

function certificatesIn(text: string, path: string): string {
  if (/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text)) return text
  throw new DatabaseError('config', `The file ${path} holds no certificate in PEM.`)
}

/** Why TLS did not come about, by the code of Node's error; nothing if it tells no more than any. */
export function tlsFailure(code: string): DatabaseError | undefined {
  const known = FAILURES.find(([codes]) => codes.test(code))
  return known && new DatabaseError('config', known[1], { hint: known[2] })
}

const FAILURES: readonly (readonly [codes: RegExp, message: string, hint?: string])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate of the database is not for its host.',
    'The operator can write the name that the certificate has into the URL. With the file of its authority as sslrootcert, sslmode=verify-ca leaves the name out.',
  ],
  [/^CERT_REVOKED$/, 'The certificate of the database is revoked.'],
  [/^CERT_HAS_EXPIRED$/, 'The certificate of the database has expired.'],
  [
    /^(?:UNABLE_TO_GET_CRL|CRL_)/,
    'The list of revoked certificates does not fit the certificate of the database.',
    'The operator must check sslcrl, or ~/.postgresql/root.crl: each authority of the certificate needs its list.',
  ],
  [
    /^ERR_SSL_.*_ALERT_/,
    'The database does not accept the certificate of its client, or has none.',
    'The operator must check sslcert and sslkey: the database asks for a certificate that it knows the authority of.',
  ],
  [/^ERR_SSL_(?:UNSUPPORTED_PROTOCOL|.*VERSION)/, 'The database speaks another version of TLS.'],
  [
    /^ERR_(?:OSSL|CRYPTO)/,
    'A certificate, a key or its sslpassword cannot be used.',
    'The operator must check sslcert and sslkey, which belong together, and sslrootcert and sslcrl.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_/,
    'The certificate of the database cannot be trusted.',
    'The operator can name the file with the certificate of its authority in the URL: sslrootcert=FILE.',
  ],
]

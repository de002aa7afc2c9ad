import { badConfig } from '../../error.ts'
import type { Machine } from '../../machine.ts'
import type { Connection, default as Library, SecureContext } from '../mysql2.mjs'

/** Encryption settings in a URL outside Workers. Strings are paths unless noted. */
export interface TlsFiles {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly crl: string | undefined
  /** Passphrase of the key, not a path. */
  readonly passphrase: string | undefined
  readonly minVersion: string | undefined
  readonly maxVersion: string | undefined
  /** True if the certificate must match the host name. If not, only a private CA is trusted. */
  readonly namesHost: boolean
}

/** Certificates that a connection trusts and presents. */
export interface Trust {
  readonly context: SecureContext
  readonly namesHost: boolean
}

/** Reads the files in a URL. Throws {@link DatabaseError}. */
export async function trustOf(
  { tls }: typeof Library,
  files: TlsFiles,
  machine: Machine,
): Promise<Trust> {
  const text = async (path: string | undefined) =>
    path === undefined ? undefined : machine.readFile(path)
  // One file can contain both, as for MySQL's own programs.
  const [ca, cert, key, crl] = await Promise.all([
    text(files.ca),
    text(files.cert ?? files.key),
    text(files.key ?? files.cert),
    text(files.crl),
  ])
  const { passphrase, maxVersion, minVersion = 'TLSv1.2', namesHost } = files
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) throw unusable()
  try {
    const bounds = { passphrase, minVersion, maxVersion }
    return { context: tls.createSecureContext({ ca, cert, key, crl, ...bounds }), namesHost }
  } catch {
    throw unusable()
  }
}

const unusable = () =>
  badConfig(
    'A TLS file in the database URL does not contain a certificate, or its key does not belong to it.',
    {
      reason: 'tls_file_unusable',
      hint: 'All of them must be PEM. An encrypted key needs ssl-password in the URL.',
    },
  )

/**
 * Makes a connection use Node's TLS with the given trust. The library itself uses TLS as in a Worker, without
 * a host name or a CA.
 */
export function encryptBy(
  client: Connection,
  { connect, checkServerIdentity }: (typeof Library)['tls'],
  { context, namesHost }: Trust,
  host: string,
): void {
  const isAddress = /^[\d.]+$|:/.test(host)
  client.startTLS = (done) => {
    const { stream: plain } = client
    plain.removeAllListeners('data')
    let isSecured = false
    const options = {
      socket: plain,
      secureContext: context,
      // The server name cannot be an IP address.
      servername: isAddress ? undefined : host,
      rejectUnauthorized: true as const,
      checkServerIdentity: (_: string, certificate: object) =>
        namesHost ? checkServerIdentity(host, certificate) : undefined,
    }
    const secure = connect(options, () => {
      isSecured = true
      done()
    })
    secure.on('data', (chunk: Uint8Array) => client.packetParser.execute(chunk))
    secure.on('error', (error: Error) => {
      if (isSecured) client.emit('error', error)
      else done(error)
    })
    // The library waits for the end of the stream that it opened.
    secure.once('end', () => plain.emit('end'))
    secure.once('close', () => plain.emit('close'))
    client.stream = secure
  }
}

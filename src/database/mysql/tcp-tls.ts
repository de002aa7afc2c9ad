import { DatabaseError } from '../error.ts'
import type { Machine } from '../machine.ts'
import type { Connection, default as Library, SecureContext, TlsVersion } from './mysql2.mjs'

/** What a URL says of encryption where there are files: paths, unless it says otherwise. */
export interface TlsFiles {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly crl: string | undefined
  /** Of the key, itself. */
  readonly passphrase: string | undefined
  readonly minVersion: TlsVersion | undefined
  readonly maxVersion: TlsVersion | undefined
  /** Whether the certificate has to be for the host. If not, an authority of one's own vouches for it alone. */
  readonly namesHost: boolean
}

/** What a connection trusts, and shows. */
export interface Trust {
  readonly context: SecureContext
  readonly namesHost: boolean
}

/** Reads the files of a URL. Throws {@link DatabaseError}. */
export async function trustOf(
  { tls }: typeof Library,
  files: TlsFiles,
  machine: Machine,
): Promise<Trust> {
  const text = async (path: string | undefined) =>
    path === undefined ? undefined : machine.readFile(path)
  // One file may hold both, as with MySQL's own programs.
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
  new DatabaseError(
    'config',
    'A file that the database URL names for TLS holds no certificate, or not the key that belongs to it.',
    { hint: 'All of them are PEM. A key that is encrypted needs ssl-password in the URL.' },
  )

/**
 * Has a connection encrypt as Node does, with what it trusts. The library itself asks for TLS as a Worker has it: it
 * names no host, and no authority.
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
      // No address may stand there.
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

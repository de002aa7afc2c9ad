import { once } from 'node:events'
import { isIP, connect as overNetwork } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, connect as encrypt, type PeerCertificate } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { DatabaseServer, Machine } from '../database/index.ts'

const LOOK_MS = 5_000

/** The requests for encryption. The one for MySQL declares protocol 4.1, TLS and plugin logins. */
const REQUESTS = {
  postgresql: Buffer.from('0000000804d2162f', 'hex'),
  mysql: Buffer.from(`20000001008a0800000000012d${'00'.repeat(23)}`, 'hex'),
}

/**
 * Looks at a server's certificate without trusting it, and says who signed it, when it is valid, and whether it is for
 * this host. The text names no host. Nothing logs in, and no secret is sent. Undefined if there is nothing to see.
 */
export async function certificateOf(
  { protocol, host, port }: DatabaseServer,
  dial: Machine['dial'],
  caller?: AbortSignal,
): Promise<string | undefined> {
  const timer = AbortSignal.timeout(LOOK_MS)
  const signal = caller ? AbortSignal.any([caller, timer]) : timer
  let socket: Duplex | undefined
  try {
    socket = dial ? ((await dial(host, port, signal)) as Duplex) : overNetwork({ host, port })
    // The code below that waits reports the same failure.
    socket.on('error', () => {})
    // A MySQL server sends first. A PostgreSQL server waits for a request.
    if (protocol === 'mysql') await once(socket, 'data', { signal })
    socket.write(REQUESTS[protocol])
    if (protocol === 'postgresql') await once(socket, 'data', { signal })
    const servername = isIP(host) ? undefined : host
    const secure = encrypt({ socket, servername, rejectUnauthorized: false })
    secure.on('error', () => {})
    await once(secure, 'secureConnect', { signal })
    return sentenceOf(secure.getPeerCertificate(), host)
  } catch {
    return undefined
  } finally {
    socket?.destroy()
  }
}

function sentenceOf(certificate: PeerCertificate, host: string): string {
  const { issuer, subject, valid_from, valid_to } = certificate
  const signer = isDeepStrictEqual({ ...issuer }, { ...subject })
    ? 'is self-signed'
    : `was signed by ${shown(String(issuer.CN ?? issuer.O))}`
  const isMeant = checkServerIdentity(host, certificate) === undefined
  return `The certificate ${signer}, is valid from ${valid_from} to ${valid_to}, and is ${isMeant ? '' : 'not '}for the host in its URL.`
}

/** Untrusted text on one line, shortened to fit a message. */
const shown = (text: string) =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 100)
    .toWellFormed()

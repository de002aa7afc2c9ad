import { until } from '../transport/deadline.ts'
import type { Socket } from './node.mjs'
import { certificatesOf, clientHello, joined, NoCertificate, type Take } from './tls-hello.ts'

/** A server that encrypts after it was asked to, and the protocol in which it is asked. */
export interface Server {
  readonly protocol: 'postgres' | 'mysql'
  readonly host: string
  readonly port: number
}

/** What a server shows, as far as one can see it without trusting it. Names are as the server wrote them. */
export interface SeenCertificate {
  readonly protocol: Server['protocol']
  /**
   * `none`: it does not encrypt. `old`, `new`: it speaks only TLS before 1.2, or only 1.3, and shows
   * nothing. `expired`, `early`, `name`: that is wrong with its certificate. `unknown`: nothing of
   * these, so nobody known stands behind it.
   */
  readonly fault: 'none' | 'old' | 'new' | 'expired' | 'early' | 'name' | 'unknown'
  /** Who signed it: `Supabase Root 2021 CA`. */
  readonly issuer?: string | undefined
  /** Whether it signed itself. */
  readonly isOwn?: boolean | undefined
  /** Whether the certificate of its issuer came with it. */
  readonly hasChain?: boolean | undefined
  /** The names that it is for, the first few. */
  readonly names?: readonly string[] | undefined
  /** Until when it is valid, or from when, as its issuer wrote it. */
  readonly date?: string | undefined
}

/** The most bytes that are read from a server. The longest chains have some 10 KiB. */
const MAX_BYTES = 64 * 1024

/** How long all of it may take, in milliseconds. */
const LOOK_MS = 5_000

/**
 * Looks at the certificate of a server, for its operator. It logs in nowhere, and sends no secret. Gives
 * nothing where there is nothing to be seen.
 */
export async function seeCertificate(
  server: Server,
  caller?: AbortSignal,
): Promise<SeenCertificate | undefined> {
  const timer = AbortSignal.timeout(LOOK_MS)
  const signal = caller ? AbortSignal.any([caller, timer]) : timer
  let socket: Socket | undefined
  try {
    const { connect, X509Certificate } = await import('./node.mjs')
    const { host, port } = server
    socket = connect({ host, port })
    // What it rejects with is told by what is read.
    socket.on('error', () => {})
    const take = taking(socket)
    const encrypts = await until(signal, ask(server, socket, take))
    if (!encrypts) return { protocol: server.protocol, fault: 'none' }
    socket.write(clientHello(host))
    const ders = await until(signal, certificatesOf(take))
    const [own, ...rest] = ders.map((it) => new X509Certificate(it))
    return own && { protocol: server.protocol, ...judged(own, host, rest.length > 0) }
  } catch (error) {
    if (!(error instanceof NoCertificate) || error.why === 'other') return undefined
    return { protocol: server.protocol, fault: error.why }
  } finally {
    socket?.destroy()
  }
}

/** Asks a server to encrypt. Resolves with whether it will. */
async function ask({ protocol }: Server, socket: Socket, take: Take): Promise<boolean> {
  if (protocol === 'postgres') {
    // https://www.postgresql.org/docs/current/protocol-message-formats.html, SSLRequest
    socket.write(new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]))
    const [letter] = await take(1)
    if (letter !== LETTER_S && letter !== LETTER_N) throw new NoCertificate('other')
    return letter === LETTER_S
  }
  // https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html
  const head = await take(4)
  const greeting = await take(head[0]! + head[1]! * 256 + head[2]! * 65_536)
  const afterVersion = greeting.indexOf(0, 1) + 1
  const can = greeting[afterVersion + 4 + 8 + 1 + 1] ?? 0
  if (greeting[0] !== 10 || (can & 0x08) === 0) return false
  const request = new Uint8Array(4 + 32)
  // Its length and number; protocol 4.1, encryption, logins by plugins; 16 MiB; utf8mb4.
  request.set([32, 0, 0, 1, 0x00, 0x8a, 0x08, 0, 0, 0, 0, 1, 45])
  request[4 + 1]! |= 0x02
  socket.write(request)
  return true
}

const LETTER_S = 0x53
const LETTER_N = 0x4e

/** Takes what a socket brings, as many bytes as are asked for. Throws {@link NoCertificate} if it ends before. */
function taking(socket: Socket): Take {
  const chunks = socket[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array()
  let room = MAX_BYTES
  return async (count) => {
    const parts: Uint8Array[] = []
    for (let missing = count; missing > 0; ) {
      if (held.length === 0) {
        const { value, done } = await chunks.next()
        if (done || count > MAX_BYTES || room <= 0) throw new NoCertificate('other')
        held = value
        room -= value.length
      }
      const part = held.subarray(0, missing)
      held = held.subarray(part.length)
      missing -= part.length
      parts.push(part)
    }
    return joined(parts, count)
  }
}

type Certificate = InstanceType<typeof import('./node.mjs').X509Certificate>

function judged(own: Certificate, host: string, hasChain: boolean) {
  const { subject, issuer, subjectAltName = '', validFrom, validTo } = own
  const names = subjectAltName
    .split(', ')
    .map((it) => shown(it.replace(/^(?:DNS|IP Address):/, '')))
    .filter((it) => it !== '')
    .slice(0, MAX_NAMES)
  const about = { issuer: nameOf(issuer), isOwn: subject === issuer, hasChain, names }
  const address = host.replace(/^\[(.*)\]$/, '$1')
  const isMeant = /^[\d.]+$|:/.test(address) ? own.checkIP(address) : own.checkHost(address)
  if (Date.parse(validTo) < Date.now())
    return { ...about, fault: 'expired' as const, date: validTo }
  if (Date.parse(validFrom) > Date.now())
    return { ...about, fault: 'early' as const, date: validFrom }
  return { ...about, fault: isMeant === undefined ? ('name' as const) : ('unknown' as const) }
}

/** The names of a certificate that are shown. */
const MAX_NAMES = 5

/** What people call an issuer: its common name, and its organization where that is another word. */
function nameOf(issuer: string): string {
  const part = (key: string) =>
    issuer
      .split('\n')
      .find((it) => it.startsWith(`${key}=`))
      ?.slice(key.length + 1)
  const [name, organization] = [part('CN'), part('O')]
  if (name === undefined || organization === undefined) return shown(name ?? organization ?? issuer)
  return shown(name.includes(organization) ? name : `${name} (${organization})`)
}

/** A stranger's text, as much of it as a sentence has room for, on one line. */
const shown = (text: string) =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 100)
    .toWellFormed()

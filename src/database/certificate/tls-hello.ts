/** Why a server shows no certificate: what it said instead. */
export class NoCertificate extends Error {
  override readonly name = 'NoCertificate'
  /** `old`: it speaks only versions before TLS 1.2. `new`: only TLS 1.3, which encrypts certificates. */
  readonly why: 'old' | 'new' | 'other'

  constructor(why: NoCertificate['why']) {
    super('The server shows no certificate.')
    this.why = why
  }
}

/** Takes the next bytes that a server sends. */
export type Take = (count: number) => Promise<Uint8Array>

/**
 * Says hello as a client that speaks TLS 1.2 and no more: there the certificates come unencrypted
 * (RFC 5246, 7.4). Nothing else is sent, so nothing is agreed upon.
 */
export function clientHello(host: string): Uint8Array {
  const isName = /[a-z]/i.test(host) && !host.includes(':')
  const name = new TextEncoder().encode(host)
  const extensions = [
    ...(isName ? extension(0, sized(2, [0, ...sized(2, [...name])])) : []),
    // Groups: x25519, P-256, P-384, P-521.
    ...extension(10, sized(2, [0, 0x1d, 0, 0x17, 0, 0x18, 0, 0x19])),
    ...extension(11, sized(1, [0])),
    // Signatures: ECDSA, RSA-PSS and RSA, with SHA-256 to 512; Ed25519.
    ...extension(13, sized(2, [4, 3, 5, 3, 6, 3, 8, 7, 8, 4, 8, 5, 8, 6, 4, 1, 5, 1, 6, 1, 2, 1])),
  ]
  const random = crypto.getRandomValues(new Uint8Array(32))
  const body = [3, 3, ...random, 0, ...sized(2, SUITES), 1, 0, ...sized(2, extensions)]
  return new Uint8Array([22, 3, 1, ...sized(2, [1, ...sized(3, body)])])
}

/** ECDHE, DHE and RSA, with AES and ChaCha20; and that the client would agree on keys anew only safely. */
const SUITES = [
  ...[
    0xc0, 0x2b, 0xc0, 0x2f, 0xc0, 0x2c, 0xc0, 0x30, 0xcc, 0xa9, 0xcc, 0xa8, 0xc0, 0x09, 0xc0, 0x13,
  ],
  ...[0xc0, 0x0a, 0xc0, 0x14, 0xc0, 0x23, 0xc0, 0x27, 0, 0x9e, 0, 0x9f, 0, 0x33, 0, 0x39],
  ...[0, 0x9c, 0, 0x9d, 0, 0x2f, 0, 0x35, 0, 0x3c, 0, 0xff],
]

/** Bytes with their number before them. */
const sized = (width: number, bytes: readonly number[]): number[] => [
  ...Array.from({ length: width }, (_, i) => (bytes.length >> (8 * (width - 1 - i))) & 0xff),
  ...bytes,
]

const extension = (type: number, body: readonly number[]) => [0, type, ...sized(2, body)]

/** The certificates that a server answers with, in DER, its own first. Throws {@link NoCertificate}. */
export async function certificatesOf(take: Take): Promise<readonly Uint8Array[]> {
  const next = handshake(take)
  const [hello, helloBody] = await next()
  if (hello !== SERVER_HELLO) throw new NoCertificate('other')
  if (numberAt(helloBody, 0, 2) < TLS_1_2) throw new NoCertificate('old')
  const [kind, body] = await next()
  if (kind !== CERTIFICATE) throw new NoCertificate('other')
  const found: Uint8Array[] = []
  for (let at = 3; at + 3 <= body.length; ) {
    const end = at + 3 + numberAt(body, at, 3)
    found.push(body.subarray(at + 3, end))
    at = end
  }
  return found
}

const TLS_1_2 = 0x0303
const SERVER_HELLO = 2
const CERTIFICATE = 11

const ALERT = 21
const HANDSHAKE = 22
/** "Protocol version", by which a server refuses all that the client speaks. */
const PROTOCOL_VERSION = 70

/** Reads one message of the handshake after the other, from however many records. */
function handshake(take: Take): () => Promise<readonly [kind: number, body: Uint8Array]> {
  let left = 0
  const takeWithin = async (count: number): Promise<Uint8Array> => {
    const parts: Uint8Array[] = []
    for (let missing = count; missing > 0; ) {
      if (left === 0) {
        const head = await take(5)
        left = numberAt(head, 3, 2)
        if (head[0] === ALERT) throw await refusal(take)
        if (head[0] !== HANDSHAKE || left === 0) throw new NoCertificate('other')
      }
      const part = await take(Math.min(left, missing))
      parts.push(part)
      left -= part.length
      missing -= part.length
    }
    return joined(parts, count)
  }
  return async () => {
    const head = await takeWithin(4)
    return [head[0]!, await takeWithin(numberAt(head, 1, 3))]
  }
}

async function refusal(take: Take): Promise<NoCertificate> {
  const [, description] = await take(2)
  return new NoCertificate(description === PROTOCOL_VERSION ? 'new' : 'other')
}

/** Several pieces as one, of this length together. */
export function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length)
  let at = 0
  for (const it of parts) {
    all.set(it, at)
    at += it.length
  }
  return all
}

const numberAt = (bytes: Uint8Array, at: number, width: number): number =>
  bytes.subarray(at, at + width).reduce((sum, it) => sum * 256 + it, 0)

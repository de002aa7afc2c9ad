import type { Socket } from 'node:net'

/** What a MySQL 8 says to a login without encryption. */
export interface Login {
  /** How the user logs in. */
  readonly plugin: 'caching_sha2_password' | 'sha256_password'
  /** The public key that it sends if it is asked for one. */
  readonly key: string
  /** Gets all that the client says. */
  readonly hear: (chunk: Buffer) => void
}

/**
 * Greets as a MySQL 8 that does not encrypt and does not know the password yet: the client has to send it,
 * by the key of the server. Then it refuses the login.
 */
export function refuseLogin(client: Socket, { plugin: name, key, hear }: Login): void {
  const nonce = 'abcdefghijklmnopqrst\0'
  const send = (sequence: number, body: Buffer) => {
    const head = Buffer.from([0, 0, 0, sequence])
    head.writeUIntLE(body.length, 0, 3)
    client.write(Buffer.concat([head, body]))
  }
  const plugin = Buffer.from(`${name}\0`)
  send(
    0,
    Buffer.concat([
      Buffer.from(`\x0a8.4.0\0\x01\0\0\0${nonce.slice(0, 8)}\0`, 'latin1'),
      // What it can: not compress, not encrypt. Then UTF-8, a status, more of what it can, a length.
      Buffer.from([0xdf, 0xf7, 45, 2, 0, 0x0f, 0, 21]),
      Buffer.from(`${'\0'.repeat(10)}${nonce.slice(8)}`, 'latin1'),
      plugin,
    ]),
  )
  client.on('data', (chunk: Buffer) => {
    hear(chunk)
    const sequence = chunk[3]! + 1
    const [body, size] = [chunk.subarray(4), chunk.length - 4]
    const isFull = Buffer.from([1, 4])
    // A hash of 32 bytes answers what was asked; the answer to the greeting may hold one already.
    if (sequence === 2 && body.includes(plugin)) send(sequence, isFull)
    else if (sequence === 2)
      send(sequence, Buffer.concat([Buffer.from([0xfe]), plugin, Buffer.from(nonce)]))
    else if (size === 32) send(sequence, isFull)
    else if (size === 1 && body[0] === (name === 'sha256_password' ? 1 : 2))
      send(sequence, Buffer.from(`\x01${key}`))
    else send(sequence, Buffer.from('\xff\x15\x04#28000Access denied', 'latin1'))
  })
}

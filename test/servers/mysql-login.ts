import type { Socket } from 'node:net'

/** The answers of MySQL 8 to a login without encryption. */
export interface Login {
  /** The authentication plugin of the user. */
  readonly plugin: 'caching_sha2_password' | 'sha256_password'
  /** The public key that it sends on request. */
  readonly key: string
  /** Gets everything that the client sends. */
  readonly hear: (chunk: Buffer) => void
}

/**
 * Greets like a MySQL 8 server without TLS that has not cached the password: the client has to send it,
 * encrypted with the server's key. Then it refuses the login.
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
      // Capabilities: no compression, no encryption. Then UTF-8, a status, more capabilities, a length.
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
    // A hash of 32 bytes is the answer. The response to the greeting may already contain one.
    if (sequence === 2 && body.includes(plugin)) send(sequence, isFull)
    else if (sequence === 2)
      send(sequence, Buffer.concat([Buffer.from([0xfe]), plugin, Buffer.from(nonce)]))
    else if (size === 32) send(sequence, isFull)
    else if (size === 1 && body[0] === (name === 'sha256_password' ? 1 : 2))
      send(sequence, Buffer.from(`\x01${key}`))
    else send(sequence, Buffer.from('\xff\x15\x04#28000Access denied', 'latin1'))
  })
}

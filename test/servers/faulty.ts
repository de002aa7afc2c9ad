import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './tcp.ts'

/** A fault of the answers of a server on their way. */
export interface Fault {
  /** The number of answer bytes that still pass, over all connections. It counts down. */
  readonly room?: { left: number }
  /** The fault after that: the connection is closed, or goes silent. */
  readonly ends?: 'cut' | 'silent'
  /** When the server can be reached, like one that has to wake up, by `performance.now()`. */
  readonly awakeAt?: number
  /** The delay of each piece of an answer in milliseconds, and its size in bytes. */
  readonly slow?: { readonly ms: number; readonly bytes: number }
}

/** Forwards a connection to a port of this machine, and the answers back with the fault. */
export function relay(client: Socket, port: number, fault: Fault = {}): void {
  const { room = { left: Infinity }, ends = 'cut', awakeAt = 0, slow } = fault
  const asked = client.pipe(new PassThrough())
  const waking = setTimeout(
    () => {
      const server = connect(port, '127.0.0.1')
      asked.pipe(server)
      let before = Promise.resolve()
      const end = () => {
        server.destroy()
        // Data that is already on its way still arrives.
        void before.then(() => client.destroySoon())
      }
      for (const it of [client, server]) it.on('error', end).on('close', end)
      if (client.destroyed) return end()

      const answer = async (piece: Buffer) => {
        if (slow) await new Promise((resolve) => setTimeout(resolve, slow.ms))
        const passed = piece.subarray(0, room.left)
        room.left -= passed.length
        if (passed.length > 0 && !client.destroyed) client.write(passed)
        if (room.left > 0) return
        if (ends === 'cut') end()
        else server.removeAllListeners('data').resume()
      }
      server.on('data', (chunk: Buffer) => {
        const bytes = slow?.bytes ?? chunk.length
        for (let at = 0; at < chunk.length; at += bytes) {
          const piece = chunk.subarray(at, at + bytes)
          before = before.then(() => answer(piece))
        }
      })
    },
    Math.max(0, awakeAt - performance.now()),
  )
  client.on('close', () => clearTimeout(waking))
}

/** Greets like a MySQL server with TLS, and then encrypts with the caller's certificate. */
export function greetEncrypted(client: Socket, certificate: Certificate): void {
  const body = Buffer.concat([
    Buffer.from('\x0a8.0.40\0\x01\0\0\0abcdefgh\0', 'latin1'),
    // Capabilities: everything except compression. Then UTF-8, a status, more capabilities, a length.
    Buffer.from([0xdf, 0xff, 45, 2, 0, 0x0f, 0, 21]),
    Buffer.from(`${'\0'.repeat(10)}abcdefghijkl\0mysql_native_password\0`, 'latin1'),
  ])
  client.write(Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]))
  client.once('data', (chunk: Buffer) => {
    // The request for TLS may be followed by the first encrypted bytes.
    client.pause().unshift(chunk.subarray(4 + chunk.readUIntLE(0, 3)))
    new TLSSocket(client, { isServer: true, ...certificate }).on('error', () => {})
  })
}

/** An error in MySQL's format. */
export function mysqlReport(errno: number, message: string): Buffer {
  const body = Buffer.from(`\xff..#HY000${message}`, 'latin1')
  body.writeUInt16LE(errno, 1)
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body])
}

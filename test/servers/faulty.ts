import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './tcp.ts'

/** What becomes of the answers of a server on their way. */
export interface Fault {
  /** Bytes of answers that still pass, over all connections. It counts down. */
  readonly room?: { left: number }
  /** What happens then: the connection is cut, or nothing more comes on it. */
  readonly ends?: 'cut' | 'silent'
  /** When the server is reached at all, as where one has to wake, by `performance.now()`. */
  readonly awakeAt?: number
  /** Milliseconds that each piece of an answer takes, and the bytes of a piece. */
  readonly slow?: { readonly ms: number; readonly bytes: number }
}

/** Passes a connection on to a port of this machine, and the answers back as the fault has it. */
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
        // What was still on its way arrives.
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

/** Greets as a MySQL that encrypts, and then does, with a certificate of the caller's choice. */
export function greetEncrypted(client: Socket, certificate: Certificate): void {
  const body = Buffer.concat([
    Buffer.from('\x0a8.0.40\0\x01\0\0\0abcdefgh\0', 'latin1'),
    // What it can: all but compress. Then UTF-8, a status, more of what it can, a length.
    Buffer.from([0xdf, 0xff, 45, 2, 0, 0x0f, 0, 21]),
    Buffer.from(`${'\0'.repeat(10)}abcdefghijkl\0mysql_native_password\0`, 'latin1'),
  ])
  client.write(Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]))
  client.once('data', (chunk: Buffer) => {
    // Behind what asks for it, encryption may have begun.
    client.pause().unshift(chunk.subarray(4 + chunk.readUIntLE(0, 3)))
    new TLSSocket(client, { isServer: true, ...certificate }).on('error', () => {})
  })
}

/** An error as a MySQL reports it. */
export function mysqlReport(errno: number, message: string): Buffer {
  const body = Buffer.from(`\xff..#HY000${message}`, 'latin1')
  body.writeUInt16LE(errno, 1)
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body])
}

import { connect } from 'node:net'
import { startTcp, type TcpServer } from './tcp.ts'

/**
 * What becomes of a message of the server: the connection is cut before it, or in the middle of it; nothing more
 * comes, or half of it and nothing more; bytes come before it that mean nothing; the server says that it ends.
 */
export const faults = ['cut', 'half', 'stall', 'half, then stall', 'garbage', 'end'] as const

export type Fault = (typeof faults)[number]

/** A fault, and how many messages pass before it. */
export interface Break {
  readonly passes: number
  readonly fault: Fault
}

/** How long the first message in these bytes of a server is; 0 where more of it has to come. */
export type Frame = (bytes: Buffer, isFirst: boolean) => number

/** The messages of a PostgreSQL: a letter, and a length that counts itself. */
export const postgresFrame: Frame = (bytes) =>
  bytes.length < 5 ? 0 : whole(bytes, bytes.readUInt32BE(1) + 1)

/** The records of TLS, after the letter by which a PostgreSQL agrees to it. */
export const tlsFrame: Frame = (bytes, isFirst) => {
  if (isFirst) return 1
  return bytes.length < 5 ? 0 : whole(bytes, bytes.readUInt16BE(3) + 5)
}

/** The packets of a MySQL: a length and a number. */
export const mysqlFrame: Frame = (bytes) =>
  bytes.length < 4 ? 0 : whole(bytes, bytes.readUIntLE(0, 3) + 4)

const whole = ({ length }: Buffer, size: number) => (length < size ? 0 : size)

/** A proxy between a client and a server. */
export interface MessageProxy extends Pick<TcpServer, 'port' | 'open' | 'close'> {
  /** Messages of the server so far, those that are lost among them. */
  readonly messages: number
  /** Whether the fault came about. */
  readonly struck: boolean
}

/**
 * Starts one in front of a port of this machine. It passes so many messages of the server on, over all
 * connections. Then the fault comes about, once; a server that ends is not there any more.
 *
 * @param farewell what the server says when it ends, instead of a message
 */
export async function startMessageProxy(
  port: number,
  frame: Frame,
  farewell: (instead: Buffer) => Buffer,
  { passes, fault }: Break = { passes: Infinity, fault: 'cut' },
): Promise<MessageProxy> {
  let messages = 0
  let over = false
  const server = await startTcp((client) => {
    if (over && fault === 'end') return void client.destroy()
    const upstream = connect(port, '127.0.0.1')
    const end = () => {
      client.destroySoon()
      upstream.destroy()
    }
    for (const it of [client, upstream]) it.on('error', end).on('close', end)
    client.on('data', (chunk) => upstream.destroyed || upstream.write(chunk))

    let rest: Buffer = Buffer.alloc(0)
    let isFirst = true
    const strike = (message: Buffer) => {
      over = true
      if (fault === 'garbage') return void client.write(Buffer.alloc(32, 0xee))
      if (fault.startsWith('half')) client.write(message.subarray(0, message.length >> 1))
      if (fault === 'end') client.write(farewell(message))
      for (const it of [client, upstream]) it.removeAllListeners('data').resume()
      if (!fault.endsWith('stall')) end()
    }
    upstream.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      for (let size = frame(rest, isFirst); size > 0; size = frame(rest, isFirst)) {
        const message = rest.subarray(0, size)
        rest = rest.subarray(size)
        isFirst = false
        if (messages++ === passes && !over) {
          strike(message)
          if (fault !== 'garbage') return
        }
        client.write(message)
      }
    })
  })
  return {
    port: server.port,
    get open() {
      return server.open
    },
    get messages() {
      return messages
    },
    get struck() {
      return over
    },
    close: () => server.close(),
  }
}

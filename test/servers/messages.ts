import { connect } from 'node:net'
import { startTcp, type TcpServer } from './tcp.ts'

/**
 * The faults at a message of the server: the connection closes before the message or in the middle of it; it goes
 * silent before the message or in the middle of it; meaningless bytes come first; the server announces its end.
 */
export const faults = ['cut', 'half', 'stall', 'half, then stall', 'garbage', 'end'] as const

export type Fault = (typeof faults)[number]

/** A fault, and the number of messages before it. */
export interface Break {
  readonly passes: number
  readonly fault: Fault
}

/** The length of the first message in these bytes of a server, or 0 if it is not complete. */
export type Frame = (bytes: Buffer, isFirst: boolean) => number

/** PostgreSQL's messages: a letter, and a length that includes itself. */
export const postgresFrame: Frame = (bytes) =>
  bytes.length < 5 ? 0 : whole(bytes, bytes.readUInt32BE(1) + 1)

/** TLS records, after the letter with which PostgreSQL agrees to TLS. */
export const tlsFrame: Frame = (bytes, isFirst) => {
  if (isFirst) return 1
  return bytes.length < 5 ? 0 : whole(bytes, bytes.readUInt16BE(3) + 5)
}

/** MySQL's packets: a length and a number. */
export const mysqlFrame: Frame = (bytes) =>
  bytes.length < 4 ? 0 : whole(bytes, bytes.readUIntLE(0, 3) + 4)

const whole = ({ length }: Buffer, size: number) => (length < size ? 0 : size)

/** A proxy between a client and a server. */
export interface MessageProxy extends Pick<TcpServer, 'port' | 'open' | 'close'> {
  /** The number of messages of the server so far, including lost ones. */
  readonly messages: number
  /** True if the fault has occurred. */
  readonly struck: boolean
}

/**
 * Starts one in front of a port of this machine. It forwards this number of messages of the server, over all
 * connections. Then the fault occurs once; a server that ends accepts no more connections.
 *
 * @param farewell the server's announcement of its end, instead of a message
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

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** A TCP server with a handler from a test for each connection. */
export interface TcpServer {
  readonly port: number
  /** The number of open connections. */
  readonly open: number
  /** The number of bytes sent to clients so far. */
  readonly sent: number
  close(): Promise<void>
}

/** Starts one on this machine. */
export async function startTcp(serve: (socket: Socket) => void): Promise<TcpServer> {
  const sockets = new Set<Socket>()
  let sent = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      sent += socket.bytesWritten
    })
    serve(socket)
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return sockets.size
    },
    get sent() {
      return [...sockets].reduce((sum, it) => sum + it.bytesWritten, sent)
    },
    async close() {
      for (const it of sockets) it.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Forwards a connection to a port of this machine, with changes to what the client sends: undefined closes
 * the connection, and an empty buffer makes both sides silent.
 */
export function passOn(
  client: Socket,
  port: number,
  change = (chunk: Buffer): Buffer | undefined => chunk,
): void {
  const server = connect(port, '127.0.0.1')
  const end = () => {
    client.destroy()
    server.destroy()
  }
  for (const it of [client, server]) it.on('error', end).on('close', end)
  client.on('data', (chunk: Buffer) => {
    const changed = change(chunk)
    if (!changed) return end()
    if (changed.length > 0) return void server.write(changed)
    server.unpipe(client)
    client.removeAllListeners('data').resume()
  })
  server.pipe(client)
}

/** Agrees to TLS, like a PostgreSQL with `ssl = on`, and forwards the decrypted bytes. */
export function encrypt(client: Socket, certificate: Certificate, port: number): void {
  client.once('data', () => {
    client.write('S')
    const secure = new TLSSocket(client, { isServer: true, ...certificate })
    passOn(secure, port)
  })
}

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** An error in PostgreSQL's format. */
export function report(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

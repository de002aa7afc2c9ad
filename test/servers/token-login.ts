import { connect, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { mysqlReport } from './faulty.ts'
import { type Certificate, passOn, report } from './tcp.ts'

/** Returns true if a user can log in with this text as the password. */
export type Accepts = (user: string, password: string) => boolean

/**
 * Serves like the PostgreSQL of a cloud: with TLS if it has a certificate, and with the password in plain text. After
 * the login, it forwards the connection to a server of this machine, which needs no password.
 */
export function postgresByToken(
  client: Socket,
  certificate: Certificate | undefined,
  port: number,
  accepts: Accepts,
): void {
  client.once('data', (asked: Buffer) => {
    // A client without TLS must not be asked for a token.
    if (asked.length !== 8) return client.destroy()
    if (!certificate) return void client.end('N')
    client.write('S')
    const secure = encrypted(client, certificate)
    secure.once('data', (startup: Buffer) => {
      const [, user = ''] = /\0user\0([^\0]*)\0/.exec(`\0${startup.toString('utf8', 8)}`) ?? []
      if (startup.length === 16) return passFrom(secure, startup, port)
      secure.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
      secure.once('data', (answer: Buffer) => {
        if (accepts(user, answer.toString('utf8', 5, answer.length - 1))) {
          return passFrom(secure, startup, port)
        }
        secure.end(report('28000', `PAM authentication failed for user "${user}"`))
      })
    })
  })
}

function passFrom(client: TLSSocket, first: Buffer, port: number): void {
  client.pause().unshift(first)
  passOn(client, port)
  client.resume()
}

const encrypted = (client: Socket, certificate: Certificate) => {
  const secure = new TLSSocket(client, { isServer: true, ...certificate })
  return secure.on('error', () => {})
}

/** Capability bits of a MySQL client or server. */
const [SSL, LENENC_AUTH] = [0x800, 0x200000]

/**
 * Serves like the MySQL of a cloud: with TLS, and with the password in plain text by mysql_clear_password.
 * After the login, it forwards the connection to a server of this machine, which needs no password.
 */
export function mysqlByToken(
  client: Socket,
  certificate: Certificate | undefined,
  port: number,
  accepts: Accepts,
): void {
  const server = connect(port, '127.0.0.1')
  for (const it of [client, server]) {
    it.on('error', () => {}).on('close', () => {
      client.destroy()
      server.destroy()
    })
  }
  const ask = (socket: Socket, response: Buffer) => {
    const number = response[3]!
    socket.write(packet(Buffer.from('\xfemysql_clear_password\0', 'latin1'), number + 1))
    socket.once('data', (answer: Buffer) => {
      const { user, withoutPassword } = readResponse(response)
      if (!accepts(user, answer.toString('utf8', 4, answer.length - 1))) {
        const error = mysqlReport(1045, `Access denied for user '${user}'@'localhost'`)
        error[3] = number + 3
        return socket.end(error)
      }
      server.once('data', (welcome: Buffer) => {
        welcome[3] = number + 3
        socket.write(welcome)
        server.pipe(socket)
        socket.pipe(server)
      })
      server.write(packet(withoutPassword, 1))
    })
  }
  server.once('data', (greeting: Buffer) => {
    const flags = greeting.indexOf(0, 5) + 1 + 4 + 8 + 1
    if (certificate) greeting.writeUInt16LE(greeting.readUInt16LE(flags) | SSL, flags)
    client.write(greeting)
    client.once('data', (chunk: Buffer) => {
      if (!certificate) return ask(client, chunk)
      // The request for TLS may be followed by the first encrypted bytes.
      client.pause().unshift(chunk.subarray(4 + chunk.readUIntLE(0, 3)))
      const secure = encrypted(client, certificate)
      secure.on('close', () => server.destroy())
      secure.once('data', (response: Buffer) => ask(secure, response))
    })
  })
}

/** The user of a login, and the same login without TLS and with an empty password. */
function readResponse(response: Buffer): { user: string; withoutPassword: Buffer } {
  const body = Buffer.from(response.subarray(4))
  const flags = body.readUInt32LE(0)
  body.writeUInt32LE((flags & ~SSL) >>> 0, 0)
  const end = body.indexOf(0, 32)
  const length = body[end + 1]!
  if (flags & LENENC_AUTH && length > 250) throw new Error('a long password')
  return {
    user: body.toString('utf8', 32, end),
    withoutPassword: Buffer.concat([
      body.subarray(0, end + 1),
      Buffer.from([0]),
      body.subarray(end + 2 + length),
    ]),
  }
}

const packet = (body: Buffer, number: number) =>
  Buffer.concat([Buffer.from([body.length & 255, body.length >> 8, 0, number]), body])

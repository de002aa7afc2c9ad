import type { Socket } from 'node:net'
import { TLSSocket, type TLSSocketOptions } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { certificateSentence, seeCertificate } from '../../src/database/certificate/index.ts'
import { greetEncrypted } from '../servers/faulty.ts'
import { startTcp, type TcpServer } from '../servers/tcp.ts'
import { makeCertificate, makeSignedCertificate } from '../support/certificate.ts'

const own = makeCertificate()
const AUTHORITY = '/O=Example Inc/CN=Example Root 2026 CA'

const servers: TcpServer[] = []
afterAll(() => Promise.all(servers.map((it) => it.close())))

/** What is seen of a server, and that it is left alone afterwards. */
async function seen(
  protocol: 'postgres' | 'mysql',
  serve: (socket: Socket) => void,
  host = 'localhost',
) {
  const server = await startTcp(serve)
  servers.push(server)
  const found = await seeCertificate({ protocol, host, port: server.port })
  await expect.poll(() => server.open).toBe(0)
  expect(server.sent).toBeLessThan(2_000_000)
  return found
}

/** A PostgreSQL as far as it agrees to encrypt. */
const postgres = (options: TLSSocketOptions) => (socket: Socket) => {
  socket.once('data', (asked: Buffer) => {
    expect(asked.toString('hex')).toBe('0000000804d2162f')
    socket.write('S')
    new TLSSocket(socket, { isServer: true, ...options }).on('error', () => {})
  })
}

describe.skipIf(!own)('the certificate of a server', () => {
  const signed = () => makeSignedCertificate(AUTHORITY)

  test('that signed itself is seen, of PostgreSQL and of MySQL', async () => {
    for (const found of [
      await seen('postgres', postgres(own!)),
      await seen('mysql', (socket) => greetEncrypted(socket, own!)),
    ]) {
      expect(found).toMatchObject({ fault: 'unknown', isOwn: true, names: ['localhost'] })
      expect(certificateSentence(found!, 'localhost')).toContain('signed itself')
    }
  })

  test('of an authority that nobody knows names it', async () => {
    const found = await seen('postgres', postgres(signed()))
    expect(found).toMatchObject({
      fault: 'unknown',
      issuer: 'Example Root 2026 CA (Example Inc)',
      isOwn: false,
      hasChain: false,
    })
    const sentence = certificateSentence(found!, 'localhost')
    expect(sentence).toContain('was signed by Example Root 2026 CA (Example Inc), and no public')
    expect(sentence).toContain('let the server send the whole chain')
  })

  test('for another name says for which', async () => {
    const found = await seen('mysql', (it) => greetEncrypted(it, signed()), '127.0.0.1')
    expect(found).toMatchObject({ fault: 'name', names: ['localhost', '*.db.example.com'] })
    expect(certificateSentence(found!, '127.0.0.1')).toContain(
      'is for localhost, *.db.example.com, and not for 127.0.0.1',
    )
  })

  test('that has expired says when', async () => {
    const found = await seen('postgres', postgres(makeSignedCertificate(AUTHORITY, -1)))
    expect(found).toMatchObject({ fault: 'expired', date: expect.stringMatching(/GMT$/) })
  })

  test('is not shown in TLS 1.3, and TLS before 1.2 is told', async () => {
    const latest = await seen('postgres', postgres({ ...own!, minVersion: 'TLSv1.3' }))
    expect(latest).toEqual({ protocol: 'postgres', fault: 'new' })
    const hello = Buffer.from('160301004a020000460301', 'hex')
    const old = await seen('postgres', (socket) => {
      socket.once('data', () => {
        socket.write('S')
        socket.once('data', () => socket.write(Buffer.concat([hello, Buffer.alloc(70)])))
      })
    })
    expect(old).toEqual({ protocol: 'postgres', fault: 'old' })
  })

  test('is not there without encryption', async () => {
    const plain = (answer: string | Buffer) => (socket: Socket) => {
      socket.once('data', () => socket.write(answer))
    }
    expect(await seen('postgres', plain('N'))).toMatchObject({ fault: 'none' })
    const greeting = Buffer.from('\x0a5.7.1\0\x01\0\0\0abcdefgh\0\xff\xf7\x2d\x02\0', 'latin1')
    const unencrypted = Buffer.concat([Buffer.from([greeting.length, 0, 0, 0]), greeting])
    expect(await seen('mysql', (socket) => void socket.write(unencrypted))).toMatchObject({
      fault: 'none',
    })
  })

  test.each<[string, (socket: Socket) => void]>([
    ['that hangs up', (socket) => socket.end()],
    ['that says nothing sensible', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    [
      'that encrypts and says nothing sensible',
      (socket) => void socket.once('data', () => socket.end(`S${'x'.repeat(1_000)}`)),
    ],
    [
      'whose handshake never ends',
      (socket) => {
        const record = Buffer.concat([
          Buffer.from('1603034000', 'hex'),
          Buffer.from('02ffffff0303', 'hex'),
          Buffer.alloc(0x4000 - 6),
        ])
        socket.once('data', () => {
          socket.write('S')
          const more = setInterval(() => socket.write(record), 1)
          socket.on('close', () => clearInterval(more))
        })
      },
    ],
    [
      'whose certificate is none',
      (socket) => {
        socket.once('data', () => {
          const hello = Buffer.from('160303000602000002' + '0303', 'hex')
          const body = Buffer.from('0b000009000006000003308201', 'hex')
          socket.write(
            Buffer.concat([Buffer.from('S'), hello, Buffer.from([22, 3, 3, 0, body.length]), body]),
          )
        })
      },
    ],
  ])('of a server %s is nothing', async (_, serve) => {
    expect(await seen('postgres', serve)).toBeUndefined()
  })
})

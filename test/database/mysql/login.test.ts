import { generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { accessOf } from '../../../src/database/mysql/tcp/login.ts'
import { databaseUrl } from '../../../src/database/transport/hosts.ts'
import { refuseLogin } from '../../servers/mysql-login.ts'
import { startTcp } from '../../servers/tcp.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const at = (params: string, host = 'db.example.com') =>
  databaseUrl(`mysql://reader:${MARKER}@${host}/shop${params && `?${params}`}`)

describe('a MySQL URL', () => {
  test.each([
    ['', true],
    ['ssl-mode=DISABLED', false],
    ['ssl-mode=PREFERRED', 'offered'],
    ['ssl-mode=REQUIRED', true],
    ['ssl-mode=VERIFY_CA', true],
    ['ssl-mode=verify_identity', true],
    ['sslMode=PREFERRED', 'offered'],
    ['sslmode=disable', false],
    ['sslmode=prefer', 'offered'],
    ['sslmode=require', true],
    ['sslmode=verify-full', true],
    ['sslMode=trust', true],
    ['ssl=true', true],
    ['ssl=0', false],
    ['ssl={"rejectUnauthorized":true}', true],
    ['ssl={"rejectUnauthorized":false}', true],
    ['tls=skip-verify', true],
    ['tls=preferred', 'offered'],
    ['tls=false', false],
    ['sslaccept=strict', true],
    ['sslaccept=accept_invalid_certs', true],
    ['useSSL=false', false],
    ['useSSL=false&requireSSL=false', false],
    ['useSSL=true&requireSSL=true&verifyServerCertificate=false', true],
    ['requireSSL=true', true],
    ['ssl_verify_cert=true', true],
    ['ssl-mode=PREFERRED&ssl_verify_identity=true', true],
    ['charset=utf8mb4&connection_limit=5&serverTimezone=UTC&parseTime=true', true],
  ])('with %j has the TLS mode %s', (params, tls) => {
    expect(accessOf(at(params)).logins[0]?.tls).toBe(tls)
  })

  test.each([
    ['', '127.0.0.1', false],
    ['', 'localhost', false],
    ['', '127.0.0.1,localhost:3307', false],
    ['', '127.0.0.1,db.example.com', true],
    ['useSSL=true', 'localhost', true],
  ])('with %j and the host %s has the TLS mode %s', (params, host, tls) => {
    expect(accessOf(at(params, host)).logins.map((it) => it.tls)).toEqual(
      accessOf(at(params, host)).logins.map(() => tls),
    )
  })

  test.each([
    ['ssl-mode=maybe', 'The ssl-mode in the database URL must be one of DISABLED, PREFERRED,'],
    ['ssl-mode=__proto__', 'The ssl-mode in the database URL must be one of'],
    ['ssl-mode=', 'The ssl-mode in the database URL must be one of'],
    ['ssl-mode=REQUIRED&ssl-mode=DISABLED', 'has the parameter ssl-mode twice'],
    ['sslmode=require&ssl-mode=DISABLED', 'has the parameter ssl-mode twice'],
    ['ssl-mode=REQUIRED&useSSL=false', 'both an encrypted and an unencrypted'],
    ['ssl-mode=DISABLED&ssl_verify_cert=1', 'both an encrypted and an unencrypted'],
    ['ssl-mode=PREFERRED&tls=false', 'both an encrypted and an unencrypted'],
    ['ssl=Amazon RDS', 'The ssl in the database URL must be true or false.'],
    ['ssl={"ca":"x"}', 'specifies your own CAs'],
    ['ssl={"cert":"x","key":"y"}', 'a client certificate'],
    ['ssl={"ciphers":"x"}', 'must be true, false, or {"rejectUnauthorized":true}.'],
    ['ssl={', 'must be true, false, or {"rejectUnauthorized":true}.'],
    ['ssl-ca=/etc/ca.pem', 'specifies your own CAs'],
    ['sslcert=./client.pem', 'a client certificate'],
    ['ssl-key=/x', 'Put Hyperdrive in front of the database'],
    ['tls=mine', 'must be true, false, skip-verify or preferred'],
    ['tls-version=TLSv1.3', 'requests a TLS version that cannot be chosen'],
    ['tls-version=TLSv1.1', 'requests a TLS version that cannot be chosen'],
    ['ssl-cipher=x', 'ciphers'],
    ['socket=/tmp/mysql.sock', 'refers to a socket'],
    ['charset=latin1', 'must be utf8mb4'],
    ['sql_mode=ANSI_QUOTES', 'which Tidegate sets itself'],
    ['sessionVariables=transaction_read_only=0', 'which Tidegate sets itself'],
    ['user=root', 'Write it before the path'],
    ['connect_timeout=soon', 'must be a number'],
    ['target_session_attrs=leader', 'must be one of any, read-write'],
    ['nonsense=1', 'has the parameter nonsense, which MySQL does not support'],
    [`p${MARKER}%40=1`, 'has a parameter, which MySQL does not support'],
  ])('with %j is refused', async (params, sentence) => {
    const error = await failure(() => accessOf(at(params)))
    expect(error.kind).toBe('config')
    expect(error.message).toContain(sentence)
  })

  test.each([
    ['connect_timeout=3', 3_000],
    ['connect-timeout=1500', 1_500],
    ['connectTimeout=2000', 2_000],
    ['connect_timeout=0', undefined],
    ['', undefined],
  ])('with %j has the connect timeout %s', (params, ms) => {
    expect(accessOf(at(params)).connectMs).toBe(ms)
  })
})

describe.each(['caching_sha2_password', 'sha256_password'] as const)(
  'a %s password without encryption',
  (plugin) => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()

    /** The bytes sent to a server that offers a key to encrypt the password, and the error. */
    const logIn = async (host: string, params: string) => {
      const heard: Buffer[] = []
      const server = await startTcp((socket) =>
        refuseLogin(socket, { plugin, key, hear: (chunk) => heard.push(chunk) }),
      )
      const url = `mysql://reader:${MARKER}@${host}:${server.port}/shop?ssl-mode=DISABLED&${params}`
      const error = await failure(open(url, io).query({ sql: 'select 1' }, limits))
      await server.close()
      return { heard, error }
    }
    const opened = (heard: readonly Buffer[]) => {
      const secret = heard.map((it) => it.subarray(4)).find((it) => it.length === 256)
      if (!secret) return undefined
      const plain = privateDecrypt({ key: privateKey, oaepHash: 'sha1' }, secret)
      const nonce = Buffer.from('abcdefghijklmnopqrst')
      return Buffer.from(plain.map((byte, i) => byte ^ nonce[i % 20]!)).toString()
    }

    // An unusual address of this machine, which counts as a remote host.
    const ELSEWHERE = '0.0.0.0'

    test.each([
      [ELSEWHERE, '', undefined, 'config'],
      [ELSEWHERE, 'get-server-public-key=false', undefined, 'config'],
      [ELSEWHERE, 'get-server-public-key=true', `${MARKER}\0`, 'auth'],
      [ELSEWHERE, 'allowPublicKeyRetrieval=true', `${MARKER}\0`, 'auth'],
      ['127.0.0.1', '', `${MARKER}\0`, 'auth'],
    ])('is sent to %s under the server key with %j: %j', async (host, params, sent, kind) => {
      const { heard, error } = await logIn(host, params)
      expect(Buffer.concat(heard).includes(MARKER)).toBe(false)
      expect(opened(heard)).toBe(sent)
      expect(error.kind).toBe(kind)
    })
  },
)

test('unencrypted packets after the greeting are not answered', async () => {
  const heard: Buffer[] = []
  const nonce = 'abcdefghijklmnopqrst\0'
  const greeting = Buffer.concat([
    Buffer.from(`\x0a8.4.0\0\x01\0\0\0${nonce.slice(0, 8)}\0`, 'latin1'),
    // Capabilities, including TLS, then UTF-8, a status, more capabilities and a length.
    Buffer.from([0xdf, 0xff, 45, 2, 0, 0x0f, 0, 21]),
    Buffer.from(`${'\0'.repeat(10)}${nonce.slice(8)}mysql_native_password\0`, 'latin1'),
  ])
  const letIn = Buffer.from([7, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0])
  const server = await startTcp((socket) => {
    socket.write(Buffer.concat([Buffer.from([greeting.length, 0, 0, 0]), greeting, letIn]))
    socket.on('data', (chunk: Buffer) => heard.push(chunk))
  })
  const url = `mysql://reader:${MARKER}@localhost:${server.port}/shop?ssl-mode=REQUIRED`
  const error = await failure(open(url, io).query({ sql: `select '${MARKER}'` }, limits))
  await server.close()
  expect(error.message).toMatch(/^The database answered without encryption, after it had agreed/)
  expect(Buffer.concat(heard).includes(MARKER)).toBe(false)
})

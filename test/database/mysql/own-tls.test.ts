import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Machine, Stream } from '../../../src/database/machine.ts'
import { accessOf } from '../../../src/database/mysql/tcp/login.ts'
import type { Limits } from '../../../src/database/rows.ts'
import { databaseUrl } from '../../../src/database/transport/hosts.ts'
import { passOn, startTcp } from '../../servers/tcp.ts'
import { makeCertificate, makeSignedCertificate } from '../../support/certificate.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { orNone } from '../../support/mariadb.ts'
import { startOwnMariaDb } from '../../support/own-mariadb.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

const UNTRUSTED = 'The database certificate cannot be trusted for its host.'
const UNUSABLE =
  'A TLS file in the database URL does not contain a certificate, or its key does not belong to it.'

const certificate = makeCertificate() && makeSignedCertificate('/CN=An authority of our own')
const stranger = makeCertificate()

/** A server with a certificate from a private CA for localhost, and a user who needs a client certificate. */
const mariadb =
  certificate &&
  (await orNone(() =>
    startOwnMariaDb(
      (reader) => `create user ${reader}_x@'%' require x509;
        grant select on *.* to ${reader}_x@'%';
        create table users (id integer);
        insert into users select seq from seq_1_to_100;`,
      [
        `--ssl-cert=${certificate.path}`,
        `--ssl-key=${certificate.keyPath}`,
        `--ssl-ca=${join(dirname(certificate.path), 'ca.pem')}`,
      ],
    ),
  ))

describe.skipIf(!mariadb)('TLS to MariaDB on Node', () => {
  const machine = testMachine()
  afterAll(async () => {
    await machine.close()
    await mariadb?.drop()
  })
  const files: Record<string, string> = {}
  beforeAll(() => {
    files.CA = join(dirname(certificate!.path), 'ca.pem')
    files.CERT = certificate!.path
    files.KEY = certificate!.keyPath
    files.OTHER_CA = stranger!.path
    files.OTHER_KEY = stranger!.keyPath
  })
  const urlOf = (host: string, params: string, user = mariadb!.owner) => {
    const { port, database } = mariadb!
    const named = params.replaceAll(/=([A-Z]+(?:_[A-Z]+)?)(?=&|$)/g, (all, name: string) =>
      name in files ? `=${files[name]}` : all,
    )
    return `mysql://${user}@${host}:${port}/${database}?${named}`
  }
  const VERSION = `select variable_value from information_schema.session_status
    where variable_name = 'ssl_version'`
  const ask = async (url: string, by: Machine = machine, sql = VERSION) =>
    (await (await openOn(by, url)).query({ sql }, limits)).rows[0]![0]

  test.each([
    ['localhost', 'ssl-ca=CA', 'TLSv1.3'],
    ['localhost', 'ssl-mode=PREFERRED&ssl-ca=CA', 'TLSv1.3'],
    ['localhost', 'ssl-mode=REQUIRED&ssl-ca=CA', 'TLSv1.3'],
    ['localhost', 'ssl-mode=VERIFY_IDENTITY&ssl-ca=CA', 'TLSv1.3'],
    ['localhost', 'sslmode=verify-full&sslrootcert=CA', 'TLSv1.3'],
    ['127.0.0.1', 'ssl-mode=VERIFY_CA&ssl-ca=CA', 'TLSv1.3'],
    ['127.0.0.1', 'sslMode=verify-ca&serverSslCert=CA', 'TLSv1.3'],
    ['localhost', 'ssl-ca=CA&tls-version=TLSv1.2', 'TLSv1.2'],
    ['localhost', 'ssl-ca=CA&tls-version=TLSv1.3', 'TLSv1.3'],
    ['localhost', 'ssl-ca=CA&ssl-mode=DISABLED', ''],
    ['localhost', '', ''],
  ])('connects to %s with %j, and the TLS version is %j', async (host, params, version) => {
    expect(await ask(urlOf(host, params))).toBe(version)
  })

  test.each([
    ['localhost', 'ssl-mode=REQUIRED', UNTRUSTED],
    ['localhost', 'ssl-mode=VERIFY_CA', UNTRUSTED],
    ['localhost', 'ssl-mode=PREFERRED', UNTRUSTED],
    ['localhost', 'ssl-ca=OTHER_CA', UNTRUSTED],
    ['localhost', 'ssl-mode=VERIFY_CA&ssl-ca=OTHER_CA', UNTRUSTED],
    ['127.0.0.1', 'ssl-ca=CA', UNTRUSTED],
    ['127.0.0.1', 'ssl-mode=REQUIRED&ssl-ca=CA', UNTRUSTED],
    ['127.0.0.1', 'ssl-mode=VERIFY_IDENTITY&ssl-ca=CA', UNTRUSTED],
    ['localhost', 'ssl-ca=KEY', UNUSABLE],
    ['localhost', 'ssl-ca=CA&ssl-cert=CERT&ssl-key=OTHER_KEY', UNUSABLE],
    ['localhost', 'ssl-ca=/nonexistent/ca.pem', 'The file /nonexistent/ca.pem cannot be read'],
  ])('refuses to connect to %s with %j', async (host, params, sentence) => {
    const error = await failure(ask(urlOf(host, params)))
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(sentence) })
  })

  test('sends a client certificate to a server that requires one', async () => {
    const user = `${mariadb!.reader}_x`
    const params = 'ssl-ca=CA&ssl-cert=CERT&ssl-key=KEY'
    expect(await ask(urlOf('localhost', params, user))).toBe('TLSv1.3')
    expect(await failure(ask(urlOf('localhost', 'ssl-ca=CA', user)))).toMatchObject({
      kind: 'auth',
    })
  })

  test('reuses the connection until it breaks', async () => {
    const url = urlOf('localhost', 'ssl-ca=CA&connection_limit=1')
    const id = async () => Number(await ask(url, machine, 'select connection_id()'))
    const first = await id()
    expect(await id()).toBe(first)
    await mariadb!.admin(`kill connection ${first}`)
    expect(await id()).not.toBe(first)
  })

  describe('through a tunnel', () => {
    const dialled: string[] = []
    const said: Buffer[] = []
    const listening = startTcp((socket) =>
      passOn(socket, mariadb!.port, (chunk) => {
        said.push(chunk)
        return chunk
      }),
    )
    /** Returns a stream that is not a socket, like an SSH channel. */
    const dial: NonNullable<Machine['dial']> = async (host, port) => {
      dialled.push(`${host}:${port}`)
      const socket = connect((await listening).port, '127.0.0.1')
      return Duplex.from({ readable: socket, writable: socket } as never) as unknown as Stream
    }
    const tunnelled = testMachine({ dial })
    afterAll(async () => {
      await tunnelled.close()
      await (await listening).close()
    })

    test('verifies the host name in the URL', async () => {
      const host = 'shop.db.example.com'
      expect(await ask(urlOf(host, 'ssl-ca=CA'), tunnelled)).toBe('TLSv1.3')
      expect(dialled).toContain(`${host}:${mariadb!.port}`)
      // The server name (SNI) is sent before encryption starts.
      expect(Buffer.concat(said).includes(host)).toBe(true)
      const error = await failure(ask(urlOf('shop.example.com', 'ssl-ca=CA'), tunnelled))
      expect(error.message).toBe(UNTRUSTED)
    })

    test('cancels a query', async () => {
      const running = async () => {
        const sql = `select id from information_schema.processlist
          where db = ? and info is not null and user <> 'root'`
        return (await mariadb!.admin(sql, [mariadb!.database])).length
      }
      const database = await openOn(tunnelled, urlOf('far.db.example.com', 'ssl-ca=CA'))
      const caller = new AbortController()
      const sql = 'select count(*) from users a, users b, users c, users d, users e, users f'
      const work = failure(database.query({ sql }, { ...limits, signal: caller.signal }))
      await expect.poll(running).toBe(1)
      caller.abort()
      expect(await work).toMatchObject({ kind: 'timeout' })
      await expect.poll(running).toBe(0)
    })

    test('reports a tunnel that fails', async () => {
      const broken = testMachine({ dial: () => Promise.reject(new Error(MARKER)) })
      const error = await failure(ask(urlOf('shop.db.example.com', 'ssl-ca=CA'), broken))
      expect(error.kind).toBe('network')
    })
  })
})

describe('a MySQL URL on Node', () => {
  const machine = testMachine()
  test.each([
    ['ssl-capath=/etc/ssl', 'Write the certificates into one PEM file'],
    ['trustStore=a.jks', 'Write the certificates into one PEM file'],
    ['ssl-crlpath=/etc/ssl', 'lists of revoked certificates'],
    ['ssl-cipher=x', 'ciphers'],
    ['tls-version=TLSv1.1', 'requests a TLS version that cannot be chosen'],
    ['ssl-ca=', 'must specify a file'],
    ['server-public-key-path=x', 'refers to a key file'],
    ['pipe=x', 'a Windows pipe'],
    ['socket=/tmp/mysql.sock', 'the host in the database URL must be localhost'],
    ['socket=', 'must specify a file'],
  ])('with %j is refused', async (params, sentence) => {
    const url = databaseUrl(`mysql://reader@db.example.com/shop?${params}`, true)
    const error = await failure(() => accessOf(url, machine))
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(sentence) })
  })
})

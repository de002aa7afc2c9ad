import type { AddressInfo } from 'node:net'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { accessOf } from '../../../src/database/postgres/libpq/login.ts'
import Client from '../../../src/database/postgres/pg.mjs'
import { cancelUntil } from '../../../src/database/postgres/tcp/cancel.ts'
import type { QueryContext } from '../../../src/database/rows.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startEmbeddedPostgres } from '../../support/embedded-postgres.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { open } from '../../support/open.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 6_000 }
const io = { fetch, bindings: {} }
const certificate = makeCertificate()

/** Users that the server accepts with TLS, without TLS, or either way. */
const HBA = `
  hostssl all encrypted 127.0.0.1/32 trust
  hostnossl all plain 127.0.0.1/32 trust
  host all either 127.0.0.1/32 trust
  host all postgres 127.0.0.1/32 trust
`

async function start(more: Record<string, string>, settings: readonly string[]) {
  const { port, stop } = await startEmbeddedPostgres({ ...more, 'pg_hba.conf': HBA }, settings)
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres' })
  await client.connect()
  for (const user of ['encrypted', 'plain', 'either']) {
    await client.query(`create role ${user} login; grant pg_read_all_stats to ${user}`)
  }
  await client.end()
  afterAll(stop)
  return port
}

describe.skipIf(!certificate)('PostgreSQL with the TLS parameters of its URL', async () => {
  if (!certificate) return
  const { key, cert } = certificate
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert])
  afterAll(() => setDefaultCACertificates(before))

  const files = { 'server.key': key, 'server.crt': cert }
  const withTls = await start(files, ['ssl=on'])
  const without = await start({}, [])

  const urlOf = (user: string, params: string, port = withTls) =>
    `postgres://${user}:${MARKER}@localhost:${port}/postgres?${params}`
  const query = (url: string, sql: string, more: Partial<QueryContext> = {}) =>
    open(url, io).query({ sql }, { ...limits, ...more })
  const isEncrypted = async (url: string) => {
    const sql = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'
    return (await query(url, sql)).rows[0]![0]
  }

  // The same as psql 15 with the CA of the certificate in sslrootcert.
  test.each([
    ['disable', { either: false, plain: false, encrypted: 'auth', none: false }],
    ['allow', { either: false, plain: false, encrypted: true, none: false }],
    ['prefer', { either: true, plain: false, encrypted: true, none: false }],
    ['require', { either: true, plain: 'auth', encrypted: true, none: 'config' }],
    ['verify-full', { either: true, plain: 'auth', encrypted: true, none: 'config' }],
  ])('is reached with or without TLS as in psql: sslmode=%s', async (mode, expected) => {
    for (const [who, outcome] of Object.entries(expected)) {
      const [user, port] = who === 'none' ? ['either', without] : [who, withTls]
      const url = urlOf(user!, `sslmode=${mode}`, port as number)
      if (typeof outcome === 'boolean')
        expect([who, await isEncrypted(url)]).toEqual([who, outcome])
      else expect((await failure(isEncrypted(url))).kind).toBe(outcome)
    }
  })

  test('is reached with direct TLS negotiation', async () => {
    const url = urlOf('encrypted', 'sslnegotiation=direct')
    expect(await isEncrypted(url)).toBe(true)
    expect(await isEncrypted(`${url}&sslmode=verify-full&sslrootcert=system`)).toBe(true)
    const error = await failure(isEncrypted(urlOf('either', 'sslnegotiation=direct', without)))
    expect(error.message).toBe('The database does not encrypt without being asked first.')
  })

  test.each(['sslmode=require', 'sslmode=allow', 'sslnegotiation=direct'])(
    'gets cancel requests with the same parameters: %s',
    async (params) => {
      const url = urlOf('encrypted', `${params}&application_name=${params.replace('=', '-')}`)
      const signal = AbortSignal.timeout(500)
      const sql = 'select count(*) from generate_series(1, 1000000000)'
      expect((await failure(query(url, sql, { signal }))).message).toContain('cancelled')
      const running = `select count(*) from pg_stat_activity
        where application_name = '${params.replace('=', '-')}' and state = 'active'`
      await expect.poll(async () => (await query(urlOf('either', ''), running)).rows).toEqual([[0]])
    },
  )

  test('gets cancel requests with direct TLS negotiation after such a login', async () => {
    const seen: unknown[] = []
    const server = createServer({ key, cert, ALPNProtocols: ['postgresql'] }, (socket) =>
      socket.once('data', (chunk: Buffer) => {
        seen.push(socket.alpnProtocol, chunk.length, chunk.readInt32BE(4))
        socket.end()
      }),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const url = new URL(urlOf('either', 'sslnegotiation=direct', port))
    const login = accessOf(url).servers.all[0]!
    const session = { processID: 1, secretKey: 2 }
    await cancelUntil(Promise.resolve(), Client, login, session, AbortSignal.timeout(5_000))
    expect(seen).toEqual(['postgresql', 16, 80_877_102])
    await new Promise((resolve) => server.close(resolve))
  })
})

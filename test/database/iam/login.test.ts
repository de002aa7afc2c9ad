import type { Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { locate } from '../../../src/database/open.ts'
import type { Limits } from '../../../src/database/rows.ts'
import { googleTokens, serviceAccount } from '../../servers/google-token.ts'
import { rdsTokenFault } from '../../servers/rds-token.ts'
import { startTcp, type TcpServer } from '../../servers/tcp.ts'
import { type Accepts, mysqlByToken, postgresByToken } from '../../servers/token-login.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { testMachine } from '../../support/machine.ts'
import { startMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'
import { startPostgres } from '../../support/postgres.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const [certificate, stranger] = [makeCertificate(), makeCertificate()]
if (certificate) setDefaultCACertificates([...getCACertificates('default'), certificate.cert])

const setup = 'create table users (id integer); insert into users values (1), (2);'
const postgres = await startPostgres(setup)
const mariadb = await startMariaDb(setup)

const servers: TcpServer[] = []
afterEach(async () => {
  for (const server of servers) await expect.poll(() => server.open).toBe(0)
})
afterAll(async () => {
  await Promise.all(servers.map((it) => it.close()))
  await Promise.all([postgres?.drop(), mariadb?.drop()])
})

type Serve = (socket: Socket, certificate: typeof stranger, accepts: Accepts) => void
/** For each engine: a server that requires a token, and the URL of its reader at a port. */
const engines: Record<
  string,
  { there: boolean; serve: Serve; url(port: number): string; plain: readonly string[] }
> = {
  postgres: {
    there: Boolean(postgres && certificate),
    serve: (socket, of, accepts) => postgresByToken(socket, of, postgres!.config.port!, accepts),
    url: (port) => `postgres://${postgres!.reader}@localhost:${port}/${postgres!.config.database}`,
    plain: ['sslmode=disable', 'sslmode=prefer', 'sslmode=allow'],
  },
  mysql: {
    there: Boolean(mariadb && certificate),
    serve: (socket, of, accepts) => mysqlByToken(socket, of, mariadb!.port, accepts),
    url: (port) => `mysql://${mariadb!.reader}@localhost:${port}/${mariadb!.database}`,
    plain: ['ssl-mode=DISABLED', 'ssl-mode=PREFERRED'],
  },
}

describe.each(Object.keys(engines))('%s with a token login', (name) => {
  const { there, serve, url, plain } = engines[name]!
  const it = test.skipIf(!there)
  /** Starts a server. Returns the passwords that it receives, and the reader's URL with given parameters. */
  const start = async (
    accepts: (...shown: [...Parameters<Accepts>, number]) => boolean,
    of: typeof certificate | 'none' = certificate,
  ) => {
    const shown: string[] = []
    const server: TcpServer = await startTcp((socket) =>
      serve(socket, of === 'none' ? undefined : of, (user, password) => {
        shown.push(password)
        return accepts(user, password, server.port)
      }),
    )
    servers.push(server)
    return { shown, url: (parameters: string) => `${url(server.port)}?${parameters}` }
  }
  const count = (at: string, bindings: object, send: typeof fetch = fetch) => {
    const io = { fetch: send, bindings: bindings as Record<string, unknown> }
    return open(at, io).query({ sql: 'select count(*) as users from users' }, limits)
  }

  const AWS = { AWS_ACCESS_KEY_ID: 'AKIAREADER', AWS_SECRET_ACCESS_KEY: MARKER }
  const rds = (of = certificate) =>
    start((user, token, port) => {
      const keys = { AKIAREADER: { secret: MARKER } }
      const fault = rdsTokenFault(token, user, {
        host: `localhost:${port}`,
        region: 'eu-west-1',
        keys,
      })
      return fault === undefined
    }, of)

  it('accepts a valid RDS token, which is sent with each login', async () => {
    const server = await rds()
    const at = server.url('auth=rds-iam&region=eu-west-1')
    expect((await count(at, AWS)).rows).toEqual([[2]])
    await count(at, AWS)
    expect(server.shown).toHaveLength(2)
    expect(server.shown.join()).not.toContain(MARKER)
  })

  test.skipIf(!there || name !== 'postgres')(
    'receives one token for a pooled connection, and another for a new connection',
    async () => {
      const server = await rds()
      const machine = testMachine()
      const at = `${server.url('auth=rds-iam&region=eu-west-1')}&sslrootcert=${certificate!.path}`
      const io = { fetch, bindings: AWS, machine }
      const database = await locate(at, io).open()
      const ask = () => database.query({ sql: 'select count(*) from users' }, limits)
      for (let i = 0; i < 3; i++) expect((await ask()).rows).toEqual([[2]])
      expect(server.shown).toHaveLength(1)
      const sql = 'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1'
      await postgres!.admin(sql, [postgres!.reader])
      expect((await ask()).rows).toEqual([[2]])
      expect(server.shown).toHaveLength(2)
      const untrusted = `${server.url('auth=rds-iam&region=eu-west-1')}&sslrootcert=${stranger!.path}`
      const asked = (await locate(untrusted, io).open()).query({ sql: 'select 1' }, limits)
      expect((await failure(asked)).hint).toContain('sslrootcert')
      await machine.close()
    },
  )

  it.each([
    ['another secret', { ...AWS, AWS_SECRET_ACCESS_KEY: `not ${MARKER}` }, 'eu-west-1'],
    ['another region', AWS, 'eu-west-2'],
    ['a session token', { ...AWS, AWS_SESSION_TOKEN: MARKER }, 'eu-west-1'],
  ])('refuses %s with a hint for the operator', async (_, secrets, region) => {
    const server = await rds()
    const error = await failure(count(server.url(`auth=rds-iam&region=${region}`), secrets))
    expect(server.shown).toHaveLength(1)
    expect(error).toMatchObject({
      kind: 'auth',
      message: 'The database refused the RDS IAM token for the user of this endpoint.',
      hint: expect.stringContaining('rds-db:connect'),
    })
  })

  it('gets a token for its own port if the URL has several hosts', async () => {
    const server = await rds()
    const at = server.url('auth=rds-iam&region=eu-west-1').replace('@', '@localhost:1,')
    expect((await count(at, AWS)).rows).toEqual([[2]])
  })

  it('receives no token if its certificate cannot be trusted', async () => {
    const server = await rds(stranger)
    const error = await failure(count(server.url('auth=rds-iam&region=eu-west-1'), AWS))
    expect(error).toMatchObject({
      kind: 'config',
      message: expect.stringMatching(/^The database certificate/),
      hint: expect.stringContaining('does not support IAM logins'),
    })
    expect(server.shown).toEqual([])
  })

  it('receives no token if it does not support TLS', async () => {
    const server = await start(() => true, 'none')
    const error = await failure(count(server.url('auth=rds-iam&region=eu-west-1'), AWS))
    expect(error).toMatchObject({
      message: 'The database does not support TLS.',
      hint: expect.stringMatching(/^A token is sent only over TLS, so none was sent\./),
    })
    expect(server.shown).toEqual([])
  })

  it.each(plain)('cannot be opened with %s', (mode) => {
    const at = `${url(1)}?auth=rds-iam&region=eu-west-1&${mode}`
    expect(() => open(at, { fetch, bindings: AWS })).toThrow(/must be encrypted/)
  })

  const account = serviceAccount({ token_uri: 'https://collector.example/' })
  const google = googleTokens([account])
  const GOOGLE = { GOOGLE_SERVICE_ACCOUNT_KEY: account.file, GOOGLE_IAM_HOSTS: 'localhost' }

  it('accepts a Google token for Cloud SQL, which is reused', async () => {
    const scope = 'https://www.googleapis.com/auth/sqlservice.login'
    const server = await start((_, token) => google.gave(token, account.email, scope))
    const at = server.url('auth=cloudsql-iam')
    expect((await count(at, GOOGLE, google.fetch)).rows).toEqual([[2]])
    await count(at, GOOGLE, google.fetch)
    expect(google.answers).toEqual(['200 '])
    expect(new Set(server.shown).size).toBe(1)
  })

  it('does not wait for Google beyond the time limit of the call', async () => {
    const silent = ((_, init) =>
      new Promise((_resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason))
      })) as typeof fetch
    const server = await start(() => false)
    const secrets = { ...GOOGLE, GOOGLE_SERVICE_ACCOUNT_KEY: serviceAccount().file }
    const io = { fetch: silent, bindings: secrets }
    const asked = open(server.url('auth=cloudsql-iam'), io).query(
      { sql: 'select 1' },
      { ...limits, timeoutMs: 300 },
    )
    expect((await failure(asked)).kind).toMatch(/network|timeout/)
    expect(server.shown).toEqual([])
  })

  it('refuses a Google token for another service', async () => {
    const scope = 'https://www.googleapis.com/auth/sqlservice.login'
    const server = await start((_, token) => google.gave(token, account.email, scope))
    const error = await failure(count(server.url('auth=alloydb-iam'), GOOGLE, google.fetch))
    expect(error).toMatchObject({
      kind: 'auth',
      message: 'The database refused the AlloyDB IAM token for the user of this endpoint.',
      hint: expect.stringContaining('without .gserviceaccount.com'),
    })
  })
})

test.skipIf(!mariadb || !certificate)(
  'a MySQL server that requests the password in cleartext gets none, with or without TLS',
  async () => {
    for (const [of, mode] of [
      [certificate, 'REQUIRED'],
      [undefined, 'DISABLED'],
    ] as const) {
      const shown: string[] = []
      const server = await startTcp((socket) =>
        mysqlByToken(socket, of, mariadb!.port, (_, password) => shown.push(password) > 0),
      )
      servers.push(server)
      const { reader, database } = mariadb!
      const at = `mysql://${reader}:${MARKER}@localhost:${server.port}/${database}?ssl-mode=${mode}`
      const asked = open(at, { fetch, bindings: {} }).query({ sql: 'select 1' }, limits)
      const error = await failure(asked)
      expect(error).toMatchObject({ kind: 'auth', hint: expect.stringContaining('auth=rds-iam') })
      expect(shown).toEqual([])
    }
  },
)

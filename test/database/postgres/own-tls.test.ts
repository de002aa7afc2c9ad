import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import type { Machine } from '../../../src/database/machine.ts'
import type { Limits } from '../../../src/database/rows.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startEmbeddedPostgres } from '../../support/embedded-postgres.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const home = mkdtempSync(join(tmpdir(), 'tidegate-tls-'))
chmodSync(home, 0o777)
afterAll(() => rmSync(home, { recursive: true, force: true }))
const at = (name: string) => join(home, name)
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: home, stdio: 'pipe' })
const NEW = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-days', '2']

function makeAuthority(name: string) {
  const out = ['-keyout', `${name}.key`, '-out', `${name}.pem`]
  openssl('req', '-x509', ...NEW, '-nodes', '-subj', `/CN=${name}`, ...out)
  writeFileSync(
    at(`${name}.cnf`),
    `[ca]\ndefault_ca=it\n[it]\ndatabase=${at(`${name}.txt`)}\ndefault_md=sha256\ndefault_crl_days=2\n`,
  )
  writeFileSync(at(`${name}.txt`), '')
}

/** A certificate signed by the CA `ours`, for a host or a user. */
function make(name: string, subject: string, lock: readonly string[] = ['-nodes']) {
  const names = ['-addext', `subjectAltName=DNS:${subject}`]
  const by = ['-CA', 'ours.pem', '-CAkey', 'ours.key']
  const out = ['-keyout', `${name}.key`, '-out', `${name}.crt`]
  openssl('req', '-x509', ...NEW, ...lock, '-subj', `/CN=${subject}`, ...names, ...by, ...out)
  chmodSync(at(`${name}.key`), 0o600)
}

function makeList(name: string, ...revoked: string[]) {
  const how = ['ca', '-config', 'ours.cnf', '-cert', 'ours.pem', '-keyfile', 'ours.key']
  for (const it of revoked) openssl(...how, '-revoke', `${it}.crt`)
  openssl(...how, '-gencrl', '-out', name)
}

const HBA = `
local all all trust
host all postgres 127.0.0.1/32 trust
hostssl all certified 127.0.0.1/32 cert
hostssl all known 127.0.0.1/32 scram-sha-256
hostssl all hashed 127.0.0.1/32 password
`

async function start(name: string) {
  const files = {
    'server.key': readFileSync(at(`${name}.key`), 'utf8'),
    'server.crt': readFileSync(at(`${name}.crt`), 'utf8'),
    'root.crt': readFileSync(at('ours.pem'), 'utf8'),
    'pg_hba.conf': HBA,
  }
  const socket = at(`socket-${name}`)
  mkdirSync(socket)
  chmodSync(socket, 0o777)
  const settings = ['ssl=on', 'ssl_ca_file=root.crt', `unix_socket_directories=${socket}`]
  const { port, stop } = await startEmbeddedPostgres(files, settings)
  afterAll(stop)
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres' })
  await client.connect()
  for (const user of ['certified', 'known', 'hashed']) {
    await client.query(`create role ${user} login password '${MARKER}'`)
  }
  await client.end()
  return { port, socket }
}

describe.skipIf(!makeCertificate())('TLS with local files', async () => {
  for (const name of ['ours', 'theirs']) makeAuthority(name)
  make('right', 'localhost')
  make('wrong', 'db.example.com')
  make('client', 'certified')
  make('locked', 'certified', ['-passout', `pass:${MARKER}`])
  make('stranger', 'nobody')
  makeList('none.crl')
  makeList('revoked.crl', 'right')
  const right = await start('right')
  const wrong = await start('wrong')

  const ask = async (url: string, more: Partial<Machine> = {}) => {
    const machine = testMachine(more)
    try {
      const database = await openOn(machine, url)
      const sql = 'select ssl, version from pg_stat_ssl where pid = pg_backend_pid()'
      return (await database.query({ sql }, limits)).rows[0]
    } finally {
      await machine.close()
    }
  }
  const url = (user: string, params: string, { port } = right) =>
    `postgres://${user}:${MARKER}@localhost:${port}/postgres?${params}`
  const ca = `sslrootcert=${at('ours.pem')}`
  const shown = (name: string) => `sslcert=${at(`${name}.crt`)}&sslkey=${at(`${name}.key`)}`
  const encrypted = [true, 'TLSv1.3']

  test.each(['sslmode=require', 'sslmode=prefer', 'sslmode=verify-ca', 'sslmode=verify-full', ''])(
    'trusts only the CA in the URL: %s',
    async (mode) => {
      const by = (params: string) => ask(url('postgres', `${mode}&${params}`))
      expect(await by(ca)).toEqual(encrypted)
      const theirs = await failure(by(`sslrootcert=${at('theirs.pem')}`))
      expect(theirs.message).toBe('The database certificate cannot be trusted.')
      if (mode) expect((await failure(by(''))).kind).toBe('config')
    },
  )

  test('skips the host name check only for verify-ca with a CA in the URL', async () => {
    const to = (params: string) => ask(url('postgres', params, wrong))
    expect(await to(`sslmode=verify-ca&${ca}`)).toEqual(encrypted)
    for (const mode of ['require', 'verify-full', 'prefer']) {
      const error = await failure(to(`sslmode=${mode}&${ca}`))
      expect([mode, error.message]).toEqual([mode, 'The database certificate is not for its host.'])
    }
    expect((await failure(to('sslmode=verify-ca'))).message).toContain('cannot be trusted')
  })

  test('uses the files in ~/.postgresql', async () => {
    const user = at('user')
    mkdirSync(join(user, '.postgresql'), { recursive: true })
    const put = (from: string, to: string, mode = 0o600) =>
      writeFileSync(join(user, '.postgresql', to), readFileSync(at(from)), { mode })
    put('ours.pem', 'root.crt')
    const by = () => ask(url('certified', 'sslmode=require'), { home: user })
    expect((await failure(by())).kind).toBe('auth')
    put('client.crt', 'postgresql.crt')
    put('client.key', 'postgresql.key')
    expect(await by()).toEqual(encrypted)
    put('revoked.crl', 'root.crl')
    expect((await failure(by())).message).toBe('The database certificate has been revoked.')
  })

  test('sends the client certificate in the URL', async () => {
    const by = (params: string) => ask(url('certified', `${ca}&${params}`))
    expect(await by(shown('client'))).toEqual(encrypted)
    expect(await by(`${shown('locked')}&sslpassword=${MARKER}`)).toEqual(encrypted)
    expect((await failure(by(`${shown('client')}&sslcertmode=disable`))).kind).toBe('auth')
    expect((await failure(by(shown('stranger')))).kind).toBe('auth')
    for (const params of [
      shown('locked'),
      `${shown('locked')}&sslpassword=wrong`,
      `sslcert=${at('client.crt')}&sslkey=${at('stranger.key')}`,
    ]) {
      expect((await failure(by(params))).message).toContain('cannot be used')
    }
  })

  test('refuses a key that others can read, and files without a key or certificate', async () => {
    const by = (params: string) => failure(ask(url('certified', `${ca}&${params}`)))
    writeFileSync(at('open.key'), readFileSync(at('client.key')), { mode: 0o644 })
    const open = await by(`sslcert=${at('client.crt')}&sslkey=${at('open.key')}`)
    expect(open.message).toContain(`Other users can read the file ${at('open.key')}`)
    const none = await by(`sslcert=${at('client.crt')}&sslkey=${at('nothing.key')}`)
    expect(none.message).toContain(`The file ${at('nothing.key')} cannot be read`)
    const certificate = await by(`sslcert=${at('client.key')}&sslkey=${at('client.key')}`)
    expect(certificate.message).toContain('does not contain a PEM certificate')
    const root = await by(`sslrootcert=${at('ours.key')}`)
    expect(root.message).toContain('does not contain a PEM certificate')
  })

  test('checks the list of revoked certificates', async () => {
    const by = (list: string) => ask(url('postgres', `${ca}&sslcrl=${at(list)}`))
    expect(await by('none.crl')).toEqual(encrypted)
    expect((await failure(by('revoked.crl'))).message).toContain('has been revoked')
  })

  test('uses the TLS versions in the URL', async () => {
    const by = (params: string) => ask(url('postgres', `${ca}&${params}`))
    expect(await by('ssl_max_protocol_version=TLSv1.2')).toEqual([true, 'TLSv1.2'])
    expect(await by('ssl_min_protocol_version=TLSv1.3')).toEqual(encrypted)
  })

  test('supports sslnegotiation=direct', async () => {
    expect(await ask(url('postgres', `${ca}&sslnegotiation=direct`))).toEqual(encrypted)
  })

  test('refuses a login without channel binding if the URL requires it', async () => {
    const by = (user: string) => ask(url(user, `${ca}&channel_binding=require`))
    expect(await by('known')).toEqual(encrypted)
    for (const user of ['hashed', 'postgres']) {
      const error = await failure(by(user))
      expect(error.message).toBe('The database does not bind the login to its certificate.')
    }
    expect(await ask(url('hashed', ca))).toEqual(encrypted)
  })

  test('is not used on a Unix socket', async () => {
    const { port, socket } = right
    const params = `host=${socket}&port=${port}&sslmode=require`
    expect(await ask(`postgres://postgres@/postgres?${params}`)).toEqual([false, null])
    const host = encodeURIComponent(socket)
    expect(await ask(`postgres://postgres@${host}:${port}/postgres`)).toEqual([false, null])
    const variables = { PGHOST: socket, PGPORT: String(port), PGUSER: 'postgres' }
    expect(await ask('postgres:', { variables })).toEqual([false, null])
  })

  test('works through a tunnel for queries and cancel requests', async () => {
    const dialled: string[] = []
    const dial: Machine['dial'] = async (host, port) => {
      dialled.push(`${host}:${port}`)
      return connect(right.port, '127.0.0.1')
    }
    const machine = testMachine({ dial })
    const open = (name: string) =>
      openOn(machine, `postgres://postgres@${name}:1/postgres?sslmode=verify-full&${ca}`)
    const database = await open('localhost')
    const query = (sql: string, signal?: AbortSignal) =>
      database.query({ sql }, { ...limits, signal })
    expect((await query('select 1')).rows).toEqual([[1]])
    expect((await query('select 2')).rows).toEqual([[2]])
    expect(dialled).toEqual(['localhost:1'])
    const long = 'select count(*) from generate_series(1, 1000000000)'
    await failure(query(long, AbortSignal.timeout(300)))
    const running =
      "select count(*) from pg_stat_activity where query like '%1000000000%' and pid <> pg_backend_pid()  and state = 'active'"
    await expect.poll(async () => (await query(running)).rows).toEqual([[0]])
    expect(dialled.length).toBeGreaterThanOrEqual(3)
    const other = await open('elsewhere.example.com')
    const error = await failure(other.query({ sql: 'select 1' }, limits))
    expect(error.message).toContain('is not for its host')
    await machine.close()
  })
})

import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { greetEncrypted } from '../servers/faulty.ts'
import { encrypt, startTcp } from '../servers/tcp.ts'
import { makeCertificate, makeSignedCertificate } from '../support/certificate.ts'
import { startMariaDb, type TestMariaDb } from '../support/mariadb.ts'
import { onNode } from '../support/node-worker.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

interface Shown {
  readonly kind: string
  readonly sentence: string
  readonly steps: readonly { readonly say: string; readonly command?: string }[]
}

const PASSWORD = 'Planted-Passw0rd'

let worker: RunningWorker
let postgres: TestPostgres | undefined
let mariadb: TestMariaDb | undefined

beforeAll(async () => {
  postgres = await startPostgres('create table items (id int)')
  mariadb = await startMariaDb('create table items (id int)')
  worker = await startWorker({ ...operated, PRIVATE_HOSTS: '127.0.0.1,localhost' })
}, 120_000)
afterAll(async () => {
  await worker.close()
  await postgres?.drop()
  await mariadb?.drop()
})

/** What mends an endpoint with this URL, as its test says. */
async function mendOf(url: string): Promise<Shown | undefined> {
  const databases = { main: { url } }
  const entry = { name: 'shop', title: 'Shop', active: false, databases }
  await askApi(worker, 'DELETE', '/api/endpoints/shop')
  const made = await askApi(worker, 'POST', '/api/endpoints', entry)
  expect(made.status, made.text).toBe(201)
  const { text, json } = await askApi(worker, 'POST', '/api/endpoints/shop/test')
  expect(text).not.toContain(PASSWORD)
  expect(json.databases[0].problem === undefined).toBe(json.databases[0].mend === undefined)
  return json.databases[0].mend
}

const commands = ({ steps }: Shown) => steps.map(({ command = '' }) => command).join('\n')

/** Fits what answers anything that is sent to it. */
async function answering(reply: string): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, close: () => server.close() }
}

// On Node it says other things: test/node/sentences.test.ts, and mend-of.test.ts.
describe('the mend of a test', () => {
  test('is not there for a database that answers', async ({ skip }) => {
    if (!postgres) return skip()
    expect(await mendOf(postgres.tcp(postgres.reader))).toBeUndefined()
  })

  test('is about the login where that is refused', async ({ skip }) => {
    if (!mariadb) return skip()
    const url = new URL(mariadb.url(mariadb.reader))
    url.password = PASSWORD
    const mend = await mendOf(url.href)
    expect(mend).toMatchObject({ kind: 'login', sentence: expect.stringContaining('MySQL') })
    expect(commands(mend!)).toContain('mysql -h 127.0.0.1 -P')
    expect(commands(mend!)).toContain('npx tidegate credential set shop main')
  })

  test.skipIf(onNode)('is about the secret that a login with a token lacks', async ({ skip }) => {
    if (!postgres) return skip()
    const mend = await mendOf(`${postgres.tcp(postgres.reader)}?auth=rds-iam&region=eu-west-1`)
    expect(mend).toMatchObject({ kind: 'setup' })
    expect(commands(mend!)).toBe('npx wrangler secret put AWS_ACCESS_KEY_ID')
  })

  test('is about the name of a database that is not there', async ({ skip }) => {
    if (!postgres || !mariadb) return skip()
    const gone = new URL(postgres.tcp(postgres.reader))
    gone.pathname = '/no_such_database'
    expect(await mendOf(gone.href)).toMatchObject({ kind: 'database' })
    const other = new URL(mariadb.url(mariadb.owner))
    other.pathname = '/no_such_database'
    expect(await mendOf(other.href)).toMatchObject({ kind: 'database' })
  })

  test('is about the way there where nothing answers', async () => {
    for (const [scheme, port] of [
      ['postgres', 1],
      ['mysql', 1],
      ['clickhouse', 1],
      ['libsql', 1],
      ['rqlite', 1],
    ]) {
      const path = scheme === 'rqlite' ? '' : '/shop'
      const mend = await mendOf(`${scheme}://reader:${PASSWORD}@127.0.0.1:${port}${path}`)
      expect(mend, `${scheme}`).toMatchObject({ kind: 'unreachable' })
      expect(mend!.sentence).toContain('127.0.0.1, port 1')
      expect(commands(mend!)).toContain('nc -vz 127.0.0.1 1')
    }
  })

  test('is about encryption where the server has none', async () => {
    const server = await answering('N')
    const url = `postgres://reader:${PASSWORD}@127.0.0.1:${server.port}/shop?sslmode=require`
    const mend = await mendOf(url)
    server.close()
    expect(mend).toMatchObject({ kind: 'no_tls' })
  })

  test.skipIf(onNode)(
    'is about the certificate where it cannot be trusted, with the commands for Hyperdrive',
    async () => {
      const server = await answering('S')
      const url = `postgres://reader:${PASSWORD}@127.0.0.1:${server.port}/shop?sslmode=require`
      const mend = await mendOf(url)
      server.close()
      expect(mend).toMatchObject({ kind: 'certificate' })
      expect(commands(mend!)).toContain('npx wrangler cert upload certificate-authority')
      expect(commands(mend!)).toContain('--ca-certificate-id ID')
    },
  )

  test.skipIf(onNode)(
    'names who signed a certificate, and what is wrong with it',
    async ({ skip }) => {
      if (!makeCertificate()) return skip()
      const of = makeSignedCertificate('/O=Supabase Inc/CN=Supabase Root 2021 CA')
      const behind = await startTcp(() => {})
      const secure = await startTcp((socket) => encrypt(socket, of, behind.port))
      const mysql = await startTcp((socket) => greetEncrypted(socket, of))
      const at = (scheme: string, host: string, { port }: { port: number }) =>
        mendOf(
          `${scheme}://reader:${PASSWORD}@${host}:${port}/shop?${scheme === 'mysql' ? 'ssl-mode=REQUIRED' : 'sslmode=require'}`,
        )
      const unknown = await at('postgres', 'localhost', secure)
      expect(unknown!.sentence).toContain(
        'was signed by Supabase Root 2021 CA (Supabase Inc), and no',
      )
      expect(commands(unknown!)).toContain('--sslmode verify-full --ca-certificate-id ID')
      expect(unknown!.steps[0]!.say).toContain('under SSL Configuration')
      const other = await at('mysql', '127.0.0.1', mysql)
      expect(other!.sentence).toContain('is for localhost, *.db.example.com, and not for 127.0.0.1')
      expect(commands(other!)).toContain('--sslmode VERIFY_CA --ca-certificate-id ID')
      await askApi(worker, 'PATCH', '/api/endpoints/shop', { active: true })
      const { text } = await askApi(worker, 'GET', '/doctor/shop')
      expect(text).toContain(
        'is not for the host of its URL. It was signed by Supabase Root 2021 CA',
      )
      expect(text).not.toMatch(/127\.0\.0\.1|db\.example/)
      await Promise.all([secure.close(), mysql.close(), behind.close()])
    },
  )

  test.skipIf(onNode)('is about the binding that is missing', async () => {
    const d1 = await mendOf('d1:NOWHERE')
    expect(d1).toMatchObject({ kind: 'setup' })
    expect(commands(d1!)).toContain('binding = "NOWHERE"')
    const hyperdrive = await mendOf('hyperdrive:NOWHERE')
    expect(commands(hyperdrive!)).toContain('npx wrangler hyperdrive list')
  })
})

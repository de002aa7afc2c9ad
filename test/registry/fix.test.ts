import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMariaDb, type TestMariaDb } from '../support/mariadb.ts'
import { onNode } from '../support/node-worker.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

interface Shown {
  readonly kind: string
  readonly sentence: string
  readonly steps: readonly { readonly message: string; readonly command?: string }[]
}

const PASSWORD = 'Planted-Passw0rd'

let worker: RunningWorker
let postgres: TestPostgres | undefined
let mariadb: TestMariaDb | undefined

beforeAll(async () => {
  postgres = await startPostgres('create table items (id int)')
  mariadb = await startMariaDb('create table items (id int)')
  const secrets = {
    SHOP_URL: mariadb ? withoutLogin(mariadb) : '',
    OF_MYSQL: `mysql://reader:${PASSWORD}@127.0.0.1:1/shop`,
    OF_CLICKHOUSE: `clickhouse://reader:${PASSWORD}@127.0.0.1:1/shop`,
    OF_HYPERDRIVE: 'hyperdrive:NOT_BOUND',
  }
  worker = await startWorker({
    ...{ ...operated, ...secrets, DATABASE_SECRETS: Object.keys(secrets).join() },
    PRIVATE_HOSTS: '127.0.0.1,localhost',
  })
}, 120_000)
afterAll(async () => {
  await worker.close()
  await postgres?.drop()
  await mariadb?.drop()
})

/** Returns the fix that the test of an endpoint with this URL suggests. */
async function fixOf(url: string): Promise<Shown | undefined> {
  const databases = { main: { url } }
  const entry = { name: 'shop', title: 'Shop', active: false, databases }
  await askApi(worker, 'DELETE', '/api/endpoints/shop')
  const made = await askApi(worker, 'POST', '/api/endpoints', entry)
  expect(made.status, made.text).toBe(201)
  const { text, json } = await askApi(worker, 'POST', '/api/endpoints/shop/test')
  expect(text).not.toContain(PASSWORD)
  expect(json.databases[0].problem === undefined).toBe(json.databases[0].fix === undefined)
  return json.databases[0].fix
}

/** A database's URL with a password that is refused. */
function withoutLogin(database: TestMariaDb): string {
  const url = new URL(database.url(database.reader))
  url.password = PASSWORD
  return url.href
}

const commands = ({ steps }: Shown) => steps.map(({ command = '' }) => command).join('\n')

/** Starts a server that answers anything with this reply. */
async function answering(reply: string): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, close: () => server.close() }
}

// On Node, fixes differ. See test/node/sentences.test.ts and fix-of.test.ts.
describe('the fix in a test result', () => {
  test('is missing for a database that responds', async ({ skip }) => {
    if (!postgres) return skip()
    expect(await fixOf(postgres.tcp(postgres.reader))).toBeUndefined()
  })

  test('is about the login if the login is refused', async ({ skip }) => {
    if (!mariadb) return skip()
    const refused = { kind: 'login', sentence: expect.stringContaining('MySQL') }
    expect(await fixOf('secret:SHOP_URL')).toMatchObject(refused)
    const fix = await fixOf(withoutLogin(mariadb))
    expect(fix).toMatchObject(refused)
    expect(commands(fix!)).toContain('mysql -h 127.0.0.1 -P')
    expect(commands(fix!)).toContain('npx tidegate credential set shop main')
  })

  test.each([
    ['OF_MYSQL', 'MySQL'],
    ['OF_CLICKHOUSE', 'ClickHouse'],
  ])('is for the engine whose URL the secret %s contains', async (secret, title) => {
    const { sentence, kind } = (await fixOf(`secret:${secret}`))!
    expect(kind).toBe('unreachable')
    expect(sentence).toContain(`Nothing answers for ${title}`)
    const staged = await fetch(`${worker.url}/api/endpoints/shop/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, accept: 'application/x-ndjson' },
    })
    expect(await staged.text()).toContain(sentence)
  })

  test('is about the binding in a secret, and not about the secret', async () => {
    const { sentence } = (await fixOf('secret:OF_HYPERDRIVE'))!
    expect(sentence).toMatch(
      onNode ? /^Hyperdrive is bound to Workers/ : /has no Hyperdrive bound as NOT_BOUND\.$/,
    )
  })

  test.skipIf(onNode)('is about the missing secret of a token login', async ({ skip }) => {
    if (!postgres) return skip()
    const fix = await fixOf(`${postgres.tcp(postgres.reader)}?auth=rds-iam&region=eu-west-1`)
    expect(fix).toMatchObject({ kind: 'setup' })
    expect(commands(fix!)).toBe('npx wrangler secret put AWS_ACCESS_KEY_ID')
  })

  test('is about the database name if the database does not exist', async ({ skip }) => {
    if (!postgres || !mariadb) return skip()
    const gone = new URL(postgres.tcp(postgres.reader))
    gone.pathname = '/no_such_database'
    expect(await fixOf(gone.href)).toMatchObject({ kind: 'database' })
    const other = new URL(mariadb.url(mariadb.owner))
    other.pathname = '/no_such_database'
    expect(await fixOf(other.href)).toMatchObject({ kind: 'database' })
  })

  test('is about the connection if nothing responds', async () => {
    for (const [scheme, port] of [
      ['postgres', 1],
      ['mysql', 1],
      ['clickhouse', 1],
      ['libsql', 1],
      ['rqlite', 1],
    ]) {
      const path = scheme === 'rqlite' ? '' : '/shop'
      const fix = await fixOf(`${scheme}://reader:${PASSWORD}@127.0.0.1:${port}${path}`)
      expect(fix, `${scheme}`).toMatchObject({ kind: 'unreachable' })
      expect(fix!.sentence).toContain('127.0.0.1, port 1')
      expect(commands(fix!)).toContain('nc -vz 127.0.0.1 1')
    }
  })

  test('is about encryption if the server has no encryption', async () => {
    const server = await answering('N')
    const url = `postgres://reader:${PASSWORD}@127.0.0.1:${server.port}/shop?sslmode=require`
    const fix = await fixOf(url)
    server.close()
    expect(fix).toMatchObject({ kind: 'no_tls' })
  })

  test.skipIf(onNode)(
    'is about the certificate if it is not trusted, with the commands for Hyperdrive',
    async () => {
      const server = await answering('S')
      const url = `postgres://reader:${PASSWORD}@127.0.0.1:${server.port}/shop?sslmode=require`
      const fix = await fixOf(url)
      server.close()
      expect(fix).toMatchObject({ kind: 'certificate' })
      expect(commands(fix!)).toContain('npx wrangler cert upload certificate-authority')
      expect(commands(fix!)).toContain('--ca-certificate-id ID')
    },
  )

  test.skipIf(onNode)('is about a missing binding', async () => {
    const d1 = await fixOf('d1:NOWHERE')
    expect(d1).toMatchObject({ kind: 'setup' })
    expect(commands(d1!)).toContain('binding = "NOWHERE"')
    const hyperdrive = await fixOf('hyperdrive:NOWHERE')
    expect(commands(hyperdrive!)).toContain('npx wrangler hyperdrive list')
  })
})

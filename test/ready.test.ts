import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { credentialKeys } from '../src/registry/keys/credential-keys.ts'
import { type PlainWorker, startPlainWorker } from './support/plain-worker.ts'
import { OPERATOR_KEY, operated, SECRET } from './support/registry-api.ts'
import { REGISTRY_WORKER, rowsOf } from './support/registry-rows.ts'

const DAMAGED_WORKER = '../../test/support/damaged-worker.ts'
const MARKER = 'planted-in-the-registry'

interface Answer {
  readonly status: number
  readonly body: string
  readonly head: string
}

const ask = (worker: PlainWorker, path: string, key?: string): Promise<Answer> => {
  const shown = key === undefined ? [] : [`Authorization: Bearer ${key}`]
  return worker.send([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${worker.port}`, ...shown])
}

/** Stores an endpoint whose credential is encrypted with this secret. */
async function store(worker: PlainWorker, name: string, secret: string) {
  const keys = credentialKeys({ TIDEGATE_SECRET: secret })
  const sealed = await keys.seal(`postgres://reader:${MARKER}@127.0.0.1:9/x`, `${name}/main`)
  const credential = { id: `c${name}`, endpoint: name, database: 'main', scheme: 'postgres' }
  const credentials = { [credential.id]: { ...credential, host: '127.0.0.1', setAt: 1, sealed } }
  const databases = { main: { url: `credential:${credential.id}` } }
  await rowsOf(worker).endpoint(name, { credentials, databases } as never)
}

describe('a deployment that can read its stored state', () => {
  let worker: PlainWorker
  beforeAll(async () => {
    worker = await startPlainWorker(operated, REGISTRY_WORKER)
  })
  afterAll(() => worker.stop())

  test('tells anyone that it is ready, without caching', async () => {
    const { status, body, head } = await ask(worker, '/ready')
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'ready' }])
    expect(head).toMatch(/cache-control: no-store/i)
    const admin = await ask(worker, '/ready', OPERATOR_KEY)
    expect([admin.status, JSON.parse(admin.body)]).toEqual([200, { status: 'ready', problems: [] }])
  })

  test('reports on its databases only to the operator', async () => {
    expect((await ask(worker, '/ready?databases')).status).toBe(401)
    expect((await ask(worker, '/ready?databases', 'another')).status).toBe(401)
    const { status, body } = await ask(worker, '/ready?databases', OPERATOR_KEY)
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'ready', problems: [] }])
  })
})

test('the operator sees that a database does not answer, without its password', async () => {
  const DATABASE_URL = `postgres://reader:${MARKER}@127.0.0.1:9/shop`
  const worker = await startPlainWorker({ ...operated, DATABASE_URL })
  expect((await ask(worker, '/ready')).status).toBe(200)
  const { status, body } = await ask(worker, '/ready?databases', OPERATOR_KEY)
  expect([status, JSON.parse(body)]).toEqual([
    503,
    { status: 'not_ready', problems: [expect.stringMatching(/^\w+\/\w+: /)] },
  ])
  expect(body).not.toContain(MARKER)
  await worker.stop()
})

test('a deployment with an unreadable configuration is not ready', async () => {
  const worker = await startPlainWorker({ ...operated, ENDPOINTS: '[{"name":"X"}]' })
  const { status, body } = await ask(worker, '/ready')
  expect([status, JSON.parse(body)]).toEqual([503, { status: 'not_ready' }])
  expect((await ask(worker, '/ready', OPERATOR_KEY)).body).toContain('ENDPOINTS is not valid')
  await worker.stop()
})

test('a deployment with credentials under another secret is not ready, and the doctor says so', async () => {
  const worker = await startPlainWorker(operated, REGISTRY_WORKER)
  await store(worker, 'mine', SECRET)
  expect((await ask(worker, '/ready')).status).toBe(200)
  await worker.stop()
  const other = await startPlainWorker(operated, REGISTRY_WORKER)
  await store(other, 'mine', SECRET)
  await store(other, 'theirs', `${SECRET}another`)
  const { status, body } = await ask(other, '/ready')
  expect([status, JSON.parse(body)]).toEqual([503, { status: 'not_ready' }])
  const sentence = 'stored under another TIDEGATE_SECRET'
  expect((await ask(other, '/ready', OPERATOR_KEY)).body).toContain(sentence)
  const doctor = await ask(other, '/doctor?hosts=no', OPERATOR_KEY)
  expect([doctor.status, doctor.body]).toEqual([503, expect.stringContaining(sentence)])
  expect((await ask(other, '/api/doctor', OPERATOR_KEY)).body).toContain(sentence)
  expect(other.log()).not.toContain(MARKER)
  await other.stop()
})

/** Damage to a registry with an endpoint, a key and a group, and the problem that the operator reads. */
const DAMAGES: readonly (readonly [string, string, RegExp])[] = [
  ['a truncated endpoint', `update endpoints set value = '{"name'`, /damaged \(endpoints\)/],
  ['a truncated key', `update keys set value = '{"id'`, /damaged \(keys\)/],
  ['a truncated group', `update groups set value = ''`, /damaged \(groups\)/],
  ['truncated settings', `insert into settings values ('settings', '{')`, /damaged \(settings\)/],
  ['a table without a column', 'alter table keys rename column value to other', /damaged \(keys\)/],
  ['a newer state version', 'update state_version set version = 2', /written by a newer Tidegate/],
]

test.each(DAMAGES)(
  'a registry with %s is not ready, and the doctor says so',
  async (_, sql, words) => {
    const worker = await startPlainWorker(operated, DAMAGED_WORKER)
    const rows = rowsOf(worker)
    await rows.endpoint('shop')
    await rows.key(['shop'])
    await rows.group('team', { endpoints: { shop: {} } })
    const done = await worker.send(['POST /test/damage HTTP/1.1', 'Host: localhost'], sql)
    expect(done).toMatchObject({ status: 200 })
    const { status, body } = await ask(worker, '/ready')
    expect([status, JSON.parse(body)]).toEqual([503, { status: 'not_ready' }])
    const admin = await ask(worker, '/ready', OPERATOR_KEY)
    expect([admin.status, JSON.parse(admin.body).problems]).toEqual([
      503,
      [expect.stringMatching(words)],
    ])
    // It is still healthy, because a restart would fix nothing.
    expect((await ask(worker, '/health')).status).toBe(200)
    const doctor = await ask(worker, '/doctor?hosts=no', OPERATOR_KEY)
    expect([doctor.status, doctor.body]).toEqual([503, expect.stringMatching(words)])
    expect((await ask(worker, '/api/doctor', OPERATOR_KEY)).body).toMatch(words)
    await worker.stop()
  },
)

test('a damaged key or group does not prevent deleting an endpoint', async () => {
  const worker = await startPlainWorker(operated, DAMAGED_WORKER)
  const rows = rowsOf(worker)
  await rows.endpoint('shop')
  await rows.endpoint('other')
  await rows.key(['shop'])
  await rows.group('team', { endpoints: { shop: {} } })
  const damage = `update keys set value = '{"id'; update groups set value = ''`
  await worker.send(['POST /test/damage HTTP/1.1', 'Host: localhost'], damage)
  const line = 'DELETE /api/endpoints/other HTTP/1.1'
  const key = `Authorization: Bearer ${OPERATOR_KEY}`
  expect(await worker.send([line, 'Host: localhost', key])).toMatchObject({ status: 204 })
  await worker.stop()
})

test('the doctor reads all entries, and finds a damaged one', async () => {
  const worker = await startPlainWorker(operated, DAMAGED_WORKER)
  for (const name of ['a', 'b', 'c']) await rowsOf(worker).endpoint(name)
  const sql = `update endpoints set value = '{"name' where name = 'b'`
  await worker.send(['POST /test/damage HTTP/1.1', 'Host: localhost'], sql)
  const { status, body } = await ask(worker, '/doctor?hosts=no', OPERATOR_KEY)
  expect([status, body]).toEqual([503, expect.stringContaining('damaged (endpoints)')])
  await worker.stop()
})

test('frequent requests check the registry only every five seconds', async () => {
  const worker = await startPlainWorker(operated, DAMAGED_WORKER)
  expect((await ask(worker, '/ready')).status).toBe(200)
  const sql = 'alter table keys rename column value to other'
  await worker.send(['POST /test/damage HTTP/1.1', 'Host: localhost'], sql)
  // The cached answer is still valid, unless the machine is so slow that it has expired.
  const startedAt = Date.now()
  const { status } = await ask(worker, '/ready')
  if (Date.now() - startedAt < 1_000) expect(status).toBe(200)
  await expect.poll(async () => (await ask(worker, '/ready')).status, { timeout: 60_000 }).toBe(503)
  await worker.stop()
})

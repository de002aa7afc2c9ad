import { afterEach, expect, test } from 'vitest'
import { describePostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated, SECRET } from '../support/registry-api.ts'
import { callTool, post, type RunningWorker, startWorker } from '../support/worker.ts'

const NEW_SECRET = 'Nq8Zr3Wk6Ty1Ux5Vb9Cd2Ef4Gh7JmLp0'
const PASSWORD = 'Planted-Passw0rd'
const CLIENT = { name: 'test', version: '1' }

await describePostgres('an export', 'create table orders (id int, city text)', (postgres) => {
  const workers: RunningWorker[] = []
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((it) => it.close()))
  })

  async function start(secrets: Record<string, string> = {}): Promise<RunningWorker> {
    const worker = await startWorker({ ...operated, ...secrets })
    workers.push(worker)
    return worker
  }

  function connection(): string {
    const url = new URL(postgres.tcp(postgres.reader))
    url.password = PASSWORD
    return url.href
  }

  /** Fills a registry with entries of every kind, and a key that a group restricts. */
  async function filled(worker: RunningWorker): Promise<{ key: string; exported: string }> {
    const databases = { main: { url: connection() } }
    await askApi(worker, 'POST', '/api/endpoints', { name: 'zoo', title: 'Zoo', databases })
    await askApi(worker, 'POST', '/api/endpoints', { name: 'abc', title: 'Abc', databases })
    const asked = { label: 'Ada', endpoints: ['zoo', 'abc'], person: 'ada', claims: { team: 7 } }
    const { json: made } = await askApi(worker, 'POST', '/api/keys', asked)
    const group = await askApi(worker, 'POST', '/api/groups', {
      name: 'team',
      people: ['ada'],
      endpoints: { zoo: { databases } },
    })
    expect(group.status).toBe(201)
    await askApi(worker, 'PATCH', '/api/settings', { privateHosts: ['127.0.0.1'] })
    const { text, headers } = await askApi(worker, 'GET', '/api/export')
    expect(headers.get('content-type')).toBe('application/json')
    return { key: made.key, exported: text }
  }

  /** The tables that the key sees with its group's credential, and the operator with the endpoint's credential. */
  async function seen({ url }: RunningWorker, key: string): Promise<string> {
    const tables = await Promise.all(
      [key, OPERATOR_KEY].map((it) =>
        callTool(`${url}/mcp/zoo`, 'list_tables', {}, { authorization: `Bearer ${it}` }),
      ),
    )
    return JSON.stringify(tables.map((it) => it.structuredContent ?? it))
  }

  test('restores everything on a fresh deployment, and contains no plain secret', async () => {
    const first = await start()
    const { key, exported } = await filled(first)
    expect(await seen(first, key)).toMatch(/orders.*orders/)
    for (const secret of [PASSWORD, key, SECRET, OPERATOR_KEY]) {
      expect(exported.includes(secret)).toBe(false)
    }

    // The private hosts that are allowed are restored, too.
    const second = await start({ PRIVATE_HOSTS: '' })
    const restored = await askApi(second, 'POST', '/api/restore?mode=replace', exported)
    expect([restored.status, restored.json]).toEqual([
      200,
      {
        mode: 'replace',
        written: { endpoints: 2, keys: 1, groups: 1 },
        holds: { endpoints: 2, keys: 1, groups: 1, credentials: 3 },
        credentialsToReseal: 0,
      },
    ])
    expect(await seen(second, key)).toMatch(/orders.*orders/)
    // The endpoint at /mcp is the first that was added, not the first by name.
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT }
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const hello = await post(`${second.url}/mcp`, initialize, { 'x-api-key': OPERATOR_KEY })
    expect(hello.json().result.serverInfo.title).toBe('Zoo')

    const { text } = await askApi(second, 'GET', '/api/export')
    const [was, is] = [exported, text].map((it) => JSON.parse(it))
    for (const it of [...is.endpoints, ...is.keys, ...is.groups]) delete it.changedAt
    for (const it of [...was.endpoints, ...was.keys, ...was.groups]) delete it.changedAt
    for (const it of [was, is]) for (const key of it.keys) delete key.usedAt
    expect({ ...is, exportedAt: '' }).toEqual({ ...was, exportedAt: '' })
  })

  test('survives a secret rotation', async () => {
    const { key, exported } = await filled(await start())
    const rotated = await start({
      TIDEGATE_SECRET: NEW_SECRET,
      TIDEGATE_SECRET_PREVIOUS: SECRET,
    })
    await askApi(rotated, 'POST', '/api/restore', exported)
    expect(await seen(rotated, key)).toMatch(/orders.*orders/)
    const { json: before } = await askApi(rotated, 'GET', '/api/status')
    expect(before).toMatchObject({
      credentials: 3,
      credentialsToReseal: 3,
      hasPreviousSecret: true,
    })
    const resealed = await askApi(rotated, 'POST', '/api/credentials/reseal')
    expect(resealed.json).toEqual({ resealed: 3, left: 0, unreadable: [] })
    const { json: after } = await askApi(rotated, 'GET', '/api/status')
    expect(after.credentialsToReseal).toBe(0)
    expect(await seen(rotated, key)).toMatch(/orders.*orders/)

    const { text } = await askApi(rotated, 'GET', '/api/export')
    const last = await start({ TIDEGATE_SECRET: NEW_SECRET })
    await askApi(last, 'POST', '/api/restore', text)
    expect(await seen(last, key)).toMatch(/orders.*orders/)
    // Without the previous secret, the credentials that it sealed are reported as unreadable, but are kept.
    await askApi(last, 'POST', '/api/restore', exported)
    const lost = await askApi(last, 'POST', '/api/credentials/reseal')
    expect(lost.json).toMatchObject({ resealed: 0, left: 0 })
    expect(lost.json.unreadable).toContainEqual({
      endpoint: 'zoo',
      database: 'main',
      group: 'team',
    })
    expect(lost.json.unreadable.length).toBe(3)
  })

  test('is restored completely or not at all, and merged or instead of other entries', async () => {
    const worker = await start()
    const { exported } = await filled(worker)
    const { text: before } = await askApi(worker, 'GET', '/api/export')
    const spoiled: [field: string, spoil: (it: ReturnType<typeof JSON.parse>) => void][] = [
      ['endpoints[0].value.title', (it) => delete it.endpoints[0].value.title],
      ['endpoints[1].name', (it) => (it.endpoints[1].name = 'another')],
      ['endpoints[1]', (it) => (it.endpoints[1].credentials = {})],
      ['endpoints[1]', (it) => (it.endpoints[1] = it.endpoints[0])],
      [
        'endpoints[0]',
        (it) => (it.endpoints[0].value.databases.main.url = 'secret:TIDEGATE_SECRET'),
      ],
      ['keys[0].hash', (it) => (it.keys[0].hash = 'x')],
      ['keys[0].person', (it) => (it.keys[0].person = 'key')],
      ['groups[0]', (it) => (it.groups[0].credentials = it.endpoints[0].credentials)],
      ['groups[0].endpoints.zoo.more', (it) => (it.groups[0].endpoints.zoo.more = 1)],
      // A time that a list cannot show.
      ['endpoints[0].createdAt', (it) => (it.endpoints[0].createdAt = Number.MAX_SAFE_INTEGER)],
      ['keys[0].expiresAt', (it) => (it.keys[0].expiresAt = 8.64e15 + 1)],
      ['format', (it) => (it.format = 'other')],
    ]
    for (const [field, spoil] of spoiled) {
      const value = JSON.parse(exported)
      spoil(value)
      const { status, json } = await askApi(worker, 'POST', '/api/restore?mode=replace', value)
      expect([status, json.error?.field]).toEqual([422, field])
    }
    const { text: after } = await askApi(worker, 'GET', '/api/export')
    const withoutTime = (text: string) => text.replace(/"exportedAt":"[^"]*"/, '')
    expect(withoutTime(after)).toBe(withoutTime(before))

    // Merged with the existing entries, or instead of them.
    const demo = { name: 'later', title: 'Later', databases: { demo: { url: 'demo:' } } }
    await askApi(worker, 'POST', '/api/endpoints', demo)
    await askApi(worker, 'PATCH', '/api/endpoints/zoo', { active: false })
    const { json: merged } = await askApi(worker, 'POST', '/api/restore', exported)
    expect(merged.holds).toEqual({ endpoints: 3, keys: 1, groups: 1, credentials: 3 })
    expect((await askApi(worker, 'GET', '/api/endpoints/zoo')).json.active).toBe(true)
    const { json } = await askApi(worker, 'POST', '/api/restore?mode=replace', exported)
    expect(json.holds).toEqual({ endpoints: 2, keys: 1, groups: 1, credentials: 3 })
  })
})

test('no connection string is accepted without a secret that can seal it', async () => {
  for (const secret of ['', 'a'.repeat(40)]) {
    const worker = await startWorker({ ...operated, TIDEGATE_SECRET: secret })
    const databases = { main: { url: 'postgres://a:b@127.0.0.1/c' } }
    const value = { name: 'shop', title: 'Shop', databases }
    const refused = await askApi(worker, 'POST', '/api/endpoints', value)
    expect([refused.status, refused.json.error.code]).toEqual([503, 'not_ready'])
    expect(refused.json.error.message).toContain('npx wrangler secret put TIDEGATE_SECRET')
    expect(refused.json.error.message).toContain('openssl rand -base64 32')
    expect((await askApi(worker, 'GET', '/api/status')).json.secretProblem).toContain(
      'TIDEGATE_SECRET',
    )
    await worker.close()
  }
})

test('there is no API without an operator', async () => {
  const worker = await startWorker({})
  const { status, json } = await askApi(worker, 'GET', '/api/endpoints')
  expect([status, json.error.code]).toEqual([503, 'not_ready'])
  expect(json.error.message).toContain('npx wrangler secret put TIDEGATE_KEY')
  await worker.close()
})

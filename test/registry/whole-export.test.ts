import { afterAll, beforeAll, expect, test } from 'vitest'
import { askApi, operated } from '../support/registry-api.ts'
import { post, type RunningWorker, startWorker } from '../support/worker.ts'

let worker: RunningWorker
beforeAll(async () => {
  worker = await startWorker(operated)
})
afterAll(() => worker.close())

const make = (name: string) =>
  askApi(worker, 'POST', '/api/endpoints', {
    ...{ name, title: name, access: 'key', databases: { main: { url: 'demo:' } } },
  })

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const statusAt = async (name: string, key: string) =>
  (await post(`${worker.url}/mcp/${name}`, list, { authorization: `Bearer ${key}` })).status

// biome-ignore lint/suspicious/noExplicitAny: the test edits it as a person would
const exportedNow = async (): Promise<any> => (await askApi(worker, 'GET', '/api/export')).json

test('a restored key opens no endpoint that the export does not have', async () => {
  for (const name of ['shop', 'crm']) expect((await make(name)).status).toBe(201)
  const asked = { label: 'Ada', endpoints: ['shop', 'crm'] }
  const { json: made } = await askApi(worker, 'POST', '/api/keys', asked)
  const group = { name: 'team', keys: [made.id], endpoints: { shop: {}, crm: {} } }
  expect((await askApi(worker, 'POST', '/api/groups', group)).status).toBe(201)
  const exported = await exportedNow()
  // An older version could export this, since it read one list after another while others made changes.
  exported.endpoints = exported.endpoints.filter(({ name }: { name: string }) => name === 'crm')
  const { json } = await askApi(worker, 'POST', '/api/restore?mode=replace', exported)
  expect(json).toMatchObject({ namesLeftOut: 2, holds: { endpoints: 1, keys: 1, groups: 1 } })

  expect((await make('shop')).status).toBe(201)
  expect([await statusAt('crm', made.key), await statusAt('shop', made.key)]).toEqual([200, 403])
  const { json: restored } = await askApi(worker, 'GET', '/api/groups/team')
  expect(Object.keys(restored.endpoints)).toEqual(['crm'])
  // When it is merged over a new endpoint with the same name, it does not open that one, either.
  await askApi(worker, 'POST', '/api/restore', { ...exported, settings: {} })
  expect(await statusAt('shop', made.key)).toBe(403)
})

test('other requests are served during a restore, and a fault restores nothing', async () => {
  const exported = await exportedNow()
  const [any] = exported.keys
  exported.keys = Array.from({ length: 20_000 }, (_, i) => ({
    ...any,
    id: String(i).padStart(12, 'K'),
    endpoints: ['crm'],
  }))
  const broken = { ...exported, keys: [...exported.keys.slice(0, -1), { ...any, hash: 'x' }] }
  const refused = await askApi(worker, 'POST', '/api/restore', broken)
  expect([refused.status, refused.json.error.field]).toEqual([422, 'keys[19999].hash'])
  expect(refused.json.error.message).toContain('keys[19999].hash')
  expect((await exportedNow()).keys).toHaveLength(1)

  let isOver = false
  const restoring = askApi(worker, 'POST', '/api/restore?mode=replace', exported).finally(() => {
    isOver = true
  })
  let answered = 0
  while (!isOver) {
    expect((await fetch(`${worker.url}/health`)).status).toBe(200)
    answered++
  }
  expect((await restoring).json.holds).toMatchObject({ keys: 20_000 })
  expect(answered).toBeGreaterThan(20)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../src/registry/api/index.ts'
import { tidegate } from '../support/command-line.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const PASSWORD = 'Planted-Passw0rd'
const url = `postgres://reader:${PASSWORD}@127.0.0.1:5432/postgres?sslmode=disable`
const passphrase = 'a heron waits where slow water turns'

let worker: RunningWorker
beforeAll(async () => {
  worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: passphrase })
})
afterAll(() => worker.close())

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await askApi(worker, method, path, body)
  return { ...answer, ok: answer.status < 300 }
}

interface Change {
  readonly id: number
  readonly time: string
  readonly by: string
  readonly what: string
  readonly endpoint?: string
}

/** The changes recorded after this ID, oldest first. */
async function notedSince(last: number): Promise<readonly Change[]> {
  const { json } = await ask('GET', '/api/changes?limit=200')
  return json.changes.filter((it: Change) => it.id > last).reverse()
}
const lastOne = async () => (await ask('GET', '/api/changes?limit=1')).json.changes[0]?.id ?? 0

test('every change is recorded with its author and description, without secrets', async () => {
  const last = await lastOne()
  const shop = { name: 'shop', title: 'Shop', databases: { main: { url } } }
  const secrets = [PASSWORD, 'reader:']
  const steps: [string, string, unknown?][] = [
    ['POST', '/api/endpoints', shop],
    ['PATCH', '/api/endpoints/shop', { title: 'The shop', caps: { rows: 50 } }],
    ['PATCH', '/api/endpoints/shop', { active: false }],
    ['PATCH', '/api/endpoints/shop', { active: true }],
    ['PUT', '/api/endpoints/shop/databases/main/credential', { url }],
    ['PATCH', '/api/settings', { privateHosts: ['db.internal'] }],
    ['POST', '/api/groups', { name: 'sales', people: ['ada'], endpoints: { demo: {} } }],
    ['PATCH', '/api/groups/sales', { title: 'Sales' }],
    ['DELETE', '/api/groups/sales'],
    ['POST', '/api/credentials/reseal'],
    ['DELETE', '/api/grants?person=ada'],
    ['DELETE', '/api/endpoints/shop'],
  ]
  for (const step of steps) expect([step, (await ask(...step)).ok]).toEqual([step, true])
  const made = await ask('POST', '/api/keys', { label: 'Ada, laptop', endpoints: ['demo'] })
  await ask('PATCH', `/api/keys/${made.json.id}`, { label: 'Ada, desk' })
  await ask('DELETE', `/api/keys/${made.json.id}`)
  const code = await ask('POST', '/api/signin-codes', { person: 'ada@example.com' })
  const { text } = await ask('GET', '/api/export')
  await ask('POST', '/api/restore?mode=replace', text)
  secrets.push(made.json.key, made.json.key.slice(-20), code.json.code)

  const noted = await notedSince(last)
  expect(noted.map((it) => it.what)).toEqual([
    'added endpoint shop',
    'changed endpoint shop: caps, title',
    'switched endpoint shop off',
    'switched endpoint shop on',
    'replaced the URL of database main in endpoint shop',
    'changed the settings: privateHosts',
    'added group sales',
    'changed group sales: title',
    'removed group sales',
    'resealed credentials and sign-ins',
    'revoked all grants of ada',
    'removed endpoint shop',
    'made key Ada, laptop for demo',
    'changed key Ada, laptop: label',
    'revoked key Ada, desk',
    'made a sign-in code for ada@example.com',
    'restored an export: 0 endpoints, 0 keys, 0 groups, and removed the rest',
  ])
  expect(new Set(noted.map((it) => it.by))).toEqual(new Set(['operator']))
  expect(noted.map((it) => it.endpoint).filter(Boolean)).toHaveLength(6)
  for (const secret of secrets) expect(JSON.stringify(noted)).not.toContain(secret)
})

test('refused requests and read requests are not recorded', async () => {
  const last = await lastOne()
  const answers = [
    await ask('POST', '/api/endpoints', { name: 'Not a name', title: '', databases: {} }),
    await ask('DELETE', '/api/endpoints/nothing'),
    await ask('DELETE', '/api/keys/nothing'),
    await ask('DELETE', '/api/grants/gr_aaaaaaaaaaaaaaaa'),
    await ask('PATCH', '/api/settings', { defaultEndpoint: 'nothing' }),
    await ask('POST', '/api/keys', { label: 'x', endpoints: ['nothing'] }),
  ]
  expect(answers.filter(({ ok }) => ok)).toEqual([])
  expect((await ask('POST', '/api/endpoints/demo/test')).ok).toBe(true)
  expect((await ask('GET', '/api/keys')).ok).toBe(true)
  expect(await notedSince(last)).toEqual([])
})

test('the name of an unknown field, which can be a value, is not recorded', async () => {
  const last = await lastOne()
  const at = '/api/endpoints/named'
  const value = { name: 'named', title: 'Named', databases: { main: { url } } }
  expect((await ask('POST', '/api/endpoints', value)).ok).toBe(true)
  expect((await ask('PATCH', at, { title: 'Other', [url]: null })).ok).toBe(true)
  expect((await ask('PATCH', at, {})).ok).toBe(true)
  expect((await ask('DELETE', at)).ok).toBe(true)
  expect((await notedSince(last)).map(({ what }) => what)).toEqual([
    'added endpoint named',
    'changed endpoint named: title',
    'changed endpoint named: no field',
    'removed endpoint named',
  ])
})

test('a label cannot reverse a line or add another line', async () => {
  const last = await lastOne()
  await ask('POST', '/api/keys', { label: 'a\nb\u202ec<b>', endpoints: ['demo'] })
  expect(await notedSince(last)).toMatchObject([{ what: 'made key a b c<b> for demo' }])
})

test('changes can be listed page by page, and for one endpoint', async () => {
  const last = await lastOne()
  for (const name of ['one', 'two']) {
    const databases = { main: { url } }
    expect((await ask('POST', '/api/endpoints', { name, title: name, databases })).ok).toBe(true)
  }
  const first = (await ask('GET', '/api/changes?limit=1')).json
  expect(first.changes).toMatchObject([{ what: 'added endpoint two', endpoint: 'two' }])
  const second = (await ask('GET', `/api/changes?limit=1&cursor=${first.next}`)).json
  expect(second.changes).toMatchObject([{ what: 'added endpoint one' }])
  const own = (await ask('GET', '/api/changes?endpoint=one')).json
  expect(own.changes.filter((it: Change) => it.id > last)).toHaveLength(1)
  expect((await ask('GET', '/api/changes?cursor=x')).status).toBe(422)
})

test('the command line prints changes, newest last', async () => {
  const vars = { TIDEGATE_KEY: operated.TIDEGATE_KEY }
  const run = (...args: string[]) => tidegate(['changes', '--to', worker.url, ...args], { vars })
  expect((await ask('PATCH', '/api/settings', { privateHosts: null })).ok).toBe(true)
  const { stdout } = await run('--last', '2')
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^time \(UTC\) +who +what$/),
    expect.stringMatching(/ operator /),
    expect.stringMatching(
      /^20\d\d-\d\d-\d\d \d\d:\d\d +operator +changed the settings: privateHosts$/,
    ),
  ])
  expect(await run('--last', 'x')).toMatchObject({ code: 2 })
})

test('every route that changes something describes its change', () => {
  const silent = routes.filter(({ method, says }) => method !== 'get' && !says)
  // These routes only read, and change nothing.
  expect(silent.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'post /api/connection-strings/recognise',
    'post /api/endpoints/{name}/preview',
    'post /api/endpoints/{name}/test',
    'post /api/groups/{name}/test',
  ])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Operator, operatorAt } from '../support/operator.ts'
import { describePostgres } from '../support/postgres.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const PASSWORD = 'Planted-Passw0rd'

let worker: RunningWorker
let operator: Operator

beforeAll(async () => {
  worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: 'hunter2' })
  operator = await operatorAt(worker.url)
  for (const endpoint of [
    { name: 'shop', title: HOSTILE, databases: { main: { url: 'demo:' } } },
    {
      name: 'lost',
      title: 'Lost',
      // Nothing listens on this port.
      databases: { main: { url: `postgres://reader:${PASSWORD}@127.0.0.1:9/shop` } },
    },
    { name: 'off', title: 'Off', active: false, databases: { main: { url: 'demo:' } } },
  ]) {
    await askApi(worker, 'POST', '/api/endpoints', endpoint)
  }
})
afterAll(() => worker.close())

test('the Doctor checks the settings, each database, and how apps can connect', async () => {
  const { status, text, words } = await operator.open('/console/doctor')
  expect(status).toBe(200)
  expect(words).toContain('The registry works: 3 endpoints')
  expect(words).toContain('TIDEGATE_KEY is set and long enough')
  expect(words).toContain('TIDEGATE_SECRET is set and long enough')
  // The sign-in is misconfigured.
  expect(words).toContain('TIDEGATE_PASSPHRASE')
  expect(words).toMatch(/SQLite/)
  expect(words).toMatch(/Lost 1 to fix/)
  expect(words).toContain('Off Not checked')
  expect(words).toMatch(/Claude Code: would/)
  expect(words).toContain('How apps connect to /mcp ')
  expect(words).toMatch(/\d+ checks: \d+ to fix/)
  expect(text).not.toContain(HOSTILE)
  for (const it of [PASSWORD, 'hunter2']) expect(text).not.toContain(it)
  expect(text.length).toBeLessThan(100_000)
  expect(text.trimEnd().endsWith('</html>')).toBe(true)
})

test('a key that is too short is not called long enough', async () => {
  const key = 'short-key-of-the-operator'
  const weak = await startWorker({ ...operated, TIDEGATE_KEY: key })
  const its = new Operator(weak.url)
  await its.signIn(key)
  const { words } = await its.open('/console/doctor')
  await weak.close()
  expect(words).toContain('TIDEGATE_KEY may be guessed')
  expect(words).not.toContain('TIDEGATE_KEY is set')
})

test('the Doctor can check a single endpoint, even while it is switched off', async () => {
  const { words } = await operator.open('/console/doctor?endpoint=off')
  expect(words).toContain('SQLite')
  expect(words).toContain('How apps connect to /mcp/off')
  expect(words).not.toContain('The registry works')
  expect((await operator.open('/console/doctor?endpoint=nothing')).status).toBe(404)
})

test('the Doctor shows its page before all checks are done', async () => {
  const cookie = [...operator.cookies].map((it) => it.join('=')).join('; ')
  const answer = await fetch(`${worker.url}/console/doctor`, { headers: { cookie } })
  const reader = answer.body!.getReader()
  const first = new TextDecoder().decode((await reader.read()).value)
  expect(first).toContain('>Doctor</h1>')
  expect(first).not.toContain('</html>')
  await reader.cancel()
})

test('a browser without a key is redirected from /doctor to the Console’s Doctor', async () => {
  for (const [path, location] of [
    ['/doctor', '/console/doctor'],
    ['/doctor/shop', '/console/doctor?endpoint=shop'],
    ['/doctor/%3Cimg%3E', '/console/doctor'],
  ] as const) {
    const answer = await operator.open(path)
    expect([answer.status, answer.location]).toEqual([303, location])
  }
  const asked = { authorization: `Bearer ${operated.TIDEGATE_KEY}` }
  expect((await operator.open('/doctor?hosts=no', asked)).text).toContain('shop/main: SQLite')
  expect((await operator.open('/doctor', { accept: '*/*' })).status).toBe(401)
})

const setup = 'create table orders (id int)'

await describePostgres('the Doctor of a PostgreSQL', setup, (postgres) => {
  test('shows excess rights with the SQL that removes them, and how to fix failures', async () => {
    const tool = {
      name: 'gone',
      description: 'A tool whose table is gone.',
      sql: 'select * from x',
    }
    const tools = ['query', tool]
    for (const [name, login, more] of [
      ['owner', 'postgres', {}],
      ['reader', postgres.reader, { tools }],
      ['nobody', `nobody_there:${PASSWORD}`, {}],
    ] as const) {
      const databases = { main: { url: postgres.tcp(login) } }
      const endpoint = { name, title: name, databases, ...more }
      expect((await askApi(worker, 'POST', '/api/endpoints', endpoint)).status).toBe(201)
    }
    const owner = await operator.open('/console/doctor?endpoint=owner')
    expect(owner.words).toMatch(/PostgreSQL \d+/)
    expect(owner.words).toMatch(/owner (?:\d+ to fix|\d+ warnings?)/)
    expect(owner.words).toContain('CREATE ROLE')
    const reader = await operator.open('/console/doctor?endpoint=reader')
    expect(reader.words).toMatch(/tool that the endpoint defines cannot be prepared/)
    expect(reader.words).toContain('&quot;x&quot; does not exist')
    const nobody = await operator.open('/console/doctor?endpoint=nobody')
    expect(nobody.words).toMatch(/nobody 1 to fix/)
    expect(nobody.text).not.toContain(PASSWORD)
  })
})

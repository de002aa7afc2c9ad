import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Operator, operatorAt } from '../support/operator.ts'
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
      // Nobody listens there.
      databases: { main: { url: `postgres://reader:${PASSWORD}@127.0.0.1:9/shop` } },
    },
    { name: 'off', title: 'Off', active: false, databases: { main: { url: 'demo:' } } },
  ]) {
    await askApi(worker, 'POST', '/api/endpoints', endpoint)
  }
})
afterAll(() => worker.close())

test('the Doctor looks at the settings, each database, and what apps make of it', async () => {
  const { status, text, words } = await operator.open('/console/doctor')
  expect(status).toBe(200)
  expect(words).toContain('The registry answers: 3 endpoints')
  // The sign-in is not set up as it should be.
  expect(words).toContain('TIDEGATE_PASSPHRASE')
  expect(words).toMatch(/SQLite/)
  expect(words).toMatch(/Lost 1 to mend/)
  expect(words).toContain('Off Not looked at')
  expect(words).toMatch(/Claude Code: would/)
  expect(words).toContain('What apps make of /mcp ')
  expect(words).toMatch(/\d+ checks: \d+ to mend/)
  expect(text).not.toContain(HOSTILE)
  for (const it of [PASSWORD, 'hunter2']) expect(text).not.toContain(it)
  expect(text.length).toBeLessThan(100_000)
  expect(text.trimEnd().endsWith('</html>')).toBe(true)
})

test('the Doctor looks at one endpoint alone, also while it is switched off', async () => {
  const { words } = await operator.open('/console/doctor?endpoint=off')
  expect(words).toContain('SQLite')
  expect(words).toContain('What apps make of /mcp/off')
  expect(words).not.toContain('The registry answers')
  expect((await operator.open('/console/doctor?endpoint=nothing')).status).toBe(404)
})

test('what is seen is shown as it is seen', async () => {
  const cookie = [...operator.cookies].map((it) => it.join('=')).join('; ')
  const answer = await fetch(`${worker.url}/console/doctor`, { headers: { cookie } })
  const reader = answer.body!.getReader()
  const first = new TextDecoder().decode((await reader.read()).value)
  expect(first).toContain('<h1>Doctor</h1>')
  expect(first).not.toContain('</html>')
  await reader.cancel()
})

test('a browser without a key is led from /doctor to the Doctor of the Console', async () => {
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
  test('shows what its role may do with the SQL that closes it, and the mend of what fails', async () => {
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
    expect(owner.words).toMatch(/owner (?:\d+ to mend|\d+ worth a look)/)
    expect(owner.words).toContain('CREATE ROLE')
    const reader = await operator.open('/console/doctor?endpoint=reader')
    expect(reader.words).toMatch(/tool of the endpoint’s own cannot be prepared/)
    expect(reader.words).toContain('&quot;x&quot; does not exist')
    const nobody = await operator.open('/console/doctor?endpoint=nobody')
    expect(nobody.words).toMatch(/nobody 1 to mend/)
    expect(nobody.text).not.toContain(PASSWORD)
  })
})

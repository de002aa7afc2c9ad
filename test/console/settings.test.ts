import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settings } from '../../src/console/settings/deployment.tsx'
import type { ConsoleVisit } from '../../src/console/visit.ts'
import { type Operator, operatorAt } from '../support/operator.ts'
import { askApi, operated } from '../support/registry-api.ts'
import type { Shown } from '../support/visitor.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const PASSWORD = 'Planted-Passw0rd'
const SHOP = '/console/endpoints/shop/settings'

let worker: RunningWorker
let operator: Operator
const api = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)
const shop = async () => (await api('GET', '/api/endpoints/shop')).json

beforeAll(async () => {
  worker = await startWorker(operated)
  operator = await operatorAt(worker.url)
  const databases = { main: { url: 'demo:', purpose: HOSTILE } }
  await api('POST', '/api/endpoints', { name: 'shop', title: HOSTILE, databases })
})
afterAll(() => worker.close())

/** A section's mark, which reveals whether somebody else changed it. */
const markIn = ({ text }: Shown, section: string): string =>
  new RegExp(`id="${section}"[^]*?name="was" value="([0-9a-f]*)"`).exec(text)?.[1] ?? ''

/** Sends a section's form as it is on the current page. */
async function save(section: string, fields: Record<string, string | string[]>) {
  const was = markIn(await operator.open(SHOP), section)
  return operator.submit(`${SHOP}/sections/${section}`, { was, ...fields })
}

describe('an endpoint’s settings', () => {
  test.each<[section: string, fields: Record<string, string | string[]>, stored: object]>([
    ['general', { title: 'Web <shop>' }, { title: 'Web <shop>', active: false }],
    ['general', { title: 'Web shop', active: 'yes' }, { title: 'Web shop', active: true }],
    ['access', { access: 'public' }, { access: 'public' }],
    ['access', { access: 'key' }, { access: 'key' }],
    [
      'tools',
      { tool: ['list_tables', 'query_table'], format: 'csv' },
      { sql: false, format: 'csv', tools: ['list_tables', 'query_table'] },
    ],
    [
      'caps',
      { 'caps.rows': '50', 'caps.bytes': '', 'caps.samples': '2' },
      { caps: { rows: 50, bytes: 10_000, cell: 1_000, samples: 2, timeoutMs: 20_000 } },
    ],
    ['keep', {}, { keep: false }],
    [
      'keep',
      { keep: 'yes', 'keep.rows': '10' },
      { keep: { rows: 10, bytes: 250_000, repeatSeconds: 0 } },
    ],
    [
      'limits',
      { 'limits.caller.callsPerMinute': '60', 'limits.endpoint.rowsPerDay': '1000' },
      { limits: { caller: { callsPerMinute: 60 }, endpoint: { rowsPerDay: 1000 } } },
    ],
    [
      'records',
      { records: 'yes', 'records.literals': 'yes', 'records.days': '7' },
      { records: { literals: true, count: 20_000, days: 7 } },
    ],
    ['records', {}, { records: false }],
    [
      'search',
      { 'search[0].table': 'products', 'search[0].title': 'name', 'search[0].text': 'name\r\n' },
      { search: [{ table: 'products', title: 'name', text: ['name'] }] },
    ],
  ])('%s: %j is saved', async (section, fields, stored) => {
    const saved = await save(section, fields)
    expect([saved.status, saved.location]).toEqual([303, `${SHOP}?done=${section}#${section}`])
    expect(await shop()).toMatchObject(stored)
    expect((await operator.open(saved.location!)).words).toContain('Saved. Takes effect everywhere')
  })

  test('leave nothing stored if all tools and no limits are selected', async () => {
    const tool = ['list_tables', 'describe_table', 'query_table', 'query', 'explain_query']
    await save('tools', { tool, sql: 'yes', format: 'json' })
    await save('limits', {})
    await save('search', {})
    const stored = await shop()
    for (const it of ['tools', 'limits', 'search']) expect(stored).not.toHaveProperty(it)
  })

  test.each<[section: string, field: string, fields: Record<string, string>]>([
    ['general', 'title', { title: 'x'.repeat(81) }],
    ['caps', 'caps.rows', { 'caps.rows': '0' }],
    ['caps', 'caps.cell', { 'caps.cell': 'many' }],
    ['caps', 'caps.cost.plan', { 'caps.cost.plan': '0.5' }],
    // The endpoint's database is SQLite, which has no estimates.
    ['caps', 'caps.cost.rows', { 'caps.cost.rows': '5000' }],
    ['limits', 'limits.endpoint.concurrent', { 'limits.endpoint.concurrent': '1.5' }],
    ['search', 'search[0].title', { 'search[0].table': 'products', 'search[0].text': 'name' }],
  ])(
    '%s: an invalid %s is reported at its input, and keeps the typed text',
    async (section, field, fields) => {
      const { status, text } = await save(section, fields)
      const id = `f-${field.replaceAll(/[^A-Za-z0-9_-]+/g, '-')}`
      expect(status).toBe(422)
      expect(text).toMatch(new RegExp(`id="${id}"[^>]*aria-invalid="true"`))
      expect(text).toContain(`id="${id}-problem"`)
      for (const it of Object.values(fields)) expect(text).toContain(it)
    },
  )

  test('warn the second of two people who change the same section', async () => {
    const page = await operator.open(SHOP)
    const [general, access] = ['general', 'access'].map((it) => markIn(page, it))
    expect((await save('general', { title: 'Theirs', active: 'yes' })).status).toBe(303)
    const fields = { title: 'Mine', active: 'yes', was: general! }
    const late = await operator.submit(`${SHOP}/sections/general`, fields)
    expect([late.status, late.words]).toEqual([409, expect.stringContaining('Someone else')])
    expect(late.text).toContain('value="Mine"')
    const other = { access: 'key', was: access! }
    expect((await operator.submit(`${SHOP}/sections/access`, other)).status).toBe(303)
    const again = { ...fields, was: markIn(late, 'general') }
    expect((await operator.submit(`${SHOP}/sections/general`, again)).status).toBe(303)
    expect((await shop()).title).toBe('Mine')
  })

  test('from the configuration are shown, and cannot be changed here', async () => {
    const ENDPOINTS = JSON.stringify([
      { name: 'fixed', title: HOSTILE, databases: { main: { url: 'demo:' } } },
    ])
    const other = await startWorker({ ...operated, ENDPOINTS })
    const ada = await operatorAt(other.url)
    const page = await ada.open('/console/endpoints/fixed/settings')
    expect(page.status).toBe(200)
    expect(page.words).toContain('Change it there')
    expect(page.text).not.toContain(HOSTILE)
    expect(page.text).not.toContain('/sections/')
    const { status, words } = await ada.submit(
      '/console/endpoints/fixed/settings/sections/general',
      { title: 'Mine' },
    )
    expect([status, words]).toEqual([409, expect.stringContaining('Someone else')])
    await other.close()
  })
})

describe('an endpoint’s databases', () => {
  const MAIN = `${SHOP}/databases/main`
  const url = `postgres://reader:${PASSWORD}@127.0.0.1:5432/postgres?sslmode=disable`

  test('can be added, changed, given another connection string, and removed', async () => {
    const added = await operator.submit(`${SHOP}/databases/new`, {
      database: 'crm',
      url,
      purpose: 'customers',
    })
    expect(added.location).toBe(`${SHOP}?done=added`)
    const fields = { purpose: 'orders', role: '', claims: '', catalogSeconds: '5' }
    expect((await operator.submit(MAIN, fields)).status).toBe(303)
    const refused = await operator.submit(MAIN, { ...fields, catalogSeconds: '5000' })
    expect([refused.status, refused.words]).toEqual([422, expect.stringContaining('3600')])
    expect((await shop()).databases).toMatchObject({
      main: { url: 'demo:', purpose: 'orders', catalogSeconds: 5 },
      crm: { purpose: 'customers' },
    })
    const replaced = await operator.submit(`${MAIN}/credential`, { url })
    expect(replaced.status).toBe(303)
    expect((await shop()).credentials).toMatchObject({
      main: { host: '127.0.0.1', scheme: 'postgres' },
    })
    for (const path of [SHOP, MAIN]) {
      const { text, words } = await operator.open(path)
      expect(words).toContain('postgres at 127.0.0.1')
      expect(text).not.toContain(PASSWORD)
    }
    expect((await operator.open(`${SHOP}/databases/crm/remove`)).words).toContain('lose access')
    await operator.submit(`${SHOP}/databases/crm/remove`)
    expect(Object.keys((await shop()).databases)).toEqual(['main'])
    const last = await operator.submit(`${MAIN}/remove`)
    expect([last.status, last.words]).toEqual([422, expect.stringContaining('at least one')])
  })

  test('keep invalid text that was typed, but never a connection string', async () => {
    for (const [path, fields, field] of [
      [`${SHOP}/databases/new`, { database: 'No Name', url }, 'database'],
      [`${SHOP}/databases/new`, { database: 'main', url }, 'database'],
      [
        `${SHOP}/databases/new`,
        { database: 'other', url: `postgres://a:${PASSWORD}@10.1.2.3/x`, purpose: 'typed words' },
        'url',
      ],
      [`${MAIN}/credential`, { url: `postgres://a:${PASSWORD}@10.1.2.3/x` }, 'url'],
      [MAIN, { role: 'none', purpose: 'typed words' }, 'role'],
    ] as const) {
      const { status, text } = await operator.submit(path, fields)
      expect([path, status]).toEqual([path, 422])
      expect(text).toContain(`id="f-${field}-problem"`)
      expect(text).not.toContain(PASSWORD)
      if ('purpose' in fields) expect(text).toContain('value="typed words"')
    }
    expect((await operator.open(`${SHOP}/databases/nothing`)).status).toBe(404)
  })
})

describe('tools of the operator’s own', () => {
  const tool = {
    name: 'one_order',
    description: `One order by its number. ${HOSTILE}`,
    sql: 'select * from orders where id = $1',
    params: [{ name: 'id', type: 'integer' }],
  }
  const markOf = async (path: string) =>
    /name="was" value="([0-9a-f]*)"/.exec((await operator.open(path)).text)?.[1] ?? ''

  test('can be added, changed and removed as JSON, with faults shown at the text', async () => {
    await api('PUT', '/api/endpoints/shop/databases/main/credential', { url: 'demo:' })
    const path = `${SHOP}/tools/new`
    const was = await markOf(path)
    const broken = await operator.submit(path, { was, act: 'save', tool: '{"name": \n "x",}' })
    expect([broken.status, broken.words]).toEqual([422, expect.stringContaining('not JSON')])
    const wrong = await operator.submit(path, {
      was,
      act: 'save',
      tool: JSON.stringify({ ...tool, name: 'No Name' }),
    })
    expect(wrong.text).toMatch(/id="f-tool"[^>]*aria-invalid/)
    expect(wrong.words).toContain('must be lower case')
    expect(wrong.text).toContain('No Name')
    const added = await operator.submit(path, { was, act: 'save', tool: JSON.stringify(tool) })
    expect(added.status).toBe(303)
    expect((await shop()).tools).toHaveLength(6)
    expect((await operator.open(SHOP)).text).not.toContain(HOSTILE)
    const late = await operator.submit(path, { was, act: 'save', tool: JSON.stringify(tool) })
    expect(late.status).toBe(409)
    const own = `${SHOP}/tools/one_order`
    const changed = { ...tool, sql: 'select id from orders where id = $1' }
    await operator.submit(own, { was: await markOf(own), tool: JSON.stringify(changed) })
    expect((await shop()).tools[5].sql).toBe(changed.sql)
    await operator.submit(own, { was: await markOf(own), act: 'remove' })
    expect(await shop()).not.toHaveProperty('tools')
    expect((await operator.open(own)).status).toBe(404)
  })
})

test('pasted connection strings are parsed, and their faults are reported', async () => {
  const path = `${SHOP}/databases/new`
  const added = await operator.submit(path, {
    database: 'pasted',
    url: `DATABASE_URL="postgresql+psycopg2://reader:${PASSWORD}@127.0.0.1/postgres"`,
  })
  expect(added.status).toBe(303)
  expect((await shop()).credentials.pasted).toMatchObject({ host: '127.0.0.1' })
  const mongo = { database: 'other', url: `mongodb://reader:${PASSWORD}@db.example.com/x` }
  const wrong = await operator.submit(path, mongo)
  expect([wrong.status, wrong.words]).toEqual([
    422,
    expect.stringContaining('no driver for mongodb:'),
  ])
  const inside = { database: 'other', url: `postgres://reader:${PASSWORD}@10.1.2.3/x` }
  const far = await operator.submit(path, inside)
  expect(far.words).toContain('Fix:')
  for (const { text } of [wrong, far]) expect(text).not.toContain(PASSWORD)
})

describe('an endpoint', () => {
  test('is deleted only if the operator types its name', async () => {
    await api('POST', '/api/endpoints', {
      name: 'gone',
      title: 'Gone',
      databases: { main: { url: 'demo:' } },
    })
    const path = '/console/endpoints/gone/settings/delete'
    const wrong = await operator.submit(path, { name: 'shop' })
    expect([wrong.status, wrong.words]).toEqual([422, expect.stringContaining('Type gone')])
    expect((await operator.submit(path, { name: 'gone' })).status).toBe(303)
    expect((await api('GET', '/api/endpoints/gone')).status).toBe(404)
  })
})

describe('the deployment’s settings', () => {
  const PATH = '/console/settings'
  const was = async () => JSON.stringify((await api('GET', '/api/settings')).json)

  test('are saved, show faults at their inputs, and do not overwrite others’ changes', async () => {
    const old = await was()
    const saved = await operator.submit(PATH, {
      was: old,
      defaultEndpoint: 'shop',
      privateHosts: '10.0.0.0/8\r\ndb.internal\r\n',
    })
    expect(saved.location).toBe(`${PATH}?done=saved`)
    expect((await api('GET', '/api/settings')).json).toEqual({
      defaultEndpoint: 'shop',
      privateHosts: ['10.0.0.0/8', 'db.internal'],
    })
    const late = await operator.submit(PATH, { was: old, defaultEndpoint: '', privateHosts: '' })
    expect(late.status).toBe(409)
    const wrong = await operator.submit(PATH, {
      was: await was(),
      defaultEndpoint: 'shop',
      privateHosts: 'http://db.internal',
    })
    expect(wrong.text).toMatch(/id="f-privateHosts"[^>]*aria-invalid/)
    expect(wrong.text).toContain('http://db.internal</textarea>')
    const none = { was: await was(), defaultEndpoint: 'nothing', privateHosts: '' }
    expect((await operator.submit(PATH, none)).text).toContain('id="f-defaultEndpoint-problem"')
  })

  test('can be exported and restored', async () => {
    const file = await operator.open(`${PATH}/export`)
    expect(file.headers.get('content-disposition')).toContain('tidegate-registry.json')
    expect(JSON.parse(file.text).format).toBe('tidegate-registry-1')
    await api('PATCH', '/api/endpoints/shop', { title: 'Changed' })
    const restored = await operator.submit(`${PATH}/restore`, { mode: 'merge', export: file.text })
    expect(restored.status).toBe(303)
    expect((await shop()).title).not.toBe('Changed')
    const unsure = await operator.submit(`${PATH}/restore`, { mode: 'replace', export: file.text })
    expect([unsure.status, unsure.words]).toEqual([422, expect.stringContaining('Select the box')])
    const no = await operator.submit(`${PATH}/restore`, { mode: 'merge', export: '{' })
    expect([no.status, no.words]).toEqual([422, expect.stringContaining('not JSON')])
    const wrong = await operator.submit(`${PATH}/restore`, { mode: 'merge', export: '{}' })
    expect(wrong.status).toBe(422)
  })

  test('show which secret seals the stored values', async () => {
    expect((await operator.open(PATH)).words).toContain('All with TIDEGATE_SECRET')
    expect((await operator.submit(`${PATH}/reseal`)).location).toContain('done=resealed')
  })

  test.each([
    ['resealed', { left: 0, unreadable: [], signIns: { left: 0, unreadable: 0 } }],
    ['resealed', { left: 0, unreadable: [] }],
    ['left', { left: 1, unreadable: [{}] }],
    ['left', { left: 0, unreadable: [], signIns: { left: 1, unreadable: 0 } }],
    ['unreadable', { left: 0, unreadable: [{}] }],
    ['unreadable', { left: 0, unreadable: [], signIns: { left: 0, unreadable: 1 } }],
  ])('report %s if the registry returns %j', async (said, outcome) => {
    const { signal } = new AbortController()
    const visit = { signal, send: async () => Response.json(outcome) } as unknown as ConsoleVisit
    const request = new Request('http://localhost/reseal', { method: 'POST' })
    const answer = await settings.fetch(request, visit)
    expect(answer.headers.get('location')).toBe(`/console/settings?done=${said}#registry`)
  })
})

test('a form that does not come from a Console page changes nothing', async () => {
  const before = [await shop(), (await api('GET', '/api/settings')).json]
  const was = markIn(await operator.open(SHOP), 'general')
  for (const [path, fields] of [
    [`${SHOP}/sections/general`, { was, title: 'Foreign' }],
    [`${SHOP}/databases/main`, { purpose: 'Foreign' }],
    [`${SHOP}/databases/main/credential`, { url: 'demo:' }],
    [`${SHOP}/databases/new`, { database: 'foreign', url: 'demo:' }],
    [`${SHOP}/tools/new`, { tool: '{}' }],
    [`${SHOP}/delete`, { name: 'shop' }],
    ['/console/settings', { defaultEndpoint: '', privateHosts: '' }],
    ['/console/settings/restore', { mode: 'merge', export: '{}' }],
    ['/console/settings/reseal', {}],
    ['/console/access/keys/new', { label: 'Foreign', which: 'all' }],
    ['/console/access/groups/new', { name: 'foreign' }],
    ['/console/access/sign-ins', { person: 'foreign' }],
    ['/console/access/grants/revoke-all?person=ada', {}],
  ] as const) {
    expect([path, (await operator.submit(path, { ...fields, form: 'not ours' })).status]).toEqual([
      path,
      403,
    ])
  }
  expect([await shop(), (await api('GET', '/api/settings')).json]).toEqual(before)
  expect((await api('GET', '/api/keys')).json.total).toBe(0)
  expect((await api('GET', '/api/groups')).json.total).toBe(0)
})

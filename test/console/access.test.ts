import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Operator, operatorAt } from '../support/operator.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { registeredApp, send } from '../support/sign-in.ts'
import { post, type RunningWorker, startWorker } from '../support/worker.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const PASSWORD = 'Planted-Passw0rd'
const PASSPHRASE = 'a heron waits where slow water turns'

let worker: RunningWorker
let operator: Operator
const api = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)

beforeAll(async () => {
  worker = await startWorker({
    ...operated,
    TIDEGATE_PASSPHRASE: PASSPHRASE,
  })
  operator = await operatorAt(worker.url)
  for (const name of ['shop', 'crm']) {
    await api('POST', '/api/endpoints', {
      name,
      title: name === 'shop' ? HOSTILE : 'Customers',
      databases: { main: { url: 'demo:' } },
    })
  }
})
afterAll(() => worker.close())

const listed = (name: string, key: string) =>
  post(
    `${worker.url}/mcp/${name}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { authorization: `Bearer ${key}` },
  )

describe('keys', () => {
  test('are created for an endpoint, shown once with a line per app, and revoked', async () => {
    const form = await operator.open('/console/access/keys/new?endpoint=shop')
    expect(form.text).toMatch(/name="endpoint" value="shop" checked/)
    expect(form.text).not.toContain(HOSTILE)
    const made = await operator.submit('/console/access/keys/new', {
      label: HOSTILE,
      person: 'ada@example.com',
      expiresAt: '2099-12-31',
      which: 'some',
      endpoint: ['shop'],
      claims: '{"team": "north"}',
    })
    expect(made.status).toBe(201)
    expect(made.text).not.toContain(HOSTILE)
    const key = /tg_[A-Za-z0-9_]{20,}/.exec(made.words)?.[0] ?? ''
    expect(made.words).toContain(`${worker.url}/k/${key}/mcp/shop`)
    expect(made.words).toContain(`--header &quot;Authorization: Bearer ${key}&quot;`)
    // No link passes the key to another site.
    expect(made.text).not.toMatch(new RegExp(`href="[^"]*${key}`))
    expect((await listed('shop', key)).status).toBe(200)
    expect((await listed('crm', key)).status).toBe(403)

    const list = await operator.open('/console/access')
    expect(list.text).not.toContain(key)
    const [, id = ''] = /keys\/([A-Za-z0-9]{12})\/revoke/.exec(list.text) ?? []
    expect((await api('GET', `/api/keys/${id}`)).json).toMatchObject({
      person: 'ada@example.com',
      expiresAt: '2099-12-31T23:59:59.000Z',
      claims: { team: 'north' },
    })
    expect((await operator.open(`/console/access/keys/${id}`)).words).toContain('team north')
    const sure = await operator.open(`/console/access/keys/${id}/revoke`)
    expect(sure.words).toContain('are refused within 10 seconds')
    const revoked = await operator.submit(`/console/access/keys/${id}/revoke`)
    expect([revoked.status, revoked.location]).toEqual([303, '/console/access?done=revoked'])
    expect((await operator.open(revoked.location!)).words).toContain('Key revoked')
    expect((await listed('shop', key)).status).toBe(401)
    expect((await operator.submit(`/console/access/keys/${id}/revoke`)).status).toBe(404)
  })

  test('keep the typed text when a field is wrong, and say which field', async () => {
    const typed = { label: 'Bo', person: 'key:bo', which: 'some', endpoint: 'crm' }
    const wrong = await operator.submit('/console/access/keys/new', typed)
    expect(wrong.status).toBe(422)
    expect(wrong.text).toMatch(/id="f-person"[^>]*value="key:bo"[^>]*aria-invalid="true"/)
    expect(wrong.text).toMatch(/aria-describedby="f-person-hint f-person-problem"/)
    expect(wrong.text).toMatch(/name="endpoint" value="crm" checked/)
    const none = await operator.submit('/console/access/keys/new', { label: 'Bo', which: 'some' })
    expect(none.words).toContain('Select the endpoints')
    const claims = { label: 'Bo', which: 'all', claims: '{team: north}' }
    expect((await operator.submit('/console/access/keys/new', claims)).words).toContain('not JSON')
  })

  test('can be changed, unless somebody else changed them meanwhile', async () => {
    const { id, changedAt } = (await api('POST', '/api/keys', { label: 'Old', endpoints: ['*'] }))
      .json
    const path = `/console/access/keys/${id}`
    const fields = { label: 'New', which: 'some', endpoint: ['crm', 'shop'], was: changedAt }
    expect((await operator.submit(path, fields)).location).toBe(`${path}?done=changed`)
    expect((await api('GET', `/api/keys/${id}`)).json).toMatchObject({
      label: 'New',
      endpoints: ['crm', 'shop'],
    })
    const late = await operator.submit(path, { ...fields, label: 'Late' })
    expect([late.status, late.words]).toEqual([
      422,
      expect.stringContaining('changed by someone else'),
    ])
    expect(late.text).toContain('value="Late"')
  })

  test('can be searched by endpoint and by text', async () => {
    await api('POST', '/api/keys', { label: 'Only crm', endpoints: ['crm'] })
    expect((await operator.open('/console/access?search=only')).words).toContain('Only crm')
    expect((await operator.open('/console/access?endpoint=shop')).words).not.toContain('Only crm')
    expect((await operator.open('/console/endpoints/crm/access')).words).toContain('Only crm')
    expect((await operator.open('/console/endpoints/shop/access')).words).not.toContain('Only crm')
  })
})

describe('groups', () => {
  const GROUP = '/console/access/groups/sales'
  const stored = async () => (await api('GET', '/api/groups/sales')).json

  test('are created, and get people, keys and endpoints', async () => {
    const wrong = await operator.submit('/console/access/groups/new', { name: 'No Name' })
    expect([wrong.status, wrong.words]).toEqual([422, expect.stringContaining('lower case')])
    const made = await operator.submit('/console/access/groups/new', {
      name: 'sales',
      title: HOSTILE,
    })
    expect(made.location).toBe(GROUP)
    const { id } = (await api('POST', '/api/keys', { label: 'Nightly', endpoints: ['*'] })).json
    for (const [change, more] of [
      ['add-people', { people: 'ada@example.com\r\nbo@example.com\r\n ADA@example.com\r\n' }],
      ['add-key', { keys: id }],
      ['add-endpoint', { endpoints: 'shop' }],
      ['add-endpoint', { endpoints: 'crm' }],
      ['remove-people', { member: 'bo@example.com' }],
      ['remove-endpoints', { member: 'crm' }],
    ] as const) {
      expect((await operator.submit(GROUP, { change, ...more })).status).toBe(303)
    }
    expect(await stored()).toMatchObject({
      people: ['ada@example.com'],
      keys: [id],
      endpoints: { shop: {} },
    })
    const page = await operator.open(GROUP)
    expect(page.text).not.toContain(HOSTILE)
    expect(page.words).toContain('Nightly')
    const refused = await operator.submit(GROUP, { change: 'add-people', people: 'key:1' })
    expect([refused.status, refused.words]).toEqual([422, expect.stringContaining('must not be')])
    expect(refused.text).toContain('key:1</textarea>')
    expect((await operator.submit(GROUP, { change: 'add-endpoint', endpoints: 'no' })).status).toBe(
      422,
    )
  })

  test('have rules for tools and databases, with a role and a connection string', async () => {
    const path = `${GROUP}/endpoints/shop`
    const page = await operator.open(path)
    expect(page.status).toBe(200)
    const was = (await stored()).changedAt
    const url = `postgres://reader:${PASSWORD}@127.0.0.1:5432/postgres`
    const saved = await operator.submit(path, {
      was,
      tools: 'some',
      tool: ['list_tables', 'query_table'],
      databases: 'some',
      database: 'main',
      'endpoints.shop.databases.main.role': 'analysts',
      'endpoints.shop.databases.main.url': url,
    })
    expect(saved.location).toBe(`${path}?done=saved`)
    const { endpoints, credentials } = await stored()
    expect(endpoints.shop.tools).toEqual(['list_tables', 'query_table'])
    expect(endpoints.shop.databases.main).toMatchObject({ role: 'analysts' })
    expect(credentials).toMatchObject([{ host: '127.0.0.1', database: 'main' }])
    const again = await operator.open(path)
    expect(again.words).toContain('postgres at 127.0.0.1')
    expect(again.text).not.toContain(PASSWORD)
    const wrong = await operator.submit(path, {
      was: (await stored()).changedAt,
      tools: 'all',
      databases: 'all',
      'endpoints.shop.databases.main.url': `postgres://reader:${PASSWORD}@10.1.2.3/postgres`,
    })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toMatch(/f-endpoints-shop-databases-main-url-problem/)
    expect(wrong.text).not.toContain(PASSWORD)
    const late = await operator.submit(path, { was, tools: 'all', databases: 'all' })
    expect([late.status, late.words]).toEqual([422, expect.stringContaining('someone else')])
    const whole = await operator.submit(path, {
      was: (await stored()).changedAt,
      tools: 'all',
      databases: 'all',
      'endpoints.shop.databases.main.forget': 'yes',
    })
    expect(whole.status).toBe(303)
    expect((await stored()).endpoints.shop).toEqual({})
  })

  test('have a report, and show before deletion how access widens', async () => {
    const report = await operator.open(`${GROUP}/report`)
    expect(report.words).toContain('shop')
    const sure = await operator.open(`${GROUP}/delete`)
    expect(sure.words).toContain('This gives its members more access')
    const deleted = await operator.submit(`${GROUP}/delete`)
    expect((await operator.open(deleted.location!)).words).toContain('Group deleted')
    expect((await api('GET', '/api/groups/sales')).status).toBe(404)
    expect((await operator.open(GROUP)).status).toBe(404)
  })

  test('with hundreds of people stay a small page', async () => {
    const people = Array.from({ length: 1_000 }, (_, i) => `person-${i}@example.com`)
    const name = 'many'
    await api('POST', '/api/groups', { name, people, keys: [], endpoints: {} })
    const { text, words } = await operator.open(
      '/console/access/groups/many?people=2&people-search=person-9',
    )
    expect(text.length).toBeLessThan(100_000)
    expect(words).toContain('Page 2 of 3')
    expect(words).toContain('person-940@example.com')
    expect(words).not.toContain('person-1@example.com')
  })
})

describe('a group’s tables', () => {
  const path = '/console/access/groups/support/endpoints/shop/tables/main'
  const rules = async () =>
    (await api('GET', '/api/groups/support')).json.endpoints.shop.databases?.main

  test('are ticked page by page, and so are their columns', async () => {
    await api('POST', '/api/groups', { name: 'support', endpoints: { shop: {} } })
    expect((await operator.open(path)).words).toContain('The group sees the whole database')
    await operator.submit(path, { do: 'none' })
    expect(await rules()).toEqual({ tables: {} })
    const page = await operator.open(path)
    expect(page.words).toContain('customers')
    const shown = [...page.text.matchAll(/name="shown" value="([^"]*)"/g)].map(([, it]) => it!)
    expect(shown).toContain('orders')
    await operator.submit(path, { do: 'save', shown, tick: ['orders', 'customers'] })
    expect(await rules()).toEqual({ tables: { orders: true, customers: true } })
    const columns = await operator.open(`${path}?table=customers`)
    expect(columns.words).toContain('The group sees the whole table')
    const names = [...columns.text.matchAll(/name="shown" value="([^"]*)"/g)].map(([, it]) => it!)
    const [first = ''] = names
    await operator.submit(`${path}?table=customers`, { do: 'save', shown: names, tick: first })
    expect((await rules()).tables.customers).toEqual([first])
    // A table that is ticked already keeps its columns.
    await operator.submit(path, { do: 'page', shown })
    expect((await rules()).tables.customers).toEqual([first])
    await operator.submit(path, { do: 'clear', shown })
    expect(await rules()).toEqual({ tables: {} })
    await operator.submit(path, { do: 'all' })
    expect(await rules()).toEqual({})
  })
})

describe('people who sign in', () => {
  test('get a code, which is shown once', async () => {
    const made = await operator.submit('/console/access/sign-ins', { person: 'ada@example.com' })
    expect([made.status, made.words]).toEqual([
      201,
      expect.stringContaining('Code for ada@example.com'),
    ])
    const [, code = ''] = /<pre id="code">([^<]+)</.exec(made.text) ?? []
    expect(code.length).toBeGreaterThan(6)
    expect((await operator.open('/console/access/sign-ins')).text).not.toContain(code)
    const wrong = await operator.submit('/console/access/sign-ins', { person: 'key' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('value="key"')])
  })

  test('have grants, which can be revoked one at a time or all at once', async () => {
    expect((await operator.open('/console/access/grants')).words).toContain('Nobody has signed in')
    const sure = await operator.open(
      `/console/access/grants/revoke-all?${new URLSearchParams({ person: HOSTILE })}`,
    )
    expect(sure.text).not.toContain(HOSTILE)
    const path = '/console/access/grants/revoke-all?person=ada%40example.com'
    expect((await operator.submit(path)).location).toBe('/console/access/grants?done=all')
    expect(
      (await operator.submit('/console/access/grants/gr_0123456789abcdef/revoke')).status,
    ).toBe(404)
  })

  test('have a grant for each app, which ends when it is revoked', async () => {
    const app = await registeredApp(worker.url, PASSPHRASE)
    const listed = async (token: string) =>
      (await send(`${worker.url}/mcp/crm`, token, 'tools/list')).status
    const { access } = await app.signIn('/mcp/crm')
    expect(await listed(access)).toBe(200)
    const page = await operator.open('/console/access/grants')
    expect(page.words).toContain('passphrase')
    const [, href = ''] = /href="([^"]*gr_[^"]*revoke[^"]*)"/.exec(page.text) ?? []
    const sure = await operator.open(href.replaceAll('&amp;', '&'))
    expect(sure.words).toContain('asks passphrase to sign in again')
    const [, action = ''] = /action="([^"]*\/revoke)"/.exec(sure.text) ?? []
    expect((await operator.submit(action)).location).toBe('/console/access/grants?done=revoked')
    // Another isolate would refuse it within ten seconds.
    await expect.poll(() => listed(access), { timeout: 30_000 }).toBe(401)
    const again = await app.signIn('/mcp/crm')
    const of = await operator.open('/console/access/grants?person=passphrase')
    expect(of.words).toContain('Revoke all')
    await operator.submit('/console/access/grants/revoke-all?person=passphrase')
    await expect.poll(() => listed(again.access), { timeout: 30_000 }).toBe(401)
    expect((await operator.open('/console/access/sign-ins')).words).toContain('passphrase')
  })

  test('have a page that says what to set if nobody can sign in', async () => {
    const bare = await startWorker(operated)
    const ada = await operatorAt(bare.url)
    for (const path of ['/console/access/grants', '/console/access/sign-ins']) {
      const { status, words } = await ada.open(path)
      expect([status, words]).toEqual([200, expect.stringContaining('TIDEGATE_PASSPHRASE')])
    }
    await bare.close()
  })
})

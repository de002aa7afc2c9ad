import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiAnswer, askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { post, type RunningWorker, startWorker } from '../support/worker.ts'

const PASSWORD = 'Planted-Passw0rd'
const URL_OF_SHOP = `postgres://reader:${PASSWORD}@127.0.0.1:5432/postgres?sslmode=disable`
const SHOP = { name: 'shop', title: 'Web shop', databases: { main: { url: URL_OF_SHOP } } }

let worker: RunningWorker
/** All responses from the API. */
const answers: ApiAnswer[] = []
/** The keys that the API has created, which only the creating response may contain. */
const keys: string[] = []

async function ask(...asked: [method: string, path: string, body?: unknown]): Promise<ApiAnswer> {
  const answer = await askApi(worker, ...asked)
  answers.push(answer)
  return answer
}

async function newKey(fields: object): Promise<{ key: string; id: string; answer: ApiAnswer }> {
  const answer = await askApi(worker, 'POST', '/api/keys', { label: 'test', ...fields })
  keys.push(answer.json.key)
  return { key: answer.json.key, id: answer.json.id, answer }
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const mcp = (name: string, key: string) =>
  post(`${worker.url}/mcp/${name}`, LIST, { authorization: `Bearer ${key}` })

beforeAll(async () => {
  worker = await startWorker(operated)
})
afterAll(() => worker.close())

describe('the API accepts', () => {
  const asked = (headers: Record<string, string>) =>
    askApi(worker, 'GET', '/api/endpoints', undefined, headers)

  test('the operator with the Worker’s key', async () => {
    const { status, headers, json } = await asked({ authorization: `Bearer ${OPERATOR_KEY}` })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(json.endpoints).toMatchObject([{ name: 'demo', from: 'configuration', active: true }])
  })

  test('nobody without a key or with a wrong key', async () => {
    const none = await asked({})
    expect(none.status).toBe(401)
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="Tidegate"')
    expect(none.json.error.code).toBe('unauthorized')
    for (const wrong of ['nonsense', `tg_${'a'.repeat(12)}_${'b'.repeat(40)}`]) {
      const answer = await asked({ authorization: `Bearer ${wrong}` })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toContain('invalid_token')
      expect(answer.text).not.toContain(wrong)
    }
  })

  test('nobody with a key for endpoints', async () => {
    const { key } = await newKey({ endpoints: ['*'] })
    const answer = await asked({ authorization: `Bearer ${key}` })
    expect([answer.status, answer.json.error.code]).toEqual([403, 'forbidden'])
  })
})

describe('endpoints', () => {
  test('are added with a connection string, which is never shown again', async () => {
    const made = await ask('POST', '/api/endpoints', SHOP)
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe('/api/endpoints/shop')
    expect(made.json).toMatchObject({
      name: 'shop',
      active: true,
      from: 'registry',
      databases: { main: { url: expect.stringMatching(/^credential:\w{20}$/) } },
      credentials: { main: { scheme: 'postgres', host: '127.0.0.1' } },
    })
    const shown = await ask('GET', '/api/endpoints/shop')
    expect(shown.json).toEqual(made.json)
    expect((await ask('POST', '/api/endpoints', SHOP)).status).toBe(409)
  })

  test('are switched off and on, at once in the isolate that changed them', async () => {
    expect((await mcp('shop', OPERATOR_KEY)).status).toBe(200)
    expect((await ask('PATCH', '/api/endpoints/shop', { active: false })).json.active).toBe(false)
    const off = await mcp('shop', OPERATOR_KEY)
    expect([off.status, off.json().error.code]).toEqual([403, 4030])
    await ask('PATCH', '/api/endpoints/shop', { active: true })
    expect((await mcp('shop', OPERATOR_KEY)).status).toBe(200)
  })

  test('are changed by a merge patch', async () => {
    const { json: was } = await ask('GET', '/api/endpoints/shop')
    const { json } = await ask('PATCH', '/api/endpoints/shop', { caps: { rows: 7 }, format: 'csv' })
    expect(json).toMatchObject({ caps: { rows: 7, bytes: was.caps.bytes }, format: 'csv' })
    expect(json.databases).toEqual(was.databases)
    const again = await ask('PATCH', '/api/endpoints/shop', { caps: null, format: null })
    expect(again.json).toMatchObject({ caps: was.caps, format: 'json' })
  })

  test('can be sent back as they were shown', async () => {
    const { json: was } = await ask('GET', '/api/endpoints/shop')
    const back = await ask('PATCH', '/api/endpoints/shop', was)
    expect(back.status).toBe(200)
    expect(back.json.databases).toEqual(was.databases)
  })

  test('cannot use another endpoint’s credential', async () => {
    const { json } = await ask('GET', '/api/endpoints/shop')
    const { url } = json.databases.main
    const other = { ...SHOP, name: 'other', databases: { main: { url } } }
    const refused = await ask('POST', '/api/endpoints', other)
    expect([refused.status, refused.json.error.field]).toEqual([422, 'databases.main.url'])
    // Another database in the same endpoint cannot use it, either.
    const moved = await ask('PATCH', '/api/endpoints/shop', { databases: { second: { url } } })
    expect([moved.status, moved.json.error.field]).toEqual([422, 'databases.second.url'])
  })

  test('can get another credential', async () => {
    const { json: was } = await ask('GET', '/api/endpoints/shop')
    const path = '/api/endpoints/shop/databases/main/credential'
    const { json: is } = await ask('PUT', path, { url: URL_OF_SHOP })
    expect(is.databases.main.url).not.toBe(was.databases.main.url)
    expect((await ask('GET', '/api/status')).json.credentials).toBe(1)
    const missing = '/api/endpoints/shop/databases/none/credential'
    expect((await ask('PUT', missing, { url: URL_OF_SHOP })).status).toBe(404)
  })

  test('from the configuration cannot be edited, and a new demo replaces theirs', async () => {
    const refused = await ask('PATCH', '/api/endpoints/demo', { active: false })
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict'])
    const value = { name: 'demo', title: 'Own demo', databases: { demo: { url: 'demo:' } } }
    expect((await ask('POST', '/api/endpoints', value)).status).toBe(201)
    const { json } = await ask('GET', '/api/endpoints')
    const demos = json.endpoints.filter((it: { name: string }) => it.name === 'demo')
    expect(demos).toMatchObject([{ title: 'Own demo', from: 'registry' }])
    expect((await ask('DELETE', '/api/endpoints/demo')).status).toBe(204)
    expect((await ask('GET', '/api/endpoints/demo')).json.from).toBe('configuration')
  })

  test('that can no longer be served can still be switched off', async () => {
    const databases = { main: { url: 'secret:NOT_SET' } }
    const value = { name: 'broken', title: 'Broken', databases }
    const times = { createdAt: 1, changedAt: 1 }
    const restored = await ask('POST', '/api/restore', {
      ...{ format: 'tidegate-registry-1', exportedAt: '2026-01-01T00:00:00Z', settings: {} },
      endpoints: [{ name: 'broken', active: true, value, credentials: {}, ...times }],
      ...{ keys: [], groups: [] },
    })
    expect(restored.status).toBe(200)
    const off = await ask('PATCH', '/api/endpoints/broken', { active: false })
    expect([off.status, off.json.active]).toEqual([200, false])
    expect((await ask('PATCH', '/api/endpoints/broken', { active: true })).status).toBe(422)
    await ask('DELETE', '/api/endpoints/broken')
  })

  test('can be tested, which opens each database and counts its tables', async () => {
    const { status, json } = await ask('POST', '/api/endpoints/demo/test')
    expect([status, json.ok]).toEqual([200, true])
    expect(json.databases).toMatchObject([{ database: 'demo', ok: true, tables: 8, findings: [] }])
  })

  test('can be removed, and then no longer respond', async () => {
    const value = { name: 'gone', title: 'Gone', databases: { demo: { url: 'demo:' } } }
    await ask('POST', '/api/endpoints', value)
    expect((await mcp('gone', OPERATOR_KEY)).status).toBe(200)
    expect((await ask('DELETE', '/api/endpoints/gone')).status).toBe(204)
    expect((await mcp('gone', OPERATOR_KEY)).json().error.code).toBe(4040)
    expect((await ask('DELETE', '/api/endpoints/gone')).status).toBe(404)
  })

  const demo = { title: 'X', databases: { demo: { url: 'demo:' } } }

  test.each<[field: string, value: object]>([
    ['name', { ...demo, name: 'Upper' }],
    ['title', { name: 'x', databases: demo.databases }],
    ['databases.a.url', { name: 'x', title: 'X', databases: { a: {} } }],
    ['databases.a.url', { name: 'x', title: 'X', databases: { a: { url: 'shop' } } }],
    [
      'databases.a.url',
      { name: 'x', title: 'X', databases: { a: { url: 'ftp://a:b@c.example/' } } },
    ],
    [
      'databases.a.url',
      { name: 'x', title: 'X', databases: { a: { url: 'postgres://a:p#w@c/' } } },
    ],
    [
      'databases.a.url',
      { name: 'x', title: 'X', databases: { a: { url: 'postgres://a@10.1.2.3/x' } } },
    ],
    [
      'databases.a.url',
      { name: 'x', title: 'X', databases: { a: { url: 'secret:TIDEGATE_KEY' } } },
    ],
    ['databases.a.pass', { name: 'x', title: 'X', databases: { a: { url: 'demo:', pass: 'p' } } }],
    ['databases', { name: 'x', title: 'X', databases: { a: { url: 'secret:NOT_SET' } } }],
    ['caps.rows', { ...demo, name: 'x', caps: { rows: 0 } }],
    ['active', { ...demo, name: 'x', active: 'no' }],
    ['tools', { ...demo, name: 'x', tools: ['no_such_tool'] }],
    [
      'tools',
      {
        ...demo,
        name: 'x',
        tools: [
          { name: 'drops', description: 'Drops the table of orders.', sql: 'drop table orders' },
        ],
      },
    ],
    [
      'search',
      {
        ...demo,
        name: 'x',
        search: [{ database: 'none', table: 't', title: 't', text: ['t'] }],
      },
    ],
    ['colour', { ...demo, name: 'x', colour: 'red' }],
  ])('are refused with the field that is wrong: %s', async (field, value) => {
    const { status, json } = await ask('POST', '/api/endpoints', value)
    expect([status, json.error.code, json.error.field]).toEqual([422, 'invalid', field])
    expect(json.error.message.length).toBeGreaterThan(10)
    expect((await ask('GET', '/api/endpoints/x')).status).toBe(404)
  })
})

describe('keys', () => {
  test('are shown once, with their secret URLs', async () => {
    const { key, id, answer } = await newKey({
      endpoints: ['shop', '*'],
      person: 'ada@example.com',
    })
    expect(answer.status).toBe(201)
    expect(key).toMatch(/^tg_[A-Za-z0-9]{12}_[A-Za-z0-9]{40}$/)
    expect(answer.json.secretUrls).toEqual({
      shop: `${worker.url}/k/${key}/mcp/shop`,
      '*': `${worker.url}/k/${key}/mcp`,
    })
    expect((await post(answer.json.secretUrls.shop, LIST)).status).toBe(200)
    const { json } = await ask('GET', `/api/keys/${id}`)
    expect(json).toMatchObject({
      id,
      label: 'test',
      scopes: ['db:read'],
      person: 'ada@example.com',
    })
    expect(Object.keys(json)).not.toContain('hash')
  })

  test('can be changed, and revoked at once in the isolate that revoked them', async () => {
    const { key, id } = await newKey({ endpoints: ['shop'], expiresAt: '2100-01-01T00:00:00Z' })
    expect((await mcp('shop', key)).status).toBe(200)
    const { json } = await ask('PATCH', `/api/keys/${id}`, { endpoints: ['demo'], expiresAt: null })
    expect(json.endpoints).toEqual(['demo'])
    expect(Object.keys(json)).not.toContain('expiresAt')
    expect((await mcp('shop', key)).json().error.code).toBe(4031)
    expect((await ask('DELETE', `/api/keys/${id}`)).status).toBe(204)
    expect((await mcp('demo', key)).status).toBe(401)
    expect((await ask('GET', `/api/keys/${id}`)).status).toBe(404)
  })

  test.each<[field: string, value: object]>([
    ['label', { endpoints: ['*'] }],
    ['endpoints[1]', { label: 'x', endpoints: ['shop', 'nothing'] }],
    ['scopes[0]', { label: 'x', endpoints: ['*'], scopes: ['db:write'] }],
    ['expiresAt', { label: 'x', endpoints: ['*'], expiresAt: '2001-01-01T00:00:00Z' }],
    ['expiresAt', { label: 'x', endpoints: ['*'], expiresAt: 'tomorrow' }],
    ['person', { label: 'x', endpoints: ['*'], person: 'key' }],
    ['person', { label: 'x', endpoints: ['*'], person: 'key:abc' }],
    ['claims.a', { label: 'x', endpoints: ['*'], claims: { a: { deep: 1 } } }],
  ])('are refused with the field that is wrong: %s', async (field, value) => {
    const { status, json } = await ask('POST', '/api/keys', value)
    expect([status, json.error.field]).toEqual([422, field])
    expect(json.error.message).not.toContain('Invalid input')
  })
})

describe('groups', () => {
  test('restrict their members, with their own credentials', async () => {
    const { key, id } = await newKey({ endpoints: ['shop'] })
    const value = {
      name: 'sales',
      keys: [id],
      endpoints: { shop: { tools: ['list_tables'], databases: { main: { url: URL_OF_SHOP } } } },
    }
    const made = await ask('POST', '/api/groups', value)
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      people: [],
      endpoints: { shop: { databases: { main: { url: expect.stringContaining('credential:') } } } },
      credentials: [{ endpoint: 'shop', database: 'main', scheme: 'postgres' }],
    })
    expect((await mcp('shop', key)).status).toBe(200)
    const back = await ask('PATCH', '/api/groups/sales', made.json)
    expect([back.status, back.json.endpoints]).toEqual([200, made.json.endpoints])
    // The key's groups do not have the endpoint.
    await ask('PATCH', '/api/groups/sales', { endpoints: { shop: null, demo: {} } })
    expect((await mcp('shop', key)).json().error.code).toBe(4031)
    expect((await ask('DELETE', '/api/groups/sales')).status).toBe(204)
    expect((await mcp('shop', key)).status).toBe(200)
    expect((await ask('GET', '/api/status')).json.credentials).toBe(1)
  })

  test('can be tested, which reports tools that are off and unknown names', async () => {
    const tables = { customers: ['id', 'nothing'], gone: true }
    const value = { name: 'few', endpoints: { demo: { databases: { demo: { tables } } } } }
    expect((await ask('POST', '/api/groups', value)).status).toBe(201)
    const { status, json } = await ask('POST', '/api/groups/few/test')
    expect([status, Object.keys(json.endpoints)]).toEqual([200, ['demo']])
    const notes = json.endpoints.demo.notes.join('\n')
    expect(notes).toContain('"customers.nothing"')
    expect(notes).toContain('"gone"')
    await ask('DELETE', '/api/groups/few')
    expect((await ask('POST', '/api/groups/few/test')).status).toBe(404)
  })

  test.each<[field: string, value: object]>([
    ['endpoints.demo', { name: 'x', endpoints: { demo: { tools: ['no_such_tool'] } } }],
    ['endpoints.demo', { name: 'x', endpoints: { demo: { databases: { no: {} } } } }],
    ['name', { name: 'A b', endpoints: {} }],
    ['endpoints', { name: 'x' }],
    ['endpoints.none', { name: 'x', endpoints: { none: {} } }],
    ['keys[0]', { name: 'x', keys: ['abcdefghijkl'], endpoints: {} }],
    ['people[0]', { name: 'x', people: ['key:a'], endpoints: {} }],
    ['endpoints.shop.colour', { name: 'x', endpoints: { shop: { colour: 1 } } }],
    [
      'endpoints.shop.databases.main.url',
      { name: 'x', endpoints: { shop: { databases: { main: { url: 'mysql://a@10.0.0.1/' } } } } },
    ],
  ])('are refused with the field that is wrong: %s', async (field, value) => {
    const { status, json } = await ask('POST', '/api/groups', value)
    expect([status, json.error.field]).toEqual([422, field])
  })
})

describe('records', () => {
  const call = { ...LIST, method: 'tools/call', params: { name: 'list_tables', arguments: {} } }

  test('include callers whom the door refused, but not strangers', async () => {
    const { key } = await newKey({ endpoints: ['demo'], person: 'eve' })
    expect((await mcp('shop', key)).status).toBe(403)
    expect((await mcp('shop', 'tg_nonsense')).status).toBe(401)
    const codes = async (caller: string) => {
      const path = `/api/records?endpoint=shop&outcome=refused&caller=${caller}`
      const { json } = await ask('GET', path)
      return (json.records as { code: string }[]).map(({ code }) => code)
    }
    await expect.poll(() => codes('eve'), { timeout: 20_000 }).toEqual(['4031'])
    await expect.poll(() => codes('key'), { timeout: 20_000 }).toEqual(['4030'])
    expect((await ask('GET', '/api/records?endpoint=shop')).text).not.toContain('tg_nonsense')
  })

  test('are listed with caller and tool, page by page and as JSON Lines', async () => {
    const { key } = await newKey({ endpoints: ['shop'], person: 'bob' })
    for (const it of [key, key, OPERATOR_KEY]) {
      await post(`${worker.url}/mcp/shop`, call, { authorization: `Bearer ${it}` })
    }
    const path = '/api/records?endpoint=shop&tool=list_tables'
    const list = async (more = '') => (await ask('GET', `${path}${more}`)).json
    await expect.poll(async () => (await list()).records.length, { timeout: 20_000 }).toBe(3)
    const { records, lost } = await list('&caller=bob')
    expect(lost).toBe(0)
    expect(records).toMatchObject([{ caller: 'bob' }, { caller: 'bob' }])
    expect(records[0]).toMatchObject({ endpoint: 'shop', tool: 'list_tables' })
    const first = await list('&limit=2')
    const rest = await list(`&limit=2&cursor=${first.next}`)
    expect([first.records.length, rest.records.length, rest.next]).toEqual([2, 1, undefined])
    // From all endpoints.
    const all = await ask('GET', '/api/records?tool=list_tables')
    expect(all.json.records).toEqual([...first.records, ...rest.records])
    const lines = await ask('GET', `${path}&format=jsonl`)
    expect(lines.headers.get('content-type')).toBe('application/jsonl')
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((it) => JSON.parse(it)),
    ).toEqual(all.json.records)
  })

  test.each(['cursor=x', 'outcome=good', 'since=now', 'limit=501', 'format=jsonl', 'colour=1'])(
    'cannot be requested with %s',
    async (query) => {
      const { status, json } = await ask('GET', `/api/records?${query}`)
      const field = query === 'format=jsonl' ? 'endpoint' : query.split('=')[0]
      expect([status, json.error.field]).toEqual([422, field])
    },
  )

  test('come with the usage of the limits', async () => {
    const limits = { endpoint: { rowsPerDay: 100_000 } }
    await ask('PATCH', '/api/endpoints/shop', { limits })
    const { status, json } = await ask('GET', '/api/endpoints/shop/usage?caller=bob')
    expect(status).toBe(200)
    for (const use of [json.endpoint, json.caller]) {
      expect(use).toEqual({
        ...{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), rows: 0, bytes: 0, running: 0 },
      })
    }
    expect((await ask('GET', '/api/endpoints/none/usage')).status).toBe(404)
  })
})

describe('settings', () => {
  test('are changed by a merge patch', async () => {
    const hosts = ['db.internal', '10.1.0.0/16']
    const set = { defaultEndpoint: 'shop', privateHosts: hosts }
    expect((await ask('PATCH', '/api/settings', set)).json).toEqual(set)
    const { json } = await ask('PATCH', '/api/settings', { privateHosts: null })
    expect(json).toEqual({ defaultEndpoint: 'shop' })
    expect((await ask('GET', '/api/settings')).json).toEqual(json)
  })

  test.each<[field: string, value: object]>([
    ['defaultEndpoint', { defaultEndpoint: 'none' }],
    ['privateHosts[0]', { privateHosts: ['not a host'] }],
    ['colour', { colour: 'red' }],
  ])('are refused with the field that is wrong: %s', async (field, value) => {
    const { status, json } = await ask('PATCH', '/api/settings', value)
    expect([status, json.error.field]).toEqual([422, field])
  })

  test('can allow a private host for a database', async () => {
    const url = 'postgres://a:b@10.1.2.3/x'
    const value = { name: 'private', title: 'P', databases: { a: { url } } }
    expect((await ask('POST', '/api/endpoints', value)).status).toBe(422)
    await ask('PATCH', '/api/settings', { privateHosts: ['10.1.0.0/16'] })
    expect((await ask('POST', '/api/endpoints', value)).status).toBe(201)
    await ask('DELETE', '/api/endpoints/private')
  })

  test('can allow several hosts for a database, and each of them is checked', async () => {
    const made = (hosts: string) => {
      const url = `postgres://a:${PASSWORD}@${hosts}/x?target_session_attrs=standby`
      return ask('POST', '/api/endpoints', { name: 'two', title: 'T', databases: { a: { url } } })
    }
    const two = await made('10.1.2.3:5432,10.1.2.4:5433')
    expect([two.status, two.json.credentials]).toMatchObject([
      201,
      { a: { host: '10.1.2.3,10.1.2.4' } },
    ])
    await ask('DELETE', '/api/endpoints/two')
    const other = await made('10.1.2.3:5432,10.2.2.4:5433')
    expect([other.status, other.json.error.message]).toEqual([
      422,
      expect.stringContaining('host 10.2.2.4 is not a public address'),
    ])
    // An allowed host must still be valid.
    await ask('PATCH', '/api/settings', { privateHosts: ['*'] })
    const none = await made('10.1.2.3:x,10.1.2.4')
    expect([none.status, none.json.error.field]).toEqual([422, 'databases.a.url'])
  })
})

describe('malformed requests', () => {
  test('get 400 for a body that is not JSON, without repeating it', async () => {
    const { status, json, text } = await ask('POST', '/api/endpoints', `{"name": ${PASSWORD}`)
    expect([status, json.error.code]).toEqual([400, 'malformed'])
    expect(json.error.message).toContain('line 1, column 10')
    expect(text).not.toContain(PASSWORD)
  })

  test('get 413 for a body that is too large', async () => {
    const { status, json } = await ask('POST', '/api/keys', `"${'x'.repeat(1024 * 1024)}"`)
    expect([status, json.error.code]).toEqual([413, 'too_large'])
  })

  test('get 422 for a group that is nested too deeply', async () => {
    const lists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const databases = `{ "demo": { "more": ${lists} } }`
    const body = `{ "name": "deep", "endpoints": { "demo": { "databases": ${databases} } } }`
    const { status, json } = await ask('POST', '/api/groups', body)
    expect([status, json.error.field]).toEqual([422, 'endpoints.demo.databases.demo.more'])
  })

  test('get 422 for a patch that is nested too deeply', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    expect((await ask('PATCH', '/api/endpoints/shop', deep)).status).toBe(422)
  })

  test('get 404 for an unknown path', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api/endpoints/NO%2F', '/api/keys/%00']) {
      const { status, json } = await ask('GET', path)
      expect([path, status, json.error.code]).toEqual([path, 404, 'not_found'])
    }
  })

  test('get 405 for an unsupported method, with the supported methods', async () => {
    const { status, headers } = await ask('DELETE', '/api/endpoints')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, HEAD'])
    expect((await ask('GET', '/api/restore')).headers.get('allow')).toBe('POST')
  })

  test('get 422 for an invalid query', async () => {
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=%20', 'colour=1']) {
      const { status, json } = await ask('GET', `/api/endpoints?${query}`)
      expect([query, status, json.error.field]).toEqual([query, 422, query.split('=')[0]])
    }
  })
})

describe('the OpenAPI document', () => {
  test('is valid, and lists every route', async () => {
    const { json } = await ask('GET', '/api/openapi.json')
    expect(await new Validator().validate(json)).toEqual({ valid: true })
    expect(json.openapi).toMatch(/^3\.1\./)
    const { routes } = await import('../../src/registry/api/index.ts')
    const operations = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(operations.sort()).toEqual(routes.map((it) => `${it.method} ${it.path}`).sort())
    // The routes also exist.
    for (const operation of operations) {
      const [method = '', path = ''] = operation.split(' ')
      const { status } = await askApi(worker, method.toUpperCase(), path, undefined, {})
      expect([operation, status]).toEqual([operation, 401])
    }
  })
})

test('no response and no log line contains a planted secret', async () => {
  for (const path of ['/api/endpoints', '/api/keys', '/api/groups', '/api/status', '/api/export']) {
    await ask('GET', path)
  }
  const said = [...answers.map(({ text }) => text), ...worker.logs()].join('\n')
  for (const secret of [PASSWORD, operated.TIDEGATE_SECRET, OPERATOR_KEY, ...keys]) {
    expect(said.includes(secret)).toBe(false)
  }
  expect(keys.length).toBeGreaterThan(2)
})

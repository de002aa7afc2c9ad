import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MODERN, requestOf } from '../support/mcp.ts'
import { describePostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { callTool, post, type RunningWorker, startWorker } from '../support/worker.ts'

const setup = `
  create table orders (id int, country text, total int);
  insert into orders values (1, 'DE', 7), (2, 'DE', 5), (3, 'NO', 9);
`

const REVENUE = {
  question: 'What did we earn in each country?',
  sql: 'select country, sum(total) from orders group by 1 order by 1',
  as: 'tool',
}
const AT = '/api/endpoints/shop/questions'

await describePostgres('the questions of a registry endpoint', setup, (postgres) => {
  let worker: RunningWorker
  const ask = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)
  const asOperator = { authorization: `Bearer ${OPERATOR_KEY}` }
  const names = async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { json } = await post(`${worker.url}/mcp/shop`, list, asOperator)
    return json().result.tools.map((it: { name: string }) => it.name)
  }
  /** A client that listens for changes in the tools, and its notifications after the first response. */
  async function listen() {
    const params = { notifications: { toolsListChanged: true } }
    const request = requestOf(MODERN, { method: 'subscriptions/listen', params })
    const { body } = await fetch(`${worker.url}/mcp/shop`, {
      ...{ method: 'POST', body: await request.text() },
      headers: { ...Object.fromEntries(request.headers), ...asOperator },
    })
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    let read = 0
    const next = async (): Promise<string> => {
      for (;;) {
        const method = [...text.matchAll(/^data: .*"method":"([^"]+)"/gm)][read]?.[1]
        if (method !== undefined) {
          read++
          return method
        }
        const { value, done } = await reader.read()
        if (done) return 'the end'
        text += value
      }
    }
    expect(await next()).toBe('notifications/subscriptions/acknowledged')
    expect(text).toContain('toolsListChanged')
    return { next, leave: () => reader.cancel() }
  }
  beforeAll(async () => {
    worker = await startWorker({ ...operated, ENDPOINTS: '' })
    const databases = { main: { url: `${postgres.tcp(postgres.reader)}?sslmode=disable` } }
    const made = await ask('POST', '/api/endpoints', { name: 'shop', title: 'Shop', databases })
    expect(made.status).toBe(201)
  })
  afterAll(() => worker?.close())

  test('are saved with their checker and time, and served at once', async () => {
    const before = Date.now()
    const { status, json } = await ask('PUT', `${AT}/revenue`, REVENUE)
    expect(status).toBe(200)
    expect(json).toEqual({
      ...{ name: 'revenue', ...REVENUE },
      ...{ by: 'operator', at: expect.any(String), state: 'served' },
    })
    expect(Date.parse(json.at)).toBeGreaterThanOrEqual(before)
    expect(await names()).toContain('revenue')
    const { structuredContent } = await callTool(
      `${worker.url}/mcp/shop`,
      'revenue',
      {},
      asOperator,
    )
    expect(structuredContent.rows.map((row: unknown[]) => row[0])).toEqual(['DE', 'NO'])
    expect((await ask('GET', AT)).json.questions).toEqual([json])
  })

  test('are refused if the guard or the database refuses the statement', async () => {
    const refused = async (sql: string) => {
      const { status, json } = await ask('PUT', `${AT}/wrong`, { ...REVENUE, sql })
      expect([status, json.error.field]).toEqual([422, 'questions[1].sql'])
      return json.error.message
    }
    expect(await refused('delete from orders')).toContain('The statement for wrong cannot run')
    expect(await refused('select amount from orders')).toContain('amount')
    expect(await refused('select id from orders where id = $1')).toContain('cannot run')
    expect((await ask('GET', AT)).json.questions).toHaveLength(1)
  })

  test('are refused with an invalid name, an overlong string or an unknown field', async () => {
    const status = async (path: string, more: object) =>
      (await ask('PUT', path, { ...REVENUE, ...more })).status
    expect(await status(`${AT}/Revenue%20by`, {})).toBe(422)
    expect(await status(`${AT}/${'a'.repeat(31)}`, {})).toBe(404)
    expect(await status(`${AT}/query`, {})).toBe(422)
    expect(await status(`${AT}/one`, { question: 'a'.repeat(301) })).toBe(422)
    expect(await status(`${AT}/one`, { sql: `select 1 ${' '.repeat(20_000)}` })).toBe(422)
    expect(await status(`${AT}/one`, { by: 'somebody else' })).toBe(422)
    expect(await status('/api/endpoints/none/questions/one', {})).toBe(404)
    const long = { as: 'example', sql: `select ${'1 + '.repeat(200)}1` }
    const { json } = await ask('PUT', `${AT}/one`, { ...REVENUE, ...long })
    expect(json.error.message).toContain('Serve some of them as tools')
  })

  test('keep their signature when the endpoint is changed, and cannot be forged', async () => {
    const { json: was } = await ask('GET', '/api/endpoints/shop')
    const [one] = was.questions
    const forged = { ...one, by: 'eve@example.com', at: '2001-01-01T00:00:00Z' }
    const { json: is } = await ask('PATCH', '/api/endpoints/shop', {
      title: 'Web shop',
      questions: [forged, { ...forged, name: 'second' }],
    })
    expect(is.questions[0]).toEqual(one)
    expect(is.questions[1]).toMatchObject({ name: 'second', by: 'operator' })
    expect(is.questions[1].at).not.toBe(forged.at)
    await ask('DELETE', `${AT}/second`)
  })

  test('are marked and not served while a column is renamed, and served afterward', async () => {
    const heard = await listen()
    await postgres.admin('alter table orders rename column total to amount')
    const call = () => callTool(`${worker.url}/mcp/shop`, 'revenue', {}, asOperator)
    const failed = await call()
    expect(failed.isError).toBe(true)
    expect(failed.content[0].text).toContain('The verified question revenue no longer works')
    expect(await names()).not.toContain('revenue')
    expect(await heard.next()).toBe('notifications/tools/list_changed')
    const { json } = await ask('GET', AT)
    expect(json.questions).toMatchObject([
      { state: 'broken', problem: 'column "total" does not exist' },
    ])
    const { json: preview } = await ask('POST', '/api/endpoints/shop/preview', {})
    expect(preview.tools.map((it: { name: string }) => it.name)).not.toContain('revenue')
    const tested = await ask('POST', '/api/endpoints/shop/test')
    expect(tested.json.databases[0].broken).toEqual([
      'Its question revenue is not served: column "total" does not exist',
    ])
    await postgres.admin('alter table orders rename column amount to total')
    expect((await ask('GET', AT)).json.questions).toMatchObject([{ state: 'served' }])
    // Callers get the same state as the operator.
    expect(await names()).toContain('revenue')
    expect(await heard.next()).toBe('notifications/tools/list_changed')
    await heard.leave()
  })

  test('that a patch removed leave a group with an error that names no other tools', async () => {
    const at = '/api/endpoints/left'
    const one = { ...REVENUE, sql: 'select 1' }
    const questions = [
      { ...one, name: 'named' },
      { ...one, name: 'board_salaries' },
    ]
    const databases = { main: { url: 'demo:' } }
    await ask('POST', '/api/endpoints', { name: 'left', title: 'Left', databases, questions })
    const { json: key } = await ask('POST', '/api/keys', { label: 'a', endpoints: ['left'] })
    const rules = { left: { tools: ['named'] } }
    await ask('POST', '/api/groups', { name: 'few', keys: [key.id], endpoints: rules })
    for (const left of [questions.slice(1), null]) {
      expect((await ask('PATCH', at, { questions: left })).status).toBe(200)
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const bearer = { authorization: `Bearer ${key.key}` }
      await expect
        .poll(async () => (await post(`${worker.url}/mcp/left`, list, bearer)).text)
        .toContain("Your group's rules name something that the endpoint left no longer has")
      const { text } = await post(`${worker.url}/mcp/left`, list, bearer)
      expect(text).not.toMatch(/board_salaries|query|named/)
    }
    expect((await ask('POST', '/api/groups/few/test')).text).toContain('named')
    await ask('DELETE', '/api/groups/few')
    await ask('DELETE', at)
  })

  test('cannot be removed while a group’s rules name them', async () => {
    const group = { name: 'sales', endpoints: { shop: { tools: ['revenue'] } } }
    expect((await ask('POST', '/api/groups', group)).status).toBe(201)
    const { status, json } = await ask('DELETE', `${AT}/revenue`)
    expect([status, json.error.message]).toEqual([
      409,
      'The group sales names the question revenue. Remove it from the group first.',
    ])
    expect((await ask('DELETE', '/api/groups/sales')).status).toBe(204)
  })

  test('can be exported and restored', async () => {
    const exported = (await askApi(worker, 'GET', '/api/export')).text
    expect((await ask('POST', '/api/restore?mode=replace', exported)).status).toBe(200)
    expect((await ask('GET', AT)).json.questions).toMatchObject([{ name: 'revenue' }])
  })

  test('can be removed', async () => {
    expect((await ask('DELETE', `${AT}/revenue`)).status).toBe(204)
    expect((await ask('DELETE', `${AT}/revenue`)).status).toBe(404)
    expect(await names()).not.toContain('revenue')
    expect((await ask('GET', '/api/endpoints/shop')).json.questions).toBeUndefined()
  })

  test('report that an example cannot be served without query', async () => {
    await ask('PATCH', '/api/endpoints/shop', { sql: false })
    const { json } = await ask('PUT', `${AT}/revenue`, { ...REVENUE, as: 'example' })
    expect(json).toMatchObject({ state: 'broken', problem: expect.stringContaining('Serve it as') })
  })
})

describe('the questions in the configuration', () => {
  let worker: RunningWorker
  beforeAll(async () => {
    const orders = {
      ...{ name: 'orders', question: 'How many orders are there?' },
      ...{ sql: 'select count(*) as n from orders', as: 'tool' },
      ...{ by: 'ada@example.com', at: '2026-11-22T14:00:00Z' },
    }
    const gone = { ...orders, name: 'gone', sql: 'select nothing_of_it from orders' }
    const endpoint = {
      ...{ name: 'shop', title: 'Shop', access: 'public' },
      ...{ databases: { demo: { url: 'demo:' } }, questions: [orders, gone] },
    }
    worker = await startWorker({ ...operated, ENDPOINTS: JSON.stringify([endpoint]) })
  })
  afterAll(() => worker?.close())

  test('are served on the demo store, except for a question that does not work', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { json } = await post(`${worker.url}/mcp/shop`, list)
    const names = json().result.tools.map((it: { name: string }) => it.name)
    expect(names.slice(-1)).toEqual(['orders'])
    const { structuredContent } = await callTool(`${worker.url}/mcp/shop`, 'orders')
    expect(structuredContent.rows[0][0]).toBeGreaterThan(100)
    const refused = await callTool(`${worker.url}/mcp/shop`, 'gone')
    expect(refused.content[0].text).toContain('nothing_of_it')
  })

  test('are shown by the API, which cannot change them', async () => {
    const { json } = await askApi(worker, 'GET', AT)
    expect(json.questions).toMatchObject([
      { name: 'orders', by: 'ada@example.com', state: 'served' },
      { name: 'gone', state: 'broken', problem: expect.stringContaining('nothing_of_it') },
    ])
    expect((await askApi(worker, 'PUT', `${AT}/orders`, REVENUE)).status).toBe(409)
    expect((await askApi(worker, 'DELETE', `${AT}/orders`)).status).toBe(409)
  })
})

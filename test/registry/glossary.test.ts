import { afterAll, beforeAll, expect, test } from 'vitest'
import { describePostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { callTool, post, type RunningWorker, startWorker } from '../support/worker.ts'

const setup = `
  create table customers (id integer primary key, name text);
  create table orders (id integer primary key, customer_id integer references customers (id),
    parent_id integer references orders (id), status text);
  comment on table orders is 'its own comment';
  comment on column orders.status is 'own comment of status';
  create table wide (id integer primary key);
  do $$ begin for i in 1..1000 loop execute format('alter table wide add c%s integer', i); end loop; end $$;
  do $$ begin for i in 1..9 loop
    execute format('create table part%s (id integer primary key, order_id integer references orders (id))', i);
  end loop; end $$;`

await describePostgres('a glossary in the registry', setup, (postgres) => {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker(operated)
    const databases = { main: { url: postgres.tcp(postgres.reader) } }
    const made = { name: 'shop', title: 'Shop', databases }
    expect((await askApi(worker, 'POST', '/api/endpoints', made)).status).toBe(201)
  })
  afterAll(() => worker.close())

  const key = { authorization: `Bearer ${OPERATOR_KEY}` }
  const say = (glossary: object, more: object = {}) =>
    askApi(worker, 'PATCH', '/api/endpoints/shop', { databases: { main: { glossary } }, ...more })
  const glossaryNow = async () =>
    (await askApi(worker, 'GET', '/api/endpoints/shop')).json.databases.main.glossary
  const described = async (table: string) =>
    (await callTool(`${worker.url}/mcp/shop`, 'describe_table', { table }, key)).structuredContent
  const schema = async (query: Record<string, string> = {}) =>
    (await askApi(worker, 'GET', `/api/endpoints/shop/schema?${new URLSearchParams(query)}`)).json

  test('is read by the next call, and removed by null', async () => {
    expect((await described('orders')).comment).toBe('its own comment')
    await say({ orders: { description: 'One row for each order.', columns: { status: 'Said.' } } })
    const found = await described('orders')
    expect(found.comment).toBe('One row for each order.')
    expect(found.columns.at(-1).comment).toBe('Said.')
    await say({ orders: { columns: { status: null } } })
    expect((await described('orders')).columns.at(-1).comment).toBe('own comment of status')
    await say({ orders: null })
    expect((await described('orders')).comment).toBe('its own comment')
  })

  test('puts its terms into the server’s instructions', async () => {
    await say({}, { terms: { GMV: 'Sum of what shipped.' } })
    const initialize = {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    }
    const { result } = (await post(`${worker.url}/mcp/shop`, initialize, key)).json()
    expect(result.instructions).toContain('Terms used here: GMV: Sum of what shipped')
  })

  test('keeps every entry if people write simultaneously', async () => {
    const people = Array.from({ length: 3 }, (_, i) => `part${i + 1}`)
    const answers = await Promise.all(people.map((it) => say({ [it]: { description: it } })))
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200))
    expect(Object.keys(await glossaryNow()).sort()).toEqual(people)
  })

  test('is refused completely if a part is too long, with the name of the part', async () => {
    const before = await glossaryNow()
    const { status, json } = await say({ orders: { description: 'x'.repeat(501) }, part9: {} })
    expect([status, json.error.field]).toEqual([422, 'databases.main.glossary.orders.description'])
    expect(await glossaryNow()).toEqual(before)
  })

  test('is shown to the operator next to database comments, even while switched off', async () => {
    await say({
      orders: { description: 'Said.', columns: { status: 'Said of status.', gone: 'x' } },
      nowhere: { description: 'x' },
    })
    await askApi(worker, 'PATCH', '/api/endpoints/shop', { active: false })
    const { table, dialect } = await schema({ table: 'ORDERS' })
    expect(dialect).toBe('PostgreSQL')
    expect(table).toMatchObject({
      ...{ name: 'orders', entry: 'orders', comment: 'its own comment', description: 'Said.' },
      ...{ primaryKey: ['id'], totalColumns: 4, gone: ['gone'], relations: 12 },
    })
    expect(table.columns[3]).toMatchObject({
      ...{ name: 'status', comment: 'own comment of status', description: 'Said of status.' },
    })
    // The nearest are customers and five of the nine. A self-reference is not a neighbor.
    expect(table.neighbours.map(({ name }: { name: string }) => name)).toHaveLength(6)
    expect(table.neighbours[0]).toMatchObject({ name: 'customers', totalColumns: 2 })
    expect(table.reads.text).toContain('Said of status.')
    expect(table.reads.tokens).toBe(Math.ceil(table.reads.text.length / 4))
    await askApi(worker, 'PATCH', '/api/endpoints/shop', { active: true })
    const read = await callTool(
      `${worker.url}/mcp/shop`,
      'describe_table',
      { table: 'orders' },
      key,
    )
    expect(JSON.parse(table.reads.text)).toEqual(read.structuredContent)
  })

  test('can be listed page by page and searched, with entries that have no table', async () => {
    const all = await schema({ limit: '5', compare: 'yes' })
    expect(all).toMatchObject({ total: 12, next: 5, gone: ['nowhere'] })
    expect(all.tables[0]).toMatchObject({ name: 'customers', columns: 2, described: false })
    const { tables, total } = await schema({ search: 'said of STATUS' })
    expect([total, tables[0]]).toMatchObject([
      1,
      { name: 'orders', described: true, describedColumns: 2 },
    ])
    const wide = (await schema({ table: 'wide', offset: '990' })).table
    expect(wide).toMatchObject({ totalColumns: 1_001 })
    expect(wide.columns).toHaveLength(11)
    expect((await schema({ table: 'wide' })).table.next).toBe(50)
  })

  test('explains in words that a table, a database or an endpoint does not exist', async () => {
    const ask = (path: string) => askApi(worker, 'GET', `/api/endpoints/${path}`)
    const told = async (path: string) => {
      const { status, json } = await ask(path)
      return [status, json.error.message]
    }
    expect(await told('shop/schema?table=order')).toEqual([
      404,
      'There is no table called "order". Did you mean orders?',
    ])
    expect(await told('shop/schema?database=x')).toEqual([404, 'Say which database: main.'])
    expect(await told('nothing/schema')).toEqual([404, 'The endpoint nothing does not exist.'])
    expect((await ask('shop/schema?limit=1000')).status).toBe(422)
  })

  test('for a database that does not respond reports that', async () => {
    const databases = { main: { url: 'postgres://reader@127.0.0.1:1/shop?sslmode=disable' } }
    await askApi(worker, 'POST', '/api/endpoints', { name: 'away', title: 'Away', databases })
    const { status, json } = await askApi(worker, 'GET', '/api/endpoints/away/schema')
    expect(status).toBe(503)
    expect(json.error.message).toMatch(/^The database does not answer\. /)
  })
})

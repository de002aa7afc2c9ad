import { expect, test } from 'vitest'
import { assertCustomTools, ConfigError, gateway, readEndpoints } from '../../src/gateway/index.ts'
import { type Caller, serve } from '../../src/mcp/index.ts'
import { ask, requestOf } from '../support/mcp.ts'
import { describePostgres } from '../support/postgres.ts'

const orders = {
  name: 'orders_of',
  description: 'Orders of one customer of your own shop.',
  sql: 'select id, status from orders where tenant = $2 and customer = $1 and status = $3 order by id',
  params: [
    { name: 'customer', type: 'integer', min: 1, max: 99, description: 'Its number.' },
    { name: 'tenant', claim: 'tenant' },
    { name: 'status', type: 'string', values: ['open', 'paid'], default: 'open' },
  ],
}

const since = {
  name: 'orders_since',
  title: 'Orders since a day',
  description: 'Orders placed on that day or later.',
  sql: 'select id from orders where placed >= $1::date order by id',
  params: [{ name: 'day', type: 'date', min: '2025-01-01', max: '2026-12-31' }],
}

const setup = `
  create table orders (id int, tenant text, customer int, status text, placed date);
  insert into orders values
    (1, 'north', 7, 'open', '2025-03-01'), (2, 'south', 7, 'open', '2025-04-01'),
    (3, 'north', 7, 'paid', '2025-05-01'), (4, 'north', 8, 'open', '2026-06-01');
  create table secrets (id int, owner text);
  insert into secrets values (1, 'somebody else');
  alter table secrets enable row level security;
  create policy own on secrets using (owner = current_user);
`

await describePostgres('an endpoint with custom tools', setup, (postgres) => {
  const endpoint = async (more: object) => {
    const [found] = readEndpoints({
      ENDPOINTS: JSON.stringify([
        { name: 'shop', title: 'Shop', databases: { shop: { url: 'secret:SHOP' } }, ...more },
      ]),
    })
    const io = { fetch, bindings: { SHOP: postgres.tcp(postgres.reader) } }
    await assertCustomTools(found!, io)
    return gateway(found!, io)
  }
  const north: Caller = { subject: 'ada', scopes: [], claims: { tenant: 'north' } }
  const call = async (more: object, name: string, args: object, caller?: Caller) => {
    const request = requestOf('2026-07-28', {
      method: 'tools/call',
      params: { name, arguments: args },
    })
    return (await ask({ server: await endpoint(more), caller }, request)).body.result
  }
  const list = async (more: object) => {
    const request = requestOf('2026-07-28', { method: 'tools/list' })
    return (await ask({ server: await endpoint(more) }, request)).body.result.tools
  }

  test('lists them after the others, with only the parameters that a model can set', async () => {
    const tools = await list({ tools: ['list_tables', orders, since] })
    expect(tools.map((it: { name: string }) => it.name)).toEqual([
      'list_tables',
      'orders_of',
      'orders_since',
    ])
    expect(tools[1]).toMatchObject({ title: 'orders of', annotations: { readOnlyHint: true } })
    expect(tools[1].inputSchema).toEqual({
      type: 'object',
      properties: {
        customer: { type: 'integer', minimum: 1, maximum: 99, description: 'Its number.' },
        status: { type: 'string', enum: ['open', 'paid'], default: 'open' },
      },
      required: ['customer'],
    })
    expect(JSON.stringify(tools)).not.toContain('tenant')
  })

  test('binds claims of the caller, which the model cannot override', async () => {
    const more = { tools: [orders] }
    const mine = await call(more, 'orders_of', { customer: 7 }, north)
    expect(mine.structuredContent.rows).toEqual([[1, 'open']])
    const south = { ...north, claims: { tenant: 'south' } }
    const theirs = await call(more, 'orders_of', { customer: 7 }, south)
    expect(theirs.structuredContent.rows).toEqual([[2, 'open']])
    const forged = await call(more, 'orders_of', { customer: 7, tenant: 'south' }, north)
    expect(forged.isError).toBe(true)
    for (const caller of [undefined, { subject: 'bob', scopes: [] }]) {
      const nobody = await call(more, 'orders_of', { customer: 7 }, caller)
      expect(nobody).toMatchObject({ isError: true })
      expect(nobody.content[0].text).toContain('does not include "tenant"')
    }
    const paid = await call(more, 'orders_of', { customer: 7, status: 'paid' }, north)
    expect(paid.structuredContent.rows).toEqual([[3, 'paid']])
  })

  test.each([
    [{ customer: 0 }, 'customer'],
    [{ customer: 100 }, 'customer'],
    [{ customer: 1.5 }, 'customer'],
    [{ customer: '7 or true' }, 'customer'],
    [{ customer: 7, status: "open' or '1'='1" }, 'status'],
    [{}, 'customer'],
  ])('refuses invalid values: %j', async (args, name) => {
    const refused = await call({ tools: [orders] }, 'orders_of', args, north)
    expect(refused.isError).toBe(true)
    expect(refused.content[0].text).toContain(name)
  })

  test('accepts only dates between min and max', async () => {
    const more = { tools: [since] }
    const found = await call(more, 'orders_since', { day: '2025-05-01' })
    expect(found.structuredContent.rows).toEqual([[3], [4]])
    for (const day of ['2024-12-31', '2027-01-01', 'yesterday', '2025-05-01T00:00']) {
      expect((await call(more, 'orders_since', { day })).isError).toBe(true)
    }
  })

  test('accepts every date if there is no min or max', async () => {
    const day = { name: 'day', type: 'date' }
    const more = { tools: [{ ...since, sql: 'select $1::date as day', params: [day] }] }
    for (const day of ['0001-01-01', '9999-12-31']) {
      const found = await call(more, 'orders_since', { day })
      expect(found.structuredContent.rows).toEqual([[day]])
    }
  })

  test('accepts a parameter called database if there is only one database', async () => {
    const params = [{ name: 'database', type: 'string' }]
    const more = { tools: [{ ...since, sql: 'select $1::text as said', params }] }
    const found = await call(more, 'orders_since', { database: 'books' })
    expect(found.structuredContent.rows).toEqual([['books']])
  })

  test.each([
    [
      { tools: [{ ...orders, sql: 'delete from orders' }] },
      /orders_of that cannot run: Only SELECT/,
    ],
    [
      { tools: [{ ...orders, database: 'nowhere' }] },
      /orders_of that names an unknown database\. There are: shop\.$/,
    ],
    [
      { tools: [orders], databases: { one: { url: 'secret:SHOP' }, two: { url: 'secret:SHOP' } } },
      /orders_of that names no database\. There are: one, two\.$/,
    ],
    [
      { search: [{ database: 'nowhere', table: 'orders', title: 'id', text: ['status'] }] },
      /searches a table orders that names an unknown database\. There are: shop\.$/,
    ],
    [{ tools: [{ ...orders, name: 'query' }] }, /two tools called query/],
    [{ tools: [orders, orders] }, /two tools called orders_of/],
    [{ tools: ['qeury'] }, /There are: list_tables/],
  ])('is not served with an invalid tool or search', async (more, sentence) => {
    await expect(endpoint(more)).rejects.toThrow(ConfigError)
    await expect(endpoint(more)).rejects.toThrow(sentence)
  })

  test('can have no free SQL, and says so in the error', async () => {
    const names = (await list({ sql: false })).map((it: { name: string }) => it.name)
    expect(names).toEqual(['list_tables', 'describe_table', 'query_table'])
    for (const name of ['query', 'explain_query']) {
      const refused = await call({ sql: false }, name, { sql: 'select 1' })
      expect(refused).toMatchObject({
        isError: true,
        content: [{ text: 'This endpoint has no free SQL: use query_table.' }],
      })
    }
    expect((await endpoint({ sql: false })).instructions).toContain('then query_table.')
  })

  test('can write the same rows as CSV or Markdown', async () => {
    const sql = `select 'a,b' as x, null as y, '' as z, 'p|q' || chr(10) || 'r' as "n|m", '{"a":[1]}'::jsonb as j`
    const text = async (format: string) => {
      const { content, structuredContent } = await call({ format }, 'query', { sql })
      expect(structuredContent.rows).toEqual([['a,b', null, '', 'p|q\nr', { a: [1] }]])
      return content[0].text
    }
    expect(await text('csv')).toBe('x,y,z,n|m,j\n"a,b",,"","p|q\nr","{""a"":[1]}"')
    expect(await text('markdown')).toBe(
      '| x | y | z | n\\|m | j |\n| --- | --- | --- | --- | --- |\n| a,b | NULL |  | p\\|q<br>r | {"a":[1]} |',
    )
    const { content } = await call({ format: 'csv', caps: { rows: 1 } }, 'query', {
      sql: 'select id from orders order by id',
    })
    expect(content[0].text).toMatch(/^id\n1\n\nOnly the first 1 rows/)
  })

  test('names row-level security as a possible reason for an empty answer', async () => {
    for (const [name, args] of [
      ['query', { sql: 'select * from secrets s' }],
      ['query_table', { table: 'secrets' }],
    ] as const) {
      const { structuredContent } = await call({}, name, args)
      expect(structuredContent).toMatchObject({
        rowCount: 0,
        hint: 'No rows, or none that this endpoint may see: secrets has row-level security.',
      })
    }
    const { structuredContent } = await call({}, 'query', {
      sql: `select * from orders where id = 0`,
    })
    expect(structuredContent).not.toHaveProperty('hint')
  })

  test('reports progress during a slow query, to a client that asked for it', async () => {
    const slow = requestOf('2025-11-25', {
      method: 'tools/call',
      params: {
        name: 'query',
        // Not pg_sleep(), which the guard refuses.
        arguments: { sql: 'select count(*) from generate_series(1, 2e9) a' },
        _meta: { progressToken: 'p' },
      },
    })
    slow.headers.set('accept', 'text/event-stream')
    const response = await serve(slow, { server: await endpoint({ caps: { timeoutMs: 4_500 } }) })
    const events = (await response.text()).match(/"progress":\d+/g)
    expect(events).toEqual(['"progress":2', '"progress":4'])
  }, 15_000)
})

test.each([
  'libsql://127.0.0.1:9?authToken=t',
  'mysql://reader@127.0.0.1:9/shop',
  'clickhouse://127.0.0.1:9/shop',
])(
  'a tool is not served if the placeholders in its statement do not match its parameters: %s',
  async (url) => {
    const of = async (sql: string) => {
      const tools = [{ ...orders, sql }]
      const databases = { shop: { url: 'secret:SHOP' } }
      const [found] = readEndpoints({
        ENDPOINTS: JSON.stringify([{ name: 'shop', title: 'Shop', databases, tools }]),
      })
      const io = { fetch, bindings: { SHOP: url } }
      await assertCustomTools(found!, io)
      return gateway(found!, io).tools
    }
    expect(await of(orders.sql)).toHaveLength(1)
    await expect(of('select $1, $2, $3, $4')).rejects.toThrow(
      /^Endpoint shop has a tool orders_of that cannot run: There is no value for \$4/,
    )
    await expect(of('select $1, $3')).rejects.toThrow(
      /cannot run: Nothing .* uses the value of \$2/,
    )
  },
)

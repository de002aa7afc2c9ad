import { afterEach, expect, test, vi } from 'vitest'
import type { Caller } from '../../src/mcp/index.ts'
import { groupBefore } from '../groups/group.ts'
import { endpointBefore, resultOf, structureOf } from '../support/endpoint.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'

const TABLES = `
  create table orders (id integer primary key, customer varchar(80), total integer, note varchar(80));
  insert into orders values (1, 'ada', 10, 'first'), (2, 'bob', 20, 'second');
`

const search = [{ table: 'orders', title: 'customer', text: ['customer', 'note'] }]

/** Calls that read a table with known columns. */
const CALLS = [
  ['query_table', { table: 'orders' }],
  ['query_table', { table: 'orders', columns: ['customer', 'total'], orderBy: ['id desc'] }],
  ['query_table', { table: 'orders', where: [{ column: 'total', op: 'gte', value: '20' }] }],
  ['query_table', { table: 'orders', where: [{ column: 'note', op: 'contains', value: 'IRS' }] }],
  ['query_table', { table: 'orders', columns: ['customer'], aggregates: ['max(amount)'] }],
  ['search', { query: 'ada' }],
  ['fetch', { id: 'main/orders/2' }],
] as const

/** Changes of a table, with the statement that undoes each. */
const CHANGES = [
  ['rename column total to amount', 'orders', 'rename column amount to total'],
  ['rename column note to remark', 'orders', 'rename column remark to note'],
  ['add column amount integer', 'orders', 'drop column amount'],
  ['rename to sales', 'sales', 'rename to orders'],
] as const

type Served = ReturnType<typeof endpointBefore>

/** The answer to a call, without its duration. */
async function answerOf(server: Served, [tool, args]: (typeof CALLS)[number]) {
  const { isError, content, structuredContent = {} } = await resultOf(server, tool, args)
  const { elapsedMs: _, ...answer } = structuredContent
  return isError ? content : answer
}

/** Compares each call after a change with the same call to a new server. */
async function expectAsIfNew(
  url: string,
  change: () => Promise<unknown>,
  calls: readonly (typeof CALLS)[number][] = CALLS,
): Promise<void> {
  const serve = () => endpointBefore(url, { search })
  // Each call has its own server, because one call fills the cache for the next.
  const servers = await Promise.all(
    calls.map(async (call) => {
      const server = serve()
      await answerOf(server, call)
      await structureOf(server, 'describe_table', { table: 'orders' })
      return server
    }),
  )
  await change()
  const found = await Promise.all(calls.map((call, i) => answerOf(servers[i]!, call)))
  expect(found).toEqual(await Promise.all(calls.map((call) => answerOf(serve(), call))))
}

afterEach(() => {
  vi.useRealTimers()
})

await describePostgres('The cached catalog', TABLES, (postgres) => {
  const { neon, reader, admin } = postgres
  const url = postgres.url(reader)

  /** The number of requests that some work causes. */
  async function requestsOf(work: () => Promise<unknown>): Promise<number> {
    const before = neon.requests.length
    await work()
    return neon.requests.length - before
  }

  const reading = (server: Served) =>
    requestsOf(() => structureOf(server, 'query_table', { table: 'orders' }))
  const describing = (server: Served) => structureOf(server, 'describe_table', { table: 'orders' })

  test('lets a known table be read with one request, for as long as catalogSeconds allows', async () => {
    const server = endpointBefore(url, { search })
    const fetching = () => structureOf(server, 'fetch', { id: 'main/orders/1' })
    expect(await reading(server)).toBe(2)
    expect(await reading(server)).toBe(1)
    expect(await requestsOf(fetching)).toBe(2)
    expect(await requestsOf(fetching)).toBe(1)
    expect(await requestsOf(() => structureOf(server, 'search', { query: 'ada' }))).toBe(1)
    expect(await requestsOf(() => describing(server))).toBe(0)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    expect(await reading(server)).toBe(2)
    expect(await reading(server)).toBe(1)

    const keeping = (catalogSeconds: number) =>
      endpointBefore(url, { databases: { main: { url: 'secret:DATABASE', catalogSeconds } } })
    const never = keeping(0)
    await reading(never)
    expect(await reading(never)).toBe(2)
    const long = keeping(3_600)
    await reading(long)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_599_000 })
    expect(await reading(long)).toBe(1)
  })

  const renames = CHANGES.map(
    ([change, now, back]) =>
      [change, `alter table orders ${change}`, `alter table ${now} ${back}`] as const,
  )
  test.each<readonly [string, string, string]>([
    ...renames,
    ['drop', 'alter table orders rename to gone', 'alter table gone rename to orders'],
    [
      'the type of a column',
      'alter table orders alter total type text',
      'alter table orders alter total type integer using total::integer',
    ],
    ['revoke', `revoke select on orders from ${reader}`, `grant select on orders to ${reader}`],
    [
      'revoke of a column',
      `revoke select on orders from ${reader}; grant select (id, customer, note) on orders to ${reader}`,
      `revoke select (id, customer, note) on orders from ${reader}; grant select on orders to ${reader}`,
    ],
  ])('gives the same answers as no cache after a change: %s', async (_, change, back) => {
    try {
      await expectAsIfNew(url, () => admin(change))
    } finally {
      await admin(back)
    }
  })

  test('gives the same answers as no cache after a view replaces a table', async () => {
    const calls = CALLS.filter(([tool]) => tool === 'query_table')
    const change = `alter table orders rename to gone;
      create view orders as select id::text, customer, note, total * 2.5 as total from gone`
    try {
      await expectAsIfNew(url, () => admin(change), calls)
    } finally {
      await admin('drop view orders; alter table gone rename to orders')
    }
  })

  test('is cleared after an error about a name or a privilege, but not after other errors', async () => {
    const server = endpointBefore(url)
    const fails = (sql: string) => resultOf(server, 'query', { sql })
    await reading(server)
    await fails('select 1/0')
    await fails('delete from orders')
    expect(await reading(server)).toBe(1)
    await fails('select nothing from orders')
    expect(await reading(server)).toBe(2)
    await fails('select 1 from nowhere')
    expect(await reading(server)).toBe(2)
    await admin(`create table salaries (id integer); revoke select on salaries from ${reader}`)
    await fails('select * from salaries')
    await admin('drop table salaries')
    expect(await reading(server)).toBe(2)

    await describing(server)
    await admin('alter table orders add column paid boolean')
    try {
      expect(JSON.stringify(await describing(server))).not.toContain('paid')
      await structureOf(server, 'query_table', { table: 'orders', columns: ['paid'] })
      expect(JSON.stringify(await describing(server))).toContain('paid')
    } finally {
      await admin('alter table orders drop column paid')
    }
  })

  test('does not remember that a table was missing', async () => {
    const server = endpointBefore(url)
    const missing = await resultOf(server, 'describe_table', { table: 'late' })
    expect(missing.isError).toBe(true)
    await admin('create table late (id integer primary key, body text unique)')
    try {
      expect(await structureOf(server, 'describe_table', { table: 'late' })).toMatchObject({
        columns: [{ name: 'id' }, { name: 'body' }],
        primaryKey: ['id'],
        uniqueKeys: [['body']],
      })
    } finally {
      await admin('drop table late')
    }
  })

  test('is not used for list_tables and hints', async () => {
    const server = endpointBefore(url)
    await describing(server)
    await structureOf(server, 'list_tables', { detail: true })
    await admin('alter table orders rename column note to remark')
    try {
      const { tables } = await structureOf(server, 'list_tables', { detail: true })
      expect(JSON.stringify(tables)).toContain('remark')
      const hint = await resultOf(server, 'query', { sql: 'select zzz from orders' })
      expect(JSON.stringify(hint.content)).toContain('orders.remark')
    } finally {
      await admin('alter table orders rename column remark to note')
    }
  })

  test('is shared only between calls with the same claims', async () => {
    const claims = { databases: { main: { url: 'secret:DATABASE', claims: true } } }
    await admin(`create policy own on orders for select to ${reader}
      using (customer = current_setting('request.jwt.claims', true)::json ->> 'sub');
      alter table orders enable row level security`)
    const { structure } = groupBefore(url, undefined, { endpoint: claims })
    const read = async (subject: string, more: Partial<Caller> = {}) => {
      const caller = { subject, scopes: [], ...more }
      let rows: unknown
      const requests = await requestsOf(async () => {
        rows = (await structure('query_table', { table: 'orders' }, caller)).rows
      })
      return { requests, rows }
    }
    try {
      const [ada, bob] = [[[1, 'ada', 10, 'first']], [[2, 'bob', 20, 'second']]]
      expect(await read('ada')).toEqual({ requests: 2, rows: ada })
      expect(await read('bob')).toEqual({ requests: 2, rows: bob })
      expect(await read('ada')).toEqual({ requests: 1, rows: ada })
      expect(await read('bob')).toEqual({ requests: 1, rows: bob })
      expect(await read('ada', { scopes: ['other'] })).toEqual({ requests: 2, rows: ada })
    } finally {
      await admin('drop policy own on orders; alter table orders disable row level security')
    }
  })

  test('causes as many requests for a hidden table as for a missing one', async () => {
    await admin('create table salaries (id integer primary key, amount integer)')
    const rules = { databases: { main: { tables: { orders: ['id', 'customer'] } } } }
    const { call } = groupBefore(url, rules)
    const costs = async (table: string) => {
      const costs: number[] = []
      for (let time = 0; time < 3; time++) {
        costs.push(await requestsOf(() => call('query_table', { table })))
        costs.push(await requestsOf(() => call('describe_table', { table })))
        await call('query_table', { table: 'orders' })
      }
      return costs
    }
    try {
      expect(await costs('salaries')).toEqual(await costs('nothings'))
    } finally {
      await admin('drop table salaries')
    }
  })

  test('includes the rules of a group and the glossary', async () => {
    const glossary = { orders: { columns: { customer: 'Who bought.', total: 'In cents.' } } }
    const endpoint = { databases: { main: { url: 'secret:DATABASE', glossary } } }
    const rules = { databases: { main: { tables: { orders: ['id', 'customer'] } } } }
    const { structure, call } = groupBefore(url, rules, { endpoint })
    const cold = await structure('query_table', { table: 'orders' })
    expect(cold.columns.map((it: { name: string }) => it.name)).toEqual(['id', 'customer'])
    const described = await structure('describe_table', { table: 'orders' })
    expect(
      await requestsOf(async () => {
        const warm = await structure('query_table', { table: 'orders' })
        expect(warm.rows).toEqual(cold.rows)
      }),
    ).toBe(1)
    expect(
      await requestsOf(async () => {
        expect(await structure('describe_table', { table: 'orders' })).toEqual(described)
      }),
    ).toBe(0)
    expect(JSON.stringify(described)).toContain('Who bought.')
    expect(JSON.stringify(described)).not.toContain('total')
    const { result } = await call('query_table', { table: 'orders', columns: ['total'] })
    expect(result.content[0].text).toBe('orders has no column called "total".')
  })
})

await describeMariaDb('The cached catalog, on MariaDB', TABLES, ({ url, reader, admin }) => {
  test.each(CHANGES)('gives the same answers as no cache after a change: %s', async (...it) => {
    const [change, now, back] = it
    try {
      await expectAsIfNew(url(reader), () => admin(`alter table orders ${change}`))
    } finally {
      await admin(`alter table ${now} ${back}`)
    }
  })

  test('does not end a session in the middle of an answer to an unneeded lookup', async () => {
    const server = endpointBefore(url(reader), { caps: { timeoutMs: 3_000 } })
    // A name in another letter case is also looked up as written, because most names match that way.
    for (let n = 0; n < 5; n++) {
      const { rows } = await structureOf(server, 'query_table', {
        table: 'ORDERS',
        aggregates: ['count(*)'],
      })
      expect(rows).toEqual([[2]])
    }
  })
})

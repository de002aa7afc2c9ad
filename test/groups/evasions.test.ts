import { afterAll, describe, expect, test } from 'vitest'
import { startD1 } from '../servers/d1.ts'
import { startHrana } from '../servers/hrana.ts'
import { startRqlite } from '../servers/rqlite.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'
import { type Call, calls, statements } from './evasions.ts'
import { type Group, groupBefore } from './group.ts'
import { mariadbSetup, PLANTED, postgresSetup, rules, sqliteSetup } from './place.ts'

/** The endpoint of the group. */
const endpoint = {
  tools: [
    ...['list_tables', 'describe_table', 'query_table', 'query', 'explain_query'],
    {
      name: 'secret_values',
      description: 'A tool that the group has not.',
      sql: 'select zqx_value from zqx_secrets',
    },
  ],
  search: [
    { table: 'zqx_secrets', title: 'zqx_value', text: ['zqx_value'] },
    { table: 'customers', title: 'name', text: ['name', 'zqx_tax'] },
  ],
  caps: { samples: 5 },
}

/** Requests other than tool calls. */
const requests: readonly (readonly [method: string, params: Record<string, unknown>])[] = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ...[
    'main',
    'main/zqx_secrets',
    'main/ZQX_SECRETS',
    'main/customers',
    'main/orders',
    'main/report',
  ]
    .concat([
      'main/lengths',
      'main/faulty',
      'main/zqx_planted_audit',
      'main/sqlite_schema',
      'main/',
    ])
    .concat(['main/sales.orders', 'main/public.zqx_secrets', 'main/pg_class', 'other', 'zqx'])
    .map((it) => ['resources/read', { uri: `schema://${it}` }] as const),
  ['resources/read', { uri: 'result://zqx/0' }],
  ...['', 'z', 'zqx', 'zqx_secrets', 'sec', 'planted', 'o', 'cust', 'ZQX', 'sales'].flatMap(
    (value) =>
      [
        ['profile_table', { type: 'ref/prompt', name: 'profile_table' }],
        ['main/{table}', { type: 'ref/resource', uri: 'schema://main/{table}' }],
      ].map(
        ([, ref]) => ['completion/complete', { ref, argument: { name: 'table', value } }] as const,
      ),
  ),
  ...['explore', 'answer_question', 'profile_table', 'explain_slow_query', 'document_schema'].map(
    (name) => ['prompts/get', { name, arguments: {} }] as const,
  ),
]

/** Replaces hidden names with names that do not exist. */
const renamed = <T>(it: T): T =>
  JSON.parse(JSON.stringify(it).replaceAll('zqx', 'qzx').replaceAll('ZQX', 'QZX'))

/** An answer without its duration, which differs each time. */
const lasting = (it: unknown) => JSON.stringify(it)?.replaceAll(/\\?"elapsedMs\\?":\d+,?/g, '')

/** Tries to see hidden data, with all requests or only with SQL. */
function hidesFrom(group: Group, dialect: keyof typeof statements, only?: 'sql'): void {
  const sql = statements[dialect].flatMap((it): Call[] => [
    ['query', { sql: it }],
    ...(only ? [] : [['explain_query', { sql: it }] as const]),
  ])
  const all: readonly (readonly [string, Record<string, unknown>])[] = [
    ...(only ? [] : requests),
    ...[...(only ? [] : calls), ...sql].map(
      ([name, args]) => ['tools/call', { name, arguments: args }] as const,
    ),
  ]

  test(`shows no marker in ${all.length} answers, and treats hidden names like missing ones`, async () => {
    if (!only) expect(all.length).toBeGreaterThan(400)
    const shown: unknown[] = []
    const told: unknown[] = []
    const tries = all.values()
    const work = async () => {
      for (const [method, params] of tries) {
        const answer = lasting(await group.request(method, params))
        const guess = renamed(params)
        const same = JSON.stringify(guess) === JSON.stringify(params)
        const other = same ? answer : lasting(await group.request(method, guess))
        // Errors repeat what the caller sent.
        const echoed = JSON.stringify(params)
        const said = answer.replaceAll(/planted[\w ]*/gi, (it) => (echoed.includes(it) ? '' : it))
        const named = !/zqx/i.test(echoed) && /zqx/i.test(answer)
        if (named || PLANTED.test(said)) shown.push([method, params, answer])
        if (renamed([answer])[0] !== renamed([other])[0]) told.push([params, answer, other])
      }
    }
    await Promise.all(Array.from({ length: 8 }, work))
    expect(shown).toEqual([])
    expect(told).toEqual([])
  }, 600_000)
}

/** Tests what the group can do. */
function works(group: Group): void {
  test('shows the allowed tables and columns, as if there were no others', async () => {
    const { tables, total } = await group.structure('list_tables')
    expect(tables.map((it: { name: string }) => it.name)).toEqual([
      ...['customers', 'faulty', 'lengths', 'orders', 'report'],
    ])
    expect(total).toBe(5)
    expect(tables[0].columns).toBe(3)
    const detailed = await group.structure('list_tables', { detail: true, search: 'city' })
    expect(detailed.tables).toMatchObject([{ name: 'customers', columns: { length: 3 } }])

    const customers = await group.structure('describe_table', { table: 'CUSTOMERS' })
    expect(customers.columns.map((it: { name: string }) => it.name)).toEqual(['id', 'name', 'city'])
    expect(customers.columns[1].samples).toEqual(['Ada', 'Bob', 'Cy'])
    expect(customers).toMatchObject({
      primaryKey: ['id'],
      referencedBy: [{ table: 'orders', columns: ['id'] }],
    })
    expect(customers.uniqueKeys).toBeUndefined()
    const orders = await group.structure('describe_table', { table: 'orders' })
    expect(orders.foreignKeys).toEqual([
      { columns: ['customer_id'], table: 'customers', tableColumns: ['id'] },
    ])
    expect(JSON.stringify(orders.indexes)).toContain('orders_by_total')

    const all = await group.structure('query_table', { table: 'customers', orderBy: ['id'] })
    expect(all.columns.map((it: { name: string }) => it.name)).toEqual(['id', 'name', 'city'])
    expect(all.rows).toHaveLength(3)
    const counted = { table: 'customers', columns: ['city'], aggregates: ['count(*)'] }
    const { rows } = await group.structure('query_table', { ...counted, orderBy: ['city'] })
    expect(rows).toEqual([
      ['Bern', 2],
      ['Genf', 1],
    ])
    const lengths = await group.structure('query_table', { table: 'lengths', orderBy: ['id'] })
    expect(lengths.rows).toEqual([
      [7, 15],
      [8, 15],
    ])
    const sum = { table: 'orders', aggregates: ['sum(total)'], where: [] }
    expect((await group.structure('query_table', sum)).rows).toEqual(
      [[60]].map(([it]) => [expect.toSatisfy((sum) => Number(sum) === it)]),
    )
    const overview = await group.request('resources/read', { uri: 'schema://main' })
    expect(overview.result.contents[0].text).toContain('customer_id')
  })

  test('suggests visible names', async () => {
    const suggested = async (name: string, args: object) =>
      (await group.call(name, args)).result.content[0].text
    expect(await suggested('describe_table', { table: 'custmers' })).toContain('customers')
    const columns = { table: 'customers', columns: ['cty'] }
    expect(await suggested('query_table', columns)).toContain('city')
  })
}

/** Tests SQL on an engine that reports which tables a statement reads. */
function hasSql(group: Group): void {
  test.each([
    'select count(*) from orders',
    'select id, total from orders where total > 10 order by total desc limit 2',
    'select o.id from main.orders o join "orders" p on p.id = o.id',
    'with big as (select * from orders where total > 5) select count(*) from big',
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select sum(i) from n',
    'select distinct customer_id from orders union select total from orders order by 1',
    'select id, sum(total) over (partition by customer_id order by id) from orders',
    'select (select max(total) from orders), exists (select 1 from orders where total > 25)',
    'select customer_id, group_concat(total), avg(total) from orders group by customer_id having count(*) > 1',
    'select id from orders where id in (select customer_id from orders) and total between 1 and 100',
    "select 1, 'a' || upper('b'), json_object('a', 1), date('2026-01-01')",
    'values (1, 2), (3, 4)',
    'select * from (values (1), (2)) v, orders',
    'select a.id from orders a left join orders b on b.total = a.id where b.id is null',
    'select id from orders where total like $1 or id = $2',
    'select * from orders where secret in (7, 8) or customer_id in (1, 2) limit 1 offset 1',
    'select rowid, total from orders order by rowid desc',
  ])('runs a statement that reads only visible tables: %s', async (sql) => {
    const params = sql.includes('$2') ? ['1%', 3] : []
    expect((await group.structure('query', { sql, params })).rows.length).toBeGreaterThan(0)
    const { summary } = await group.structure('explain_query', { sql, params })
    expect(summary).toBeInstanceOf(Array)
  })

  test('refuses SQL that reads a view of hidden tables', async () => {
    const { result } = await group.call('query', { sql: 'select length from lengths' })
    expect(result.content[0].text).toContain('not clear that this statement reads only tables')
  })

  test('reveals no columns of a table that SQL cannot read', async () => {
    for (const column of ['nope', 'id', 'zqx_tax']) {
      const sql = `select ${column} from orders fetch, customers`
      const { result } = await group.call('query', { sql })
      expect(result.content[0].text).toContain('not clear that this statement reads only tables')
    }
  })

  test('explains that only query_table can read a table', async () => {
    const { result } = await group.call('query', { sql: 'select name from Customers' })
    expect(result.content[0].text).toBe('SQL cannot read customers here: use query_table.')
  })
}

const setup = sqliteSetup
  .split(/;\s*\n/)
  .map((it) => it.trim())
  .filter(Boolean)

const hrana = await startHrana(setup)
const libsql = await startHrana(setup, 'libsql')
const d1 = await startD1(setup)
const rqlite = await startRqlite(setup)
afterAll(async () => {
  await Promise.all([hrana, libsql, d1, rqlite].map((it) => it.close()))
})

const towardsD1: typeof fetch = (url, init) =>
  fetch(String(url).replace('https://api.cloudflare.com', `http://127.0.0.1:${d1.port}`), init)

const options = { endpoint }
const group = { databases: { main: rules as never } }

describe.each([
  ['libSQL', `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}&tls=0`, fetch],
  ["libSQL's own engine", `libsql://127.0.0.1:${libsql.port}?authToken=${TOKEN}&tls=0`, fetch],
  ['D1', `d1://:${TOKEN}@an-account/a-database`, towardsD1],
  ['rqlite', `rqlite://reader:${TOKEN}@127.0.0.1:${rqlite.port}`, fetch],
])('a group on %s', (name, url, send) => {
  const restricted = groupBefore(url, group, { ...options, send: send as typeof fetch })
  hidesFrom(restricted, 'sqlite', name === 'libSQL' ? undefined : 'sql')
  works(restricted)
  hasSql(restricted)
})

test('rules for a schema do not include the internal tables of SQLite', async () => {
  const own = await startHrana([...setup, 'analyze'])
  try {
    const url = `libsql://127.0.0.1:${own.port}?authToken=${TOKEN}&tls=0`
    const main = { schemas: ['main'], tables: { customers: ['id'] } }
    const restricted = groupBefore(url, { databases: { main } })
    for (const sql of [
      'select (with sqlite_stat1 as (select 1 a) select a from sqlite_stat1), s.* from sqlite_stat1 s',
      'select s.* from orders fetch, sqlite_stat1 s',
    ]) {
      const { result } = await restricted.call('query', { sql })
      expect(result).toMatchObject({ isError: true })
      expect(result.content[0].text).not.toMatch(PLANTED)
    }
  } finally {
    await own.close()
  }
})

await describePostgres('a group on PostgreSQL', postgresSetup, (postgres) => {
  const restricted = groupBefore(postgres.tcp(postgres.reader), group, options)
  hidesFrom(restricted, 'postgres')
  works(restricted)

  test('cannot use SQL', async () => {
    const { result } = await restricted.call('query', { sql: 'select id from orders' })
    expect(result.isError).toBe(true)
    const { tools } = (await restricted.request('tools/list')).result
    expect(tools.map((it: { name: string }) => it.name)).not.toContain('query')
  })
})

await describeMariaDb('a group on MariaDB', mariadbSetup, (mariadb) => {
  const restricted = groupBefore(mariadb.url(mariadb.reader), group, options)
  hidesFrom(restricted, 'mariadb')
  works(restricted)
})

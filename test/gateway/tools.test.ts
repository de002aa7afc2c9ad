import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoIn } from '../support/demo-statements.ts'
import { startMariaDb } from '../support/mariadb.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { callTool, post, type RunningWorker, startWorker } from '../support/worker.ts'

/**
 * Runs the tools over the real Worker, on each engine with the same store. The answers must not
 * depend on the engine.
 */
interface Engine {
  readonly url: string
  readonly headers: Record<string, string>
  stop(): Promise<void>
}

async function onSqlite(): Promise<Engine> {
  const worker = await startWorker()
  return { url: `${worker.url}/mcp`, headers: {}, stop: () => worker.close() }
}

async function onPostgres(): Promise<Engine | undefined> {
  const postgres: TestPostgres | undefined = await startPostgres(demoIn('postgres'))
  if (!postgres) return undefined
  const worker: RunningWorker = await startWorker({
    DATABASE_URL: postgres.url(postgres.reader),
    TIDEGATE_KEY: 'test-key',
  })
  return {
    url: `${worker.url}/mcp`,
    headers: { authorization: 'Bearer test-key' },
    stop: async () => {
      await worker.close()
      await postgres.drop()
    },
  }
}

const mariadb = await startMariaDb(demoIn('mysql'))

async function onMariaDb(): Promise<Engine> {
  const worker = await startWorker({
    DATABASE_URL: mariadb!.url(mariadb!.reader),
    TIDEGATE_KEY: 'test-key',
  })
  return {
    url: `${worker.url}/mcp`,
    headers: { authorization: 'Bearer test-key' },
    stop: async () => {
      await worker.close()
      await mariadb!.drop()
    },
  }
}

describe.each([
  ['SQLite in a Durable Object', onSqlite],
  ['PostgreSQL behind Neon', onPostgres],
  ...(mariadb ? ([['MariaDB over TCP', onMariaDb]] as const) : []),
] as const)('on %s', (title, start) => {
  const isPostgres = title.startsWith('PostgreSQL')
  const isSqlite = title.startsWith('SQLite')
  let engine: Engine | undefined
  beforeAll(async () => {
    engine = await start()
  })
  afterAll(() => engine?.stop())

  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<any> => {
    if (!engine) return expect.fail('There is no engine.')
    return callTool(engine.url, name, args, engine.headers)
  }
  const rows = async (name: string, args: Record<string, unknown>) => {
    const result = await call(name, args)
    expect(result.isError, result.content[0].text).toBeUndefined()
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    return result.structuredContent.rows
  }
  const refusal = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const result = await call(name, args)
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(result.content[0].text.length).toBeLessThanOrEqual(1_000)
    return result.content[0].text
  }
  const sql = (text: string, params?: unknown[]) => rows('query', { sql: text, params })

  test('the tools have titles, descriptions and read-only annotations', async () => {
    const { json } = await post(
      engine!.url,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      engine!.headers,
    )
    for (const tool of json().result.tools) {
      expect(tool.name).toMatch(/^[a-z][a-z_]{0,29}$/)
      expect(tool.title).toBeTruthy()
      expect(tool.description.length).toBeGreaterThan(40)
      expect([tool.inputSchema.type, tool.outputSchema.type]).toEqual(['object', 'object'])
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
    }
  })

  test('list_tables lists the tables of the store, and no system tables', async () => {
    const { structuredContent } = await call('list_tables')
    const names = structuredContent.tables.map((it: { name: string }) => it.name)
    expect(names).toEqual([
      'categories',
      'customers',
      'order_items',
      'order_totals',
      'orders',
      'payments',
      'products',
      'reviews',
    ])
    expect(structuredContent.total).toBe(8)
    expect(structuredContent.tables[3]).toMatchObject({ name: 'order_totals', kind: 'view' })
  })

  test('list_tables searches table and column names for literal text', async () => {
    const search = async (text: string) =>
      (await call('list_tables', { search: text })).structuredContent.tables.map(
        (it: { name: string }) => it.name,
      )
    expect(await search('ORDER')).toEqual(['order_items', 'order_totals', 'orders', 'payments'])
    expect(await search('ean')).toEqual(['products'])
    for (const nonsense of ['%', 'or_er', "%'; drop table orders; --", '\\'])
      expect(await search(nonsense)).toEqual([])
    const { structuredContent: nothing } = await call('list_tables', { search: 'order items' })
    expect(nothing.hint).toContain('search for one word')
  })

  test('describe_table shows columns, foreign keys in both directions and indexes', async () => {
    const { structuredContent: table } = await call('describe_table', { table: 'orders' })
    expect(table.columns.map((it: { name: string }) => it.name)).toEqual([
      'id',
      'customer_id',
      'status',
      'ordered_at',
      'shipped_at',
      'note',
    ])
    expect(table.columns[4].nullable).toBe(true)
    expect(table.columns[3]).not.toHaveProperty('nullable')
    expect(table.primaryKey).toEqual(['id'])
    expect(table.foreignKeys).toEqual([
      { columns: ['customer_id'], table: 'customers', tableColumns: ['id'] },
    ])
    expect(table.referencedBy.map((it: { table: string }) => it.table).sort()).toEqual([
      'order_items',
      'payments',
    ])
    expect(table.indexes).toContainEqual({
      name: 'orders_by_customer',
      unique: false,
      columns: ['customer_id', 'ordered_at'],
    })
  })

  test('an error about an unknown table suggests the nearest names', async () => {
    for (const name of ['describe_table', 'query_table']) {
      expect(await refusal(name, { table: 'order' })).toContain('orders')
      expect(await refusal(name, { table: 'costumers' })).toContain('customers')
      expect(await refusal(name, { table: 'people' })).toContain('Available tables: categories,')
    }
    const here = 'Available tables: categories, customers, order_items, order_totals, orders,'
    expect(await refusal('query', { sql: 'select * from people' })).toContain(here)
  })

  test('query_table filters, orders and pages', async () => {
    const list = (args: object) =>
      rows('query_table', {
        table: 'products',
        columns: ['id'],
        orderBy: ['id'],
        ...args,
      })
    expect(await list({ limit: 3, offset: 2 })).toEqual([[3], [4], [5]])
    expect(await list({ where: [{ column: 'id', op: 'in', value: [7, '8', 9_999] }] })).toEqual([
      [7],
      [8],
    ])
    expect(await list({ where: [{ column: 'id', op: 'between', value: [2, 4] }] })).toEqual([
      [2],
      [3],
      [4],
    ])
    expect((await list({ where: [{ column: 'weight_g', op: 'is_null' }] })).length).toBeGreaterThan(
      5,
    )
    expect(
      await rows('query_table', {
        table: 'categories',
        columns: ['name'],
        where: [{ column: 'name', op: 'contains', value: 'OO' }],
        orderBy: ['name desc'],
      }),
    ).toEqual([['Tools'], ['Outdoor'], ['Books']])
    expect(
      await rows('query_table', {
        table: 'products',
        columns: ['id'],
        where: [
          { column: 'discontinued', op: 'eq', value: 'true' },
          { column: 'id', op: 'lt', value: '30' },
        ],
        limit: 100,
      }),
    ).toEqual(
      await sql(
        `select id from products where discontinued = ${isPostgres ? 'true' : '1'} and id < 30 order by id`,
      ),
    )
    expect(
      await rows('query_table', {
        table: 'orders',
        columns: ['id'],
        where: [
          { column: 'ordered_at', op: 'gte', value: '2025-06-01' },
          { column: 'ordered_at', op: 'lt', value: '2025-06-02' },
        ],
        orderBy: ['id'],
      }),
    ).toEqual(
      await sql(
        `select id from orders where ordered_at >= '2025-06-01' and ordered_at < '2025-06-02' order by id`,
      ),
    )
  })

  test('query_table does not run SQL in names or values', async () => {
    expect(await refusal('query_table', { table: 'products', columns: ['nmae'] })).toContain('name')
    expect(
      await refusal('query_table', { table: 'products; drop table products', columns: ['id'] }),
    ).toContain('no table')
    expect(
      await rows('query_table', {
        table: 'customers',
        where: [{ column: 'name', op: 'eq', value: "x' or '1'='1" }],
      }),
    ).toEqual([])
  })

  test('query accepts $1 and $2 in any order, and the placeholders of the engine', async () => {
    const count = `select count(*) from orders where status = 'shipped' and id <= 100`
    const expected = await sql(count)
    const one = 'select count(*) from orders where'
    expect(await sql(`${one} id <= $2 and status = $1`, ['shipped', 100])).toEqual(expected)
    expect(
      await sql(`${one} status = $1 and id <= $2 and status = $1 and '$3' = '$3'`, [
        'shipped',
        100,
      ]),
    ).toEqual(expected)
    const own = isPostgres ? ['$1', '$2'] : ['?', '?']
    expect(await sql(`${one} status = ${own[0]} and id <= ${own[1]}`, ['shipped', 100])).toEqual(
      expected,
    )
    const missing = await refusal('query', { sql: `${one} id = $2`, params: [1] })
    expect(missing).toMatch(isPostgres ? /./ : /no value for \$2: params contains 1 value/)
    if (!isPostgres) {
      expect(await refusal('query', { sql: `${one} id = $1`, params: [1, 2] })).toContain('$2')
    }
  })

  test('query_table groups, aggregates and orders by aggregates', async () => {
    const grouped = await rows('query_table', {
      table: 'orders',
      columns: ['status'],
      aggregates: ['count(*)', 'COUNT(DISTINCT customer_id)', 'max(id)'],
      where: [{ column: 'id', op: 'lte', value: 1_000 }],
      orderBy: ['count(*) desc', 'status'],
    })
    expect(grouped).toEqual(
      await sql(
        `select status, count(*), count(distinct customer_id), max(id) from orders
          where id <= 1000 group by status order by count(*) desc, status`,
      ),
    )
    const { structuredContent: all } = await call('query_table', {
      table: 'payments',
      aggregates: ['sum(amount)'],
    })
    expect(all.columns[0].name).toBe('sum(amount)')
    expect(all.rows).toEqual(await sql('select sum(amount) from payments'))
    expect(await refusal('query_table', { table: 'orders', aggregates: ['sum(totla)'] })).toContain(
      'no column',
    )
    const byCount = {
      table: 'customers',
      columns: ['country'],
      aggregates: ['count(*)'],
      orderBy: ['count desc'],
    }
    expect(await refusal('query_table', byCount)).toContain('or count(*)?')
    for (const evil of ['sleep(9)', 'count(*) from orders; drop table orders --', 'sum(*)', 'id']) {
      expect(await refusal('query_table', { table: 'orders', aggregates: [evil] })).toMatch(
        /not an aggregate|no column/,
      )
    }
  })

  test('explain_query shows the plan, and refuses anything but a single query', async () => {
    const { structuredContent, isError } = await call('explain_query', {
      sql: 'select * from orders where customer_id = $1 order by id',
      params: [7],
    })
    expect(isError).toBeUndefined()
    expect(structuredContent.summary.join('\n')).toMatch(/orders/)
    expect(structuredContent.plan).toBeDefined()
    for (const no of [
      'delete from orders',
      'explain select 1',
      'show tables',
      'select 1; select 2',
    ])
      await refusal('explain_query', { sql: no })
    const wrong = await refusal('explain_query', { sql: 'select\n nmae from customers' })
    expect(wrong).toContain('customers.name')
    if (isPostgres) expect(wrong).toContain('At line 2, column 2: nmae')
  })

  test('list_tables lists columns if detail is true', async () => {
    const { structuredContent } = await call('list_tables', { search: 'categ', detail: true })
    const [categories] = structuredContent.tables
    expect(categories.columns.map((it: string) => it.split(' ')[0])).toEqual([
      'id',
      'name',
      'parent_id',
    ])
  })

  test('an error about an ambiguous column names the tables that have it', async () => {
    const join = 'from orders o join customers c on c.id = o.customer_id'
    for (const sql of [`select id ${join}`, `select o.id ${join} where id = 1`]) {
      for (const name of ['query', 'explain_query']) {
        const text = await refusal(name, { sql })
        expect(text).toContain('Specify the table or its alias: orders.id or customers.id.')
      }
    }
    const alone = await refusal('query', { sql: 'select id from orders a, orders b' })
    expect(alone).toContain('alias: orders.id.')
  })

  test('an error about an unknown table in a statement suggests the nearest name', async () => {
    expect(await refusal('query', { sql: 'select * from costumers' })).toContain('customers')
  })

  test('the totals of the store are the same on every engine', async () => {
    const counts = [
      'categories',
      'products',
      'customers',
      'orders',
      'order_items',
      'payments',
      'reviews',
    ]
    const [found] = await sql(
      `select ${counts.map((it) => `(select count(*) from ${it})`).join(', ')}`,
    )
    expect(found).toEqual([14, 90, 300, 2400, 7209, 2119, 500])
    const [[orders, payments]] = await sql(
      'select round(sum(total), 2), (select round(sum(amount), 2) from payments) from order_totals',
    )
    expect([Number(orders), Number(payments)]).toEqual([1_965_359.6, 1_553_884.58])
  })

  test('values arrive unchanged', async () => {
    const [[ean, next]] = await sql('select ean, ean + 2 from products where id = 1')
    expect(ean).toMatch(/^900719925\d{7}$/)
    expect(BigInt(next) - BigInt(ean)).toBe(2n)
    expect(await sql(`select null, '', 'à livrer vite', '😕', 1.5, 'a' as x, 'b' as x`)).toEqual([
      [null, '', 'à livrer vite', '😕', isSqlite ? 1.5 : '1.5', 'a', 'b'],
    ])
    const [[review]] = await sql(`select body from reviews where body like '%😕%' limit 1`)
    expect(review).toBe('Too small 😕')
  })

  test('an answer stays within its caps, and its hint says what to do next', async () => {
    const { structuredContent: many } = await call('query', {
      sql: 'select id from order_items, (select 1 as id) one',
    })
    expect(many).toMatchObject({
      rowCount: 200,
      truncated: true,
      hint: expect.stringContaining('first 200 rows'),
    })
    const { structuredContent: wide, content } = await call('query', {
      sql: 'select * from customers a, customers b',
    })
    expect(wide.truncated).toBe(true)
    expect(wide.hint).toContain('fewer columns')
    expect(content[0].text.length).toBeLessThan(12_000)
    const long = isSqlite ? `replace(printf('%.*c', 5000, 'x'), 'x', 'é')` : `repeat('é', 5000)`
    const { structuredContent: cell } = await call('query', { sql: `select ${long} as text` })
    expect(cell.rows[0][0]).toBe(`${'é'.repeat(1_000)}… (+4000 characters)`)
    expect(cell).toMatchObject({ truncated: true, hint: expect.stringContaining('substr') })
    const { structuredContent: whole } = await call('query', { sql: 'select id from categories' })
    expect(whole.truncated).toBe(false)
    expect(whole).not.toHaveProperty('hint')
  })

  test('a number that JSON may have rounded is refused, with advice to send a string', async () => {
    const unsafe = 2 ** 53
    expect(
      await refusal('query_table', {
        table: 'orders',
        where: [{ column: 'id', op: 'eq', value: unsafe }],
      }),
    ).toContain('as a string')
  })

  test('a wide answer stays within its cap, and its hint counts the columns', async () => {
    const wide = Array.from(
      { length: 99 },
      (_, i) => `'x' as a_column_with_quite_a_long_name_${i}_and_more_of_it_for_the_sake_of_size`,
    )
    const { structuredContent, content } = await call('query', { sql: `select ${wide.join(', ')}` })
    expect(content[0].text.length).toBeLessThan(11_000)
    expect(structuredContent).toMatchObject({
      rowCount: 1,
      truncated: true,
      hint: expect.stringContaining('of 99 columns'),
    })
    expect(structuredContent.rows[0]).toHaveLength(structuredContent.columns.length)
  })

  test('an unknown argument and a filter without a value are errors', async () => {
    const known = /"filters"; known: "table", "columns", .*"limit", "offset"/
    expect(await refusal('query_table', { table: 'orders', filters: [] })).toMatch(known)
    expect(
      await refusal('query_table', {
        table: 'orders',
        where: [{ column: 'id', operator: 'eq', op: 'eq', value: 1 }],
      }),
    ).toMatch(/"operator"; known: "column", "op", "value"/)
    expect(
      await refusal('query_table', { table: 'orders', where: [{ column: 'id', op: 'eq' }] }),
    ).toContain('takes a value')
  })

  test('an answer without rows still names its columns', async () => {
    const { structuredContent } = await call('query', {
      sql: 'select id, name from customers where id < 0',
    })
    expect(structuredContent).toMatchObject({ rows: [], rowCount: 0, truncated: false })
    expect(structuredContent.columns.map((it: { name: string }) => it.name)).toEqual(['id', 'name'])
  })

  test('an invalid statement gets an error that explains the mistake', async () => {
    const text = await refusal('query', { sql: 'select nmae from customers' })
    expect(text).toContain('nmae')
    expect(text).toMatch(/(?:Did you mean|Perhaps you meant .*) "?customers.name/)
    if (isPostgres) expect(text).toMatch(/\(42703\)\nAt line 1, column 8: nmae/)
    expect(await refusal('query', { sql: 'select from where' })).toMatch(/syntax/)
  })

  test.each([
    "insert into categories values (99, 'x', null)",
    'delete from reviews',
    'drop table reviews',
    'select 1; delete from reviews',
    'with x as (delete from reviews returning *) select * from x',
    'commit',
    '',
    '-- nothing',
    'pragma writable_schema = 1',
    'explain analyze delete from reviews',
  ])('%j is refused, and no row is deleted', async (text) => {
    await refusal('query', { sql: text })
    expect(await sql('select count(*) from reviews')).toEqual([[500]])
  })

  test('an error about an invalid argument names the argument', async () => {
    expect(await refusal('query', {})).toContain('sql')
    expect(
      await refusal('query_table', {
        table: 'orders',
        where: [{ column: 'id', op: 'equals', value: 1 }],
      }),
    ).toContain('op')
  })
})

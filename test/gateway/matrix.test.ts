import { Ajv } from '@modelcontextprotocol/client/validators/ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesOf, startEngines } from '../support/engines.ts'
import { LEGACY, MODERN, requestOf } from '../support/mcp.ts'
import { leftOutOnNode, onStdio } from '../support/node-worker.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

/** The table that every tool reads in one database, and the row that comes back in both eras. */
interface Asked {
  readonly table: string
  readonly id: number
  /** A big integer, a decimal with trailing zeros, a null and a timestamp. */
  readonly columns: readonly string[]
  readonly row: readonly unknown[]
  /** True if this version of the engine can explain a query. */
  readonly plans: boolean
}

const columns = ['big', 'price', 'missing', 'at']
const BIG = '9007199254740993'
const values = `1, ${BIG}, 10.5000, null, '2026-01-02 03:04:05'`

const setups = {
  sqlite: [
    'create table readings (id integer primary key, big integer, price text, missing text, at text)',
    `insert into readings values (1, ${BIG}, '10.5000', null, '2026-01-02 03:04:05')`,
  ],
  postgres: [
    `create table readings (id int primary key, big bigint, price numeric(12, 4), missing text,
      at timestamp)`,
    `insert into readings values (${values})`,
  ],
  mysql: [
    `create table readings (id int primary key, big bigint, price decimal(12, 4), missing text,
      at datetime)`,
    `insert into readings values (${values})`,
  ],
  clickhouse: [
    `create table readings (id UInt32, big Int64, price Decimal(12, 4), missing Nullable(String),
      at DateTime) engine = MergeTree order by id`,
    `insert into readings values (${values})`,
  ],
}

const readings: Asked = {
  table: 'readings',
  id: 1,
  columns,
  row: [BIG, '10.5000', null, '2026-01-02 03:04:05'],
  plans: true,
}

/** The demo store has prices as SQLite numbers, and no timestamp for products. */
const products: Asked = {
  table: 'products',
  id: 8,
  columns: ['ean', 'price', 'weight_g', 'sku'],
  row: ['9007199255428155', 53.15, null, 'SKU-0875'],
  plans: true,
}

const hasD1 = !leftOutOnNode('D1 is a binding, and only a Worker has bindings.')
const engines = await startEngines(setups)
const asked: Record<string, Asked> = {
  demo: products,
  ...(hasD1 && { d1: readings }),
  ...Object.fromEntries(
    engines.ways.map(({ name }) => [
      name,
      // Debian's version of ClickHouse is older than EXPLAIN.
      { ...readings, plans: name !== 'clickhouse' },
    ]),
  ),
}
const names = Object.keys(asked)

let worker: RunningWorker
beforeAll(async () => {
  const { secrets, databases } = databasesOf(engines.ways)
  const own = names.map((name) => ({
    name: `first_of_${name}`,
    description: 'The row of this number, as it is kept.',
    database: name,
    sql: `select ${asked[name]!.columns.join(', ')} from ${asked[name]!.table} where id = $1`,
    params: [{ name: 'id', type: 'integer', min: 1 }],
  }))
  const tools = ['list_tables', 'describe_table', 'query_table', 'query', 'explain_query', ...own]
  const d1 = hasD1 && { d1: { url: 'd1:SHOP' } }
  const all = { demo: { url: 'demo:' }, ...d1, ...databases }
  const caps = { samples: 2 }
  const endpoint = { name: 'all', title: 'All', access: 'public', databases: all, tools, caps }
  const settings = { ...secrets, TIDEGATE_KEY: 'k', ENDPOINTS: JSON.stringify([endpoint]) }
  worker = await startWorker(settings, undefined, ['SHOP'])
  if (!d1) return
  const shop = await worker.d1('SHOP')
  await shop.batch(setups.sqlite.map((it) => shop.prepare(it)))
})
afterAll(async () => {
  await worker?.close()
  await engines.drop()
})

test.skipIf(onStdio)(
  'the doctor prepares every custom tool of every database, and finds none broken',
  async () => {
    const headers = { authorization: 'Bearer k' }
    const response = await fetch(`${worker.url}/doctor?format=json`, { headers })
    const { problems, databases } = (await response.json()) as {
      problems: unknown[]
      databases: { database: string; problem?: string; broken?: string[] }[]
    }
    expect(problems).toEqual([])
    for (const { database, problem, broken } of databases) {
      expect([database, problem, broken]).toEqual([database, undefined, []])
    }
  },
)

describe.each([LEGACY.at(-1)!, MODERN])('in revision %s', (revision) => {
  async function ask(method: string, params: Record<string, unknown> = {}) {
    const request = requestOf(revision, { method, params })
    const body = await request.text()
    const init = { method: 'POST', headers: request.headers, body }
    const { result, error } = (await (await fetch(`${worker.url}/mcp`, init)).json()) as {
      // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
      result: any
      error?: object
    }
    expect(error).toBeUndefined()
    return result
  }
  const validators = new Map<string, (value: unknown) => boolean>()
  beforeAll(async () => {
    const ajv = new Ajv({ strict: false })
    const { tools } = await ask('tools/list')
    for (const { name, outputSchema } of tools) validators.set(name, ajv.compile(outputSchema))
  })

  /** The structured content of an answer, checked against the tool's schema and the text. */
  async function answer(name: string, args: Record<string, unknown>) {
    const result = await ask('tools/call', { name, arguments: args })
    const [{ type, text }, ...others] = result.content
    expect(result.isError, text).toBeUndefined()
    expect([type, others]).toEqual(['text', []])
    expect(JSON.parse(text)).toEqual(result.structuredContent)
    expect(text).toBe(JSON.stringify(result.structuredContent))
    expect(validators.get(name)!(result.structuredContent), text).toBe(true)
    return result.structuredContent
  }

  test('every tool is listed with an output schema', () => {
    expect([...validators.keys()]).toEqual([
      ...['list_tables', 'describe_table', 'query_table', 'query', 'explain_query'],
      ...names.map((name) => `first_of_${name}`),
    ])
  })

  test('no validator accepts an empty answer', () => {
    for (const valid of validators.values()) expect(valid({})).toBe(false)
  })

  describe.each(names)('%s', (database) => {
    const { table, id, columns, row, plans } = asked[database]!
    const sql = `select ${columns.join(', ')} from ${table} where id = ${id}`

    test('list_tables', async () => {
      const { tables, total } = await answer('list_tables', { database })
      expect(tables.map((it: { name: string }) => it.name)).toContain(table)
      expect(tables).toHaveLength(total)
      const detailed = await answer('list_tables', { database, search: table, detail: true })
      expect(detailed.tables[0].columns.join()).toContain(columns[0])
    })

    test('describe_table', async () => {
      const described = await answer('describe_table', { database, table })
      expect(described.name).toBe(table)
      const all = described.columns.map((it: { name: string }) => it.name)
      expect(all).toEqual(expect.arrayContaining([...columns]))
      expect(described.primaryKey).toEqual(['id'])
      // The demo does not guarantee an order of rows.
      if (table === 'readings') {
        const samples = columns.map((name) => described.columns[all.indexOf(name)].samples)
        expect(samples).toEqual(row.map((value) => (value === null ? undefined : [value])))
      }
    })

    test('query_table', async () => {
      const where = [{ column: 'id', op: 'eq', value: `${id}` }]
      const found = await answer('query_table', { database, table, columns, where })
      expect(found.rows).toEqual([row])
    })

    test('query, with and without a parameter', async () => {
      expect((await answer('query', { database, sql })).rows).toEqual([row])
      const bound = `select ${columns.join(', ')} from ${table} where ${columns[3]} = $1`
      const params = [row[3]]
      expect((await answer('query', { database, sql: bound, params })).rows).toEqual([row])
    })

    test('explain_query, with a parameter', async () => {
      const args = { database, sql: sql.replace(/\d+$/, '$1'), params: [id] }
      if (plans) {
        const { summary } = await answer('explain_query', args)
        expect(summary.join('\n')).toMatch(/\w/)
        return
      }
      const { isError, content } = await ask('tools/call', {
        name: 'explain_query',
        arguments: args,
      })
      expect([isError, content[0].text]).toEqual([true, expect.stringMatching(/^Syntax error/)])
    })

    test('a custom tool', async () => {
      const found = await answer(`first_of_${database}`, { id })
      expect(found.rows).toEqual([row])
      expect(found.columns.map((it: { name: string }) => it.name)).toEqual(columns)
    })
  })
})

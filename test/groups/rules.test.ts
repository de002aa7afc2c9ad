import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { fingerprint, visible } from '../../src/database/index.ts'
import {
  ConfigError,
  type Endpoint,
  type GroupRules,
  groupRules,
  readEndpoints,
  reportGroup,
  restricted,
} from '../../src/gateway/index.ts'
import type { Caller } from '../../src/mcp/index.ts'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { describePostgres } from '../support/postgres.ts'
import { readSqlite } from '../support/sqlite.ts'
import { groupBefore, keepingOf } from './group.ts'

const endpointOf = (more: object): Endpoint =>
  readEndpoints({
    ENDPOINTS: JSON.stringify([
      { name: 'shop', title: 'Shop', databases: { main: { url: 'secret:DATABASE' } }, ...more },
    ]),
  })[0]!

describe('the rules of a group', () => {
  test('are parsed unchanged', () => {
    const rules = {
      tools: ['query_table'],
      databases: {
        main: {
          url: 'secret:OWN',
          role: 'analyst',
          schemas: ['sales'],
          tables: { orders: true, 'hr.people': ['id'] },
        },
      },
    }
    expect(groupRules().parse(rules)).toEqual(rules)
    expect(groupRules().parse({})).toEqual({})
  })

  const many = (n: number) => Array.from({ length: n }, (_, i) => `t${i}`)
  const main = (rules: object) => ({ databases: { main: rules } })
  test.each([
    ['an unknown field', { table: [] }],
    ['no database', { databases: {} }],
    ['51 databases', { databases: Object.fromEntries(many(51).map((it) => [it, {}])) }],
    ['2,001 tables', main({ tables: Object.fromEntries(many(2_001).map((it) => [it, true])) })],
    ['2,001 columns', main({ tables: { orders: many(2_001) } })],
    ['2,001 schemas', main({ schemas: many(2_001) })],
    ['a table that is not allowed', main({ tables: { orders: false } })],
    ['a long name', main({ tables: { ['x'.repeat(257)]: true } })],
    ['a long column', main({ tables: { orders: ['x'.repeat(257)] } })],
    ['a URL with a secret', main({ url: 'postgres://a:b@c/d' })],
    ['an empty role', main({ role: '' })],
  ])('are refused with %s', (_, rules) => {
    expect(groupRules().safeParse(rules).success).toBe(false)
  })

  test('can name only tools and databases of the endpoint', () => {
    const told = (rules: GroupRules, more = {}) => {
      try {
        restricted(endpointOf(more), rules)
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
        return (error as Error).message
      }
      return undefined
    }
    expect(told({ tools: ['query', 'drop_table'] })).toBe(
      'The rules of a group name the tool "drop_table", which the endpoint shop does not have. There are: list_tables, describe_table, query_table, query, explain_query.',
    )
    expect(told({ tools: ['search'] })).toContain('"search"')
    expect(told({ databases: { other: {} } })).toBe(
      'The rules of a group name the database "other", which the endpoint shop does not have. There are: main.',
    )
    expect(told({ tools: ['toString'] })).toContain('"toString"')
    expect(told({ databases: { constructor: {} } as never })).toContain('"constructor"')
  })

  test('can replace the URL and the role of a database, and limit its tables', () => {
    const endpoint = endpointOf({
      databases: { main: { url: 'secret:A' }, other: { url: 'demo:' } },
    })
    const { databases } = restricted(endpoint, {
      databases: { main: { url: 'secret:B', role: 'analyst', tables: { t: true } } },
    })
    expect(databases).toEqual({
      main: {
        url: 'secret:B',
        role: 'analyst',
        only: { schemas: undefined, tables: { t: true } },
      },
    })
    expect(
      restricted(endpoint, { databases: { main: { url: 'secret:B' } } }).databases.main,
    ).toEqual({
      url: 'secret:B',
    })
  })
})

const setup = [
  'create table orders (id integer primary key, note text)',
  `insert into orders with recursive n(i) as (select 1 union all select i + 1 from n where i < 900)
    select i, 'note ' || i from n`,
  'create table secrets (id integer primary key, word text)',
  "insert into secrets values (1, 'planted')",
]
const server = await startHrana(setup)
const other = await startHrana(['create table elsewhere (id integer)'])
afterAll(() => Promise.all([server.close(), other.close()]))
const at = (port: number) => `libsql://127.0.0.1:${port}?authToken=${TOKEN}`
const url = at(server.port)

const only = (tables: object, more: object = {}): GroupRules =>
  ({ ...more, databases: { main: { tables } } }) as GroupRules

const named = (tools: readonly { name: string }[]) => tools.map(({ name }) => name)

describe('a group', () => {
  test('has only its tools', async () => {
    const endpoint = {
      search: [{ table: 'orders', title: 'note', text: ['note'] }],
      tools: [
        'list_tables',
        'describe_table',
        'query_table',
        'query',
        {
          name: 'words',
          description: 'All the secret words.',
          sql: 'select word from secrets',
        },
      ],
    }
    const group = groupBefore(url, { tools: ['query_table', 'fetch'] }, { endpoint })
    expect(named((await group.request('tools/list')).result.tools)).toEqual([
      'query_table',
      'fetch',
    ])
    expect((await group.call('query', { sql: 'select 1' })).error.message).toContain('query')
    expect((await group.request('resources/list')).result?.resources ?? []).toEqual([])
    expect(named((await group.request('prompts/list')).result.prompts)).toEqual([])
    const none = groupBefore(url, { tools: [] }, { endpoint })
    expect((await none.request('tools/list')).result?.tools ?? []).toEqual([])
  })

  test('has a custom tool only if its rules name it, and that tool runs without table rules', async () => {
    const words = {
      name: 'words',
      description: 'All the secret words.',
      sql: 'select word from secrets',
    }
    const broken = { ...words, name: 'broken', sql: 'select wrod from secrets' }
    const endpoint = { tools: ['query_table', words, broken] }
    const without = groupBefore(url, only({ orders: true }), { endpoint })
    expect(named((await without.request('tools/list')).result.tools)).toEqual(['query_table'])
    const rules = only({ orders: true }, { tools: ['words', 'broken'] })
    const group = groupBefore(url, rules, { endpoint })
    expect((await group.structure('words')).rows).toEqual([['planted']])
    const { result } = await group.call('broken')
    expect(result.content[0].text).toMatch(/^The database could not run this\. \(SQL\w+\)$/)
    // Without table rules, a group has the custom tools of the endpoint.
    const free = groupBefore(url, {}, { endpoint })
    expect((await free.structure('words')).rows).toEqual([['planted']])
  })

  test('has only its databases', async () => {
    const databases = {
      main: { url: 'secret:DATABASE' },
      hr: { url: 'secret:HR', purpose: 'planted' },
    }
    const tool = {
      name: 'hr_ids',
      description: 'All of the ids there.',
      sql: 'select 1',
      database: 'hr',
    }
    const endpoint = {
      databases,
      tools: ['list_tables', 'describe_table', 'query', tool],
      search: [{ database: 'hr', table: 'planted', title: 'a', text: ['a'] }],
    }
    const options = { endpoint, bindings: { HR: at(other.port) } }
    const group = groupBefore(url, { databases: { main: {} } }, options)
    expect((await group.structure('query', { sql: 'select count(*) from secrets' })).rows).toEqual([
      [1],
    ])
    for (const [method, params] of [
      ['server/discover', {}],
      ['tools/list', {}],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['prompts/list', {}],
      ['resources/read', { uri: 'schema://hr' }],
      ['tools/call', { name: 'hr_ids', arguments: {} }],
      ['tools/call', { name: 'list_tables', arguments: { database: 'hr' } }],
      ['tools/call', { name: 'search', arguments: { query: 'a' } }],
    ] as const) {
      const answer = JSON.stringify(await group.request(method, params))
      const said = answer.replaceAll('schema://hr', '').replaceAll('hr_ids', '')
      expect(said).not.toMatch(/planted|elsewhere|\bhr\b/i)
    }
    const both = groupBefore(url, undefined, options)
    const named = await both.structure('list_tables', { database: 'hr' })
    expect(named.tables).toMatchObject([{ name: 'elsewhere' }])
  })

  test('with its own credential has the rights of that credential, limited by its table rules', async () => {
    const rules: GroupRules = { databases: { main: { url: 'secret:OWN' } } }
    const group = groupBefore(url, rules, { bindings: { OWN: at(other.port) } })
    expect((await group.structure('query', { sql: 'select * from elsewhere' })).rows).toEqual([])
    const both: GroupRules = { databases: { main: { url: 'secret:OWN', tables: { none: true } } } }
    const stricter = groupBefore(url, both, { bindings: { OWN: at(other.port) } })
    expect((await stricter.structure('list_tables')).tables).toEqual([])
    const { result } = await stricter.call('query', { sql: 'select * from elsewhere' })
    expect(result).toMatchObject({ isError: true })
    // Another URL for the same file is another credential, but the table rules still apply.
    const again = groupBefore(
      url,
      { databases: { main: { url: 'secret:OWN', tables: { orders: ['id'] } } } },
      { bindings: { OWN: `${at(server.port)}&tls=0` } },
    )
    expect((await again.structure('query_table', { table: 'orders', limit: 1 })).rows).toEqual([
      [1],
    ])
    for (const sql of ['select note from orders', 'select * from secrets']) {
      expect((await again.call('query', { sql })).result).toMatchObject({ isError: true })
    }
  })

  test.each<object>([
    { orders: true, secrets: [] },
    { orders: true, secrets: ['gone_column'] },
  ])('gets no hint about a table without visible columns: %j', async (tables) => {
    const group = groupBefore(url, only(tables))
    for (const name of ['secret', 'secretss']) {
      const { result } = await group.call('describe_table', { table: name })
      expect(result.content[0].text).not.toMatch(/mean .*secrets/)
    }
    const { result } = await group.call('describe_table', { table: 'order' })
    expect(result.content[0].text).toContain('Did you mean orders?')
  })

  test('can read its stored results, but another caller, group or set of rules cannot', async () => {
    const keeping = keepingOf()
    const rules = only({ orders: true })
    const group = groupBefore(url, rules, { keeping })
    const { result } = await group.structure('query_table', { table: 'orders' })
    const ada: Caller = { subject: 'ada', scopes: [] }
    const read = async (it: ReturnType<typeof groupBefore>, caller = ada) => [
      (await it.call('query_table', { table: result, limit: 1 }, caller)).result.isError ?? false,
      'error' in (await it.request('resources/read', { uri: `${result}/0` }, caller)),
    ]
    expect(await read(group)).toEqual([false, false])
    expect(await read(groupBefore(url, rules, { keeping }))).toEqual([false, false])
    for (const [who, others, caller] of [
      ['another caller', group, { subject: 'bob', scopes: [] }],
      ['another group', groupBefore(url, rules, { keeping, group: 'others' }), ada],
      ['stricter rules', groupBefore(url, only({ orders: ['id'] }), { keeping }), ada],
      ['no group', groupBefore(url, undefined, { keeping }), ada],
    ] as const) {
      expect([who, await read(others, caller)]).toEqual([who, [true, true]])
    }
  })

  test('has a schema fingerprint that ignores hidden tables and columns', async () => {
    const changing = new DatabaseSync(':memory:')
    changing.exec(
      'create table orders (id integer primary key, note text); create table secrets (id integer)',
    )
    const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
    const tables = { tables: { orders: ['id'] } }
    const prints = async () => {
      const all = readSqlite(changing)
      const seen = await visible(all, tables, false)
      return Promise.all([fingerprint(seen, limits), fingerprint(all, limits)])
    }
    const before = await prints()
    changing.exec(
      'alter table secrets add column more; alter table orders add column more; create table t (a)',
    )
    const after = await prints()
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false])
    changing.exec('drop table orders')
    expect((await prints())[0]).not.toBe(before[0])
  })

  test('can fetch only records that it can also search', async () => {
    const search = [
      { table: 'orders', title: 'note', text: ['note'] },
      { table: 'secrets', title: 'word', text: ['word'] },
    ]
    const page = async (rules: GroupRules | undefined, id: string) => {
      const { call } = groupBefore(url, rules, { endpoint: { search } })
      return (await call('fetch', { id })).result.structuredContent
    }
    expect(await page(undefined, 'main/secrets/1')).toMatchObject({ title: 'planted' })
    expect(await page(only({ orders: true }), 'main/secrets/1')).toBeUndefined()
    expect(await page(only({ orders: true }), 'main/orders/1')).toMatchObject({ title: 'note 1' })
    expect(await page(only({ orders: ['id'] }), 'main/orders/1')).toBeUndefined()
    expect(await page(only({ orders: ['note'] }), 'main/orders/1')).toBeUndefined()
  })
})

describe('the report for an operator', () => {
  const words = {
    name: 'words',
    description: 'All the secret words.',
    sql: 'select word from secrets',
  }
  const io = { fetch, bindings: { DATABASE: url, PG: 'postgres://a@127.0.0.1:1/b' } }
  const tools = ['list_tables', 'query_table', 'query', words]

  test('says why a tool is off, and which names do not exist', async () => {
    const rules = only({ orders: ['id', 'nmae'], customers: true })
    expect(await reportGroup(endpointOf({ tools }), rules, io)).toEqual([
      'words is off: its statement could read tables that this group cannot see. To allow it as it is, add it to the tools of this group.',
      'query and explain_query run for main only if SQLite reports that a statement reads only tables that this group sees in full. Only query_table reads orders.',
      'main has no column "orders.nmae".',
      'main has no table "customers", or none of these columns.',
    ])
    const more = only({ orders: true }, { tools: ['query_table'] })
    expect((await reportGroup(endpointOf({ tools }), more, io)).slice(0, 2)).toEqual([
      'list_tables is off: it is not among the tools of this group.',
      'query is off: it is not among the tools of this group.',
    ])
  })

  test('explains why SQL is off on an engine that does not report which tables a statement reads', async () => {
    const databases = { main: { url: 'secret:PG' }, other: { url: 'demo:' } }
    const found = await reportGroup(endpointOf({ databases }), only({ orders: true }), io)
    expect(found.slice(0, 2)).toEqual([
      'The database other does not exist for this group.',
      'query and explain_query are off for main: PostgreSQL does not report which tables a statement reads before it runs. To allow SQL, leave out schemas and tables, and give the group a credential or a role that can read only what the group should see.',
    ])
    expect(found[2]).toContain('could not be compared')
  })
})

const roles = (reader: string) => `
  create role ${reader}_group; grant ${reader}_group to ${reader};
  create table orders (id integer primary key, note text);
  insert into orders values (1, 'a'), (2, 'b');
  create table planted (word text);
  create table deals (id integer);
  grant select on orders, deals to ${reader}_group;`

await describePostgres('a group with a role', roles, (postgres) => {
  const role = `${postgres.reader}_group`
  const before = (more: object) =>
    groupBefore(postgres.tcp(postgres.reader), { databases: { main: { role, ...more } } })
  afterAll(() => postgres.admin(`drop owned by ${role}; drop role ${role}`))

  test('can run SQL with the rights of the role', async () => {
    const group = before({})
    expect((await group.structure('query', { sql: 'select count(*) from orders' })).rows).toEqual([
      [2],
    ])
    expect((await group.call('query', { sql: 'select * from planted' })).result.isError).toBe(true)
    const { tables } = await group.structure('list_tables')
    expect(named(tables)).toEqual(['deals', 'orders'])
  })

  test('is limited by both the role and its table rules', async () => {
    const group = before({ tables: { orders: ['id'], planted: true } })
    expect(named((await group.structure('list_tables')).tables)).toEqual(['orders'])
    const { rows } = await group.structure('query_table', { table: 'orders', orderBy: ['id'] })
    expect(rows).toEqual([[1], [2]])
    for (const table of ['deals', 'planted']) {
      const { result } = await group.call('query', { sql: `select * from ${table}` })
      expect(result).toMatchObject({ isError: true })
    }
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fingerprint, listTables, visible } from '../../src/database/index.ts'
import { described } from '../../src/database/schema/described.ts'
import { type GroupRules, readEndpoints, reportGroup } from '../../src/gateway/index.ts'
import { type Group, groupBefore } from '../groups/group.ts'
import { databasesOf, type Engines, startEngines } from '../support/engines.ts'
import { openSqlite } from '../support/sqlite.ts'

/** Descriptions of tables, columns and terms, as a model reads them with real databases. */

const tables = (text: string, quote: string, more: readonly string[] = []) => [
  `create table orders (id integer primary key, status ${text}, secret_note ${text})`,
  `create table ${quote}Orders2${quote} (id integer primary key, status ${text})`,
  `create table hidden_deals (id integer primary key, margin ${text})`,
  ...more,
]

const setups = {
  sqlite: tables('text', '"'),
  postgres: tables('text', '"', [
    'create schema sales',
    'create table sales.orders (id integer primary key, status text)',
    "do $$ begin execute format('grant usage on schema sales to %I', current_database() || '_reader') ; execute format('grant select on all tables in schema sales to %I', current_database() || '_reader'); end $$",
    "comment on table orders is 'its own comment'",
    "comment on column orders.status is 'own comment of status'",
    "comment on column orders.id is 'own comment of id'",
  ]),
  mysql: tables('varchar(40)', '`', [
    "alter table orders comment 'its own comment'",
    "alter table orders modify status varchar(40) comment 'own comment of status'",
    "alter table orders modify id integer comment 'own comment of id'",
  ]),
  clickhouse: [
    'create table orders (id Int32, status String, secret_note String) engine = MergeTree order by id',
    'create table Orders2 (id Int32, status String) engine = MergeTree order by id',
    'create table hidden_deals (id Int32, margin String) engine = MergeTree order by id',
  ],
}

const glossary = {
  orders: {
    description: 'One row for each order. Test orders are not in it.',
    columns: { status: 'Where it stands: xylophone means shipped.', gone: 'zither' },
  },
  ORDERS2: { description: 'said of another case' },
  hidden_deals: { description: 'planted words', columns: { margin: 'planted margin' } },
  nowhere: { description: 'planted nowhere' },
}

let engines: Engines
beforeAll(async () => {
  engines = await startEngines(setups)
})
afterAll(() => engines?.drop())

const names = ['libsql', 'neon', 'postgres', 'mariadb', 'clickhouse']

describe.each(names)('a glossary for %s', (name) => {
  const groupOf = (
    words: object | undefined,
    rules?: object,
    more: object = {},
  ): Group | undefined => {
    const way = engines.ways.find((it) => it.name === name)
    if (!way) return undefined
    const { secrets } = databasesOf([way])
    const databases = { main: { url: `secret:${Object.keys(secrets)[0]}`, glossary: words } }
    return groupBefore('', rules && { databases: { main: rules } }, {
      endpoint: { databases, ...more },
      bindings: secrets,
    })
  }

  test('replaces comments in list_tables and describe_table', async () => {
    const it = groupOf(glossary)
    if (!it) return
    const { tables } = await it.structure('list_tables')
    const of = (table: string) => tables.find((found: { name: string }) => found.name === table)
    expect(of('orders').comment).toBe(glossary.orders.description)
    expect(of('Orders2').comment).toBeUndefined()
    const found = await it.structure('describe_table', { table: 'orders' })
    expect(found.comment).toBe(glossary.orders.description)
    const column = (name: string) => found.columns.find((it: { name: string }) => it.name === name)
    expect(column('status').comment).toBe(glossary.orders.columns.status)
    const own = ['neon', 'postgres', 'mariadb'].includes(name) ? 'own comment of id' : undefined
    expect(column('id').comment).toBe(own)
    expect(JSON.stringify(found)).not.toMatch(/zither|own comment of status|nowhere/)
    expect(JSON.stringify(tables)).not.toMatch(/planted nowhere|another case/)
  })

  test('is searched together with the comments of the database', async () => {
    const it = groupOf(glossary)
    if (!it) return
    const found = async (search: string) => {
      const { tables, total } = await it.structure('list_tables', { search })
      expect(total).toBe(tables.length)
      return tables.map((it: { name: string }) => it.name)
    }
    expect(await found('XYLOPHONE')).toEqual(['orders'])
    expect(await found('Test orders')).toEqual(['orders'])
    expect(await found('planted margin')).toEqual(['hidden_deals'])
    // Descriptions of missing columns and tables are not searched.
    expect(await found('zither')).toEqual([])
    expect(await found('nowhere')).toEqual([])
    // A table that matches both by name and by glossary is listed once.
    expect((await found('order')).filter((it: string) => it === 'orders')).toHaveLength(1)
    if (name !== 'libsql' && name !== 'clickhouse')
      expect(await found('its own comment')).toEqual(['orders'])
  })

  test('is in the schema resources', async () => {
    const it = groupOf(glossary)
    if (!it) return
    const read = async (uri: string) =>
      (await it.request('resources/read', { uri })).result.contents[0].text
    for (const uri of ['schema://main', 'schema://main/orders']) {
      expect(await read(uri)).toContain('-- One row for each order. Test orders are not in it.')
      expect(await read(uri)).toContain('-- Where it stands: xylophone means shipped.')
      expect(await read(uri)).not.toMatch(/zither|nowhere/)
    }
  })

  test('reveals nothing about hidden tables and columns to a group', async () => {
    const it = groupOf(glossary, { tables: { orders: ['id'], Orders2: true } })
    if (!it) return
    const answers = [
      await it.structure('list_tables', { detail: true }),
      await it.structure('describe_table', { table: 'orders' }),
      (await it.request('resources/read', { uri: 'schema://main' })).result,
      (await it.request('resources/list')).result,
    ]
    expect(JSON.stringify(answers)).toContain('One row for each order')
    expect(JSON.stringify(answers)).not.toMatch(/xylophone|planted/)
    for (const search of ['xylophone', 'planted', 'margin'])
      expect((await it.structure('list_tables', { search })).total).toBe(0)
    expect((await it.structure('list_tables', { search: 'each order' })).total).toBe(1)
  })

  test('accepts table names with a schema', async () => {
    if (name !== 'postgres' && name !== 'neon') return
    const it = groupOf({
      'public.orders': { description: 'A' },
      'sales.orders': { description: 'B' },
    })
    if (!it) return
    const { tables } = await it.structure('list_tables', { search: 'orders' })
    const found = Object.fromEntries(
      tables.map((it: { name: string; comment: string }) => [it.name, it.comment]),
    )
    expect(found).toMatchObject({ orders: 'A', 'sales.orders': 'B' })
  })
})

describe('a database with a glossary', () => {
  const many = Array.from({ length: 350 }, (_, i) => `t${String(i).padStart(3, '0')}`)
  const database = openSqlite(many.map((it) => `create table ${it} (id integer)`).join(';'))

  test('has search results in pages, with each table once', async () => {
    const { listTables } = await import('../../src/database/index.ts')
    const words = Object.fromEntries(
      many.slice(0, 250).map((it) => [it, { description: 'a t34 b' }]),
    )
    const open = await described(database, words)
    const names: string[] = []
    for (let offset = 0; offset < 300; offset += 100) {
      const limits = { timeoutMs: 5_000 }
      const page = await listTables(open, { search: 'T34', limit: 100, offset, limits })
      expect(page.total).toBe(260)
      names.push(...page.tables.map(({ name }) => name))
    }
    expect(names).toEqual([...many.slice(0, 250), ...many.slice(340)])
  })

  test('has a fingerprint that changes with the descriptions', async () => {
    const limits = { timeoutMs: 5_000, maxRows: 1_000, maxBytes: 100_000 }
    const of = async (description: string) =>
      fingerprint(await described(database, { t001: { description } }), limits)
    expect(await of('a')).toBe(await of('a'))
    expect(await of('a')).not.toBe(await of('b'))
  })
})

describe('the terms of an endpoint', () => {
  const terms = { revenue: 'Sum of shipped orders.', 'active customer': 'Ordered in 90 days.' }
  const demo = { databases: { demo: { url: 'demo:' } }, terms }
  const instructionsOf = (more: object, rules?: object) =>
    groupBefore('', rules as never, { endpoint: { ...demo, ...more }, bindings: { DEMO: {} } })
      .server.instructions ?? ''

  test('are at the end of the instructions', () => {
    expect(instructionsOf({})).toMatch(
      /instructions\. Terms used here: revenue: Sum of shipped orders; active customer: Ordered in 90 days$/,
    )
    expect(instructionsOf({ terms: undefined })).not.toContain('Terms')
  })

  test('are limited in the instructions, which refer to list_tables for the rest', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`t${i}`, 'x'.repeat(90)]))
    const text = instructionsOf({ terms: many })
    expect(text.length).toBeLessThan(1_700)
    expect(text).toMatch(/; 50 more: list_tables with the word as search\.$/)
  })

  test('are in the answer of list_tables if the search matches them', async () => {
    const word = (search: string) => ({ search })
    const it = engines.ways.find(({ name }) => name === 'libsql')!
    const { structure } = groupBefore(it.url, undefined, { endpoint: { terms } })
    expect((await structure('list_tables', word('Revenue'))).terms).toEqual([
      { term: 'revenue', meaning: terms.revenue },
    ])
    expect((await structure('list_tables', word('revenue by month'))).terms).toHaveLength(1)
    expect((await structure('list_tables', word('orders'))).terms).toHaveLength(1)
    expect(await structure('list_tables', word('nothing'))).not.toHaveProperty('terms')
  })

  test('are visible to a group with table rules only if the group lists them', () => {
    const limited = { databases: { demo: { tables: { orders: true } } } }
    expect(instructionsOf({}, {})).toContain('revenue')
    expect(instructionsOf({}, limited)).not.toMatch(/revenue|active/)
    expect(instructionsOf({}, { ...limited, terms: ['revenue', 'gone'] })).toContain('revenue')
    expect(instructionsOf({}, { ...limited, terms: ['revenue'] })).not.toContain('active')
    expect(instructionsOf({}, { ...limited, terms: true })).toContain('active')
    expect(instructionsOf({}, { terms: [] })).not.toContain('revenue')
  })
})

test('a search for a hidden word causes as many queries as a search for an unknown word', async () => {
  let asked = 0
  const inner = openSqlite(setups.sqlite.join(';'))
  const counted: typeof inner = {
    ...inner,
    query: (...given) => {
      asked++
      return inner.query(...given)
    },
  }
  const only = await visible(counted, { tables: { orders: ['id', 'status'] } }, false)
  const words = {
    orders: { columns: { status: 'shown', secret_note: 'planted note' } },
    hidden_deals: { description: 'planted words', columns: { margin: 'planted margin' } },
  }
  const database = await described(only, words)
  const costOf = async (search: string) => {
    asked = 0
    const { tables } = await listTables(database, {
      search,
      limit: 10,
      limits: { timeoutMs: 1_000 },
    })
    return [asked, tables.map(({ name }) => name)]
  }
  const [cost] = await costOf('nothing')
  expect(await costOf('planted words')).toEqual([cost, []])
  expect(await costOf('planted margin')).toEqual([cost, []])
  expect(await costOf('planted note')).toEqual([cost, []])
  expect((await costOf('shown'))[1]).toEqual(['orders'])
})

test('the report on a group says how many terms are left out, and why', async () => {
  const endpoint = {
    ...{ name: 'e', title: 'E', databases: { demo: { url: 'demo:' } } },
    terms: { GMV: 'Sum.', churn: 'Left.' },
  }
  const [read] = readEndpoints({ ENDPOINTS: JSON.stringify([endpoint]) })
  const told = async (rules: GroupRules) =>
    (await reportGroup(read!, rules, { fetch, bindings: { DEMO: {} } })).filter((it) =>
      it.includes('terms'),
    )
  expect(await told({ databases: { demo: {} } })).toEqual([
    '2 of 2 terms are left out: they could mention tables that this group cannot see. List them in terms, or allow all with "terms": true.',
  ])
  expect(await told({ terms: ['GMV'] })).toEqual([
    '1 of 2 terms are left out: they are not among the terms of this group.',
  ])
  expect(await told({ databases: { demo: {} }, terms: true })).toEqual([])
})

describe('a glossary or a list of terms', () => {
  const refusal = (more: object, glossary?: object) => {
    const databases = { main: { url: 'demo:', glossary } }
    try {
      readEndpoints({ ENDPOINTS: JSON.stringify([{ name: 'e', title: 'E', databases, ...more }]) })
    } catch (error) {
      return (error as Error).message
    }
    return undefined
  }
  const many = (n: number, of: (i: number) => unknown) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, of(i)]))
  const long = 'x'.repeat(500)

  test.each<[string, object | undefined, object, string]>([
    [
      'a description',
      { t: { description: `${long}x` } },
      {},
      'glossary.t.description must have at most 500 characters',
    ],
    [
      'a column',
      { t: { columns: { c: `${long}x` } } },
      {},
      'columns.c must have at most 500 characters',
    ],
    ['an empty text', { t: { description: '' } }, {}, 'at least 1 characters'],
    ['tables', many(2_001, () => ({})), {}, 'must have at most 2,000 tables'],
    ['columns', { t: { columns: many(1_601, () => 'x') } }, {}, 'must have at most 1,600 columns'],
    [
      'the total size',
      many(300, () => ({ description: long })),
      {},
      'must have glossaries of at most 131,072 characters of JSON in total, but has 157,',
    ],
    ['terms', undefined, { terms: many(201, () => 'x') }, 'must have at most 200 terms'],
    [
      'the total size of terms',
      undefined,
      { terms: many(80, () => long) },
      'must have at most 32,768 characters of JSON in total, but has 4',
    ],
    ['an unknown field', { t: { desc: 'x' } }, {}, 'has an unknown field: desc'],
    ['half a character', { t: { description: '\ud800' } }, {}, 'must be well-formed text'],
  ])('is refused with a clear error about %s', (_, glossary, more, sentence) => {
    expect(refusal(more, glossary)).toContain(sentence)
  })

  test('is accepted up to its limits', () => {
    expect(
      refusal(
        { terms: many(60, () => long) },
        many(240, () => ({ description: long })),
      ),
    ).toBe(undefined)
  })
})

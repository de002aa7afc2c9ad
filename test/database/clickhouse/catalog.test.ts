import { expect, test } from 'vitest'
import { catalog, later } from '../../../src/database/clickhouse/catalog.ts'
import { DatabaseError, findTable, listTables } from '../../../src/database/index.ts'
import { hostileNames } from '../../support/attacks.ts'
import { describeClickHouse } from '../../support/clickhouse.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 5, maxBytes: 1_000, timeoutMs: 10_000 }

const setup = [
  `create table users (
    id UInt32, email String, mood Enum8('sad' = 1, 'it\\'s, "ok" = 2' = 2),
    friend_id Nullable(UInt32), at DateTime default now(), day Date materialized toDate(at),
    shouted String alias upper(email)
  ) engine = MergeTree partition by toYYYYMM(at) order by (id, cityHash64(email, intHash32(id)))
    primary key id`,
  "alter table users comment column friend_id 'who brought them here 100%'",
  "insert into users (id, email, mood) values (1, 'a@example.com', 'sad')",
  `create table sold (region String, number UInt32, under_score LowCardinality(Nullable(String)))
    engine = MergeTree order by (number, region)`,
  'create view cheap as select 1 as price, 2 as weight',
  'create materialized view counted engine = Memory as select count() as n from users',
  'create table Mixed (id UInt8) engine = Memory',
  'create table mixed (id UInt8) engine = Memory',
  'create table `dot.ted` (id UInt8) engine = Memory',
  'create table `spa ce "q" 🐘` (id UInt8, `co lumn` String) engine = Memory',
  'create table `back``tick` (id UInt8) engine = Memory',
  'create database other',
  'create table other.treasure (id UInt8) engine = Memory',
  `create table wide (${Array.from({ length: 300 }, (_, i) => `c${i} UInt8`)}) engine = Memory`,
]

await describeClickHouse('the ClickHouse catalog', setup, (server) => {
  const database = open(server.url('reader'), { fetch, bindings: {} })
  const names = async (search?: string) => {
    const { tables } = await listTables(database, { search, limit: 100, limits })
    return tables.map(({ name }) => name)
  }
  const refusal = async (name: string): Promise<DatabaseError> => {
    const found = await findTable(database, name, limits).catch((error) => error)
    expect(found, `${name} was found`).toBeInstanceOf(DatabaseError)
    return found
  }

  test('lists tables by name, without other databases and the inner tables of views', async () => {
    const { tables, total } = await listTables(database, { limit: 100, limits })
    expect(total).toBe(tables.length)
    expect(tables.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'table Mixed',
      'table back`tick',
      'view cheap',
      'materialized view counted',
      'table dot.ted',
      'table mixed',
      'table sold',
      'table spa ce "q" 🐘',
      'table users',
      'table wide',
    ])
    expect(tables.find(({ name }) => name === 'users')).toEqual({
      schema: 'shop',
      name: 'users',
      kind: 'table',
      comment: undefined,
      // Debian's old version does not store row counts.
      estimatedRows: server.isCurrent ? 1 : undefined,
      columnCount: 7,
    })
  })

  test('requests the columns that only newer versions have', () => {
    const { sql } = catalog.tables({ limit: 1 })
    for (const name of Object.keys(later)) expect(sql).toContain(name)
  })

  test('searches names, columns and comments without wildcards', async () => {
    expect(await names('SOL')).toEqual(['sold'])
    expect(await names('EMAIL')).toEqual(['users'])
    expect(await names('Brought')).toEqual(['users'])
    expect(await names('%')).toEqual(['users'])
    expect(await names('r_s')).toEqual(['sold'])
    expect(await names('\\')).toEqual([])
    expect(await names("'")).toEqual([])
    expect(await names('treasure')).toEqual([])
  })

  test('returns the total with every page, even past the end', async () => {
    const page = await listTables(database, { limit: 2, offset: 1, limits })
    expect(page).toMatchObject({ tables: [{ name: 'back`tick' }, { name: 'cheap' }], total: 10 })
    expect(await listTables(database, { limit: 2, offset: 99, limits })).toEqual({
      tables: [],
      total: 10,
    })
  })

  test('describes columns, enum values, the primary key and the sorting key', async () => {
    const { columns, ...table } = await findTable(database, 'users', limits)
    const plain = { nullable: false, primaryKey: false }
    expect(columns).toEqual([
      { ...plain, name: 'id', type: 'UInt32', primaryKey: true },
      { ...plain, name: 'email', type: 'String' },
      {
        ...plain,
        name: 'mood',
        type: expect.stringContaining('Enum8'),
        values: ['sad', expect.stringContaining('"ok" = 2')],
      },
      {
        ...plain,
        name: 'friend_id',
        type: 'Nullable(UInt32)',
        nullable: true,
        comment: 'who brought them here 100%',
      },
      { ...plain, name: 'at', type: 'DateTime', default: expect.stringContaining('now()') },
      { ...plain, name: 'day', type: 'Date', default: expect.stringMatching(/^materialized /) },
      { ...plain, name: 'shouted', type: 'String', default: 'alias upper(email)' },
    ])
    expect(table).toMatchObject({
      schema: 'shop',
      primaryKey: ['id'],
      uniqueKeys: [],
      foreignKeys: [],
      indexes: [
        { name: 'sorting key', columns: ['id', 'cityHash64(email, intHash32(id))'] },
        { name: 'partition key', columns: ['toYYYYMM(at)'] },
      ],
    })
    const sold = await findTable(database, 'sold', limits)
    expect(sold.primaryKey).toEqual(['number', 'region'])
    expect(sold.columns[2]).toMatchObject({ nullable: true })
    expect((await findTable(database, 'cheap', limits)).columns).toHaveLength(2)
    expect((await findTable(database, 'wide', limits)).columns).toHaveLength(300)
  })

  test.each([
    ['users', 'users'],
    ['USERS', 'users'],
    ['shop.users', 'users'],
    ['Shop.Users', 'users'],
    ['mixed', 'mixed'],
    ['Mixed', 'Mixed'],
    ['dot.ted', 'dot.ted'],
    ['shop.dot.ted', 'dot.ted'],
    ['spa ce "q" 🐘', 'spa ce "q" 🐘'],
    ['back`tick', 'back`tick'],
  ])('finds a table by the name %j', async (name, table) => {
    expect(await findTable(database, name, limits)).toMatchObject({ schema: 'shop', name: table })
  })

  test('does not guess when a name matches two tables', async () => {
    expect(await refusal('MIXED')).toMatchObject({
      message: '"MIXED" matches 2 tables.',
      hint: 'Specify one of shop.Mixed, shop.mixed.',
    })
  })

  test.each([
    ['user', 'Did you mean users?'],
    ['other.treasure', expect.not.stringContaining('treasure')],
    ['shop.user', 'Did you mean shop.users?'],
    ['qqqqqqqqqqqqqqqqqq', expect.stringMatching(/^Available tables: \w/)],
    ['', expect.stringMatching(/^Available tables: \w/)],
  ])('suggests tables for the unknown name %j', async (name, hint) => {
    expect(await refusal(name)).toMatchObject({ kind: 'sql', hint })
  })

  test.each(hostileNames('clickhouse'))('treats $value as text: $why', async ({ arg, value }) => {
    if (arg === 'pattern') expect(await names(value)).toEqual(value === '%' ? ['users'] : [])
    else expect((await refusal(value)).message).toContain('no table called')
    expect(await names('users')).toContain('users')
  })
})

import { describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import {
  columnsOf,
  DatabaseError,
  findTable,
  keyOf,
  listTables,
  overview,
  Sessions,
} from '../../../src/database/index.ts'
import { joining } from '../../../src/database/schema/joining.ts'
import { hostileNames } from '../../support/attacks.ts'
import { endpointBefore, structureOf } from '../../support/endpoint.ts'
import { MODERN, ask as request, requestOf } from '../../support/mcp.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'
import { openSqlite } from '../../support/sqlite.ts'

const limits = { maxRows: 5, maxBytes: 1_000, timeoutMs: 10_000 }

const names = async (database: Database, search?: string) => {
  const { tables } = await listTables(database, { search, limit: 100, limits })
  return tables.map(({ name }) => name)
}

const refusal = async (database: Database, name: string): Promise<DatabaseError> => {
  const found = await findTable(database, name, limits).catch((error) => error)
  expect(found, `${name} was found`).toBeInstanceOf(DatabaseError)
  return found
}

const setup = (reader: string) => `
  create type mood as enum ('sad', 'it''s, "ok"', 'happy');
  create table users (
    id integer generated always as identity primary key,
    email varchar(80) not null unique,
    mood mood default 'happy',
    friend_id integer references users,
    shouted text generated always as (upper(email)) stored
  );
  comment on table users is 'People who signed up 100%';
  comment on column users.friend_id is 'who brought them here';
  create index users_by_case on users (lower(email), id desc) where mood <> 'sad';
  create schema sales;
  create table sales.orders (
    region text, number integer, buyer integer not null references public.users (id),
    primary key (region, number)
  );
  create table sales.lines (
    region text, number integer, line integer, under_score text,
    foreign key (region, number) references sales.orders, unique (line, number)
  );
  create view cheap as select 1 as price;
  create materialized view counted as select count(*) from users;
  create table parts (id integer, at date) partition by range (at);
  create table parts_2026 partition of parts for values from ('2026-01-01') to ('2027-01-01');
  create table "Mixed" (id integer);
  create table mixed (id integer);
  create table "dot.ted" (id integer);
  create table "spa ce ""quote"" 🐘" (id integer, "co lumn" text);
  create table twice (id integer);
  create table sales.twice (id integer);
  create schema hidden;
  create table hidden.treasure (id integer primary key);
  create table maps (id integer, treasure_id integer references hidden.treasure);
  create table hidden_columns (open integer, shut_away integer);
  create table wide (${Array.from({ length: 300 }, (_, i) => `column_${i} integer`).join(', ')});

  grant usage on schema sales to ${reader};
  grant select on sales.orders, hidden.treasure to ${reader};
  revoke select on hidden_columns from ${reader};
  grant select (open) on hidden_columns to ${reader};
  insert into users (email) values ('a@example.com'), ('b@example.com');
  analyze users;
`

await describePostgres('the tables of PostgreSQL', setup, (postgres) => {
  const database = open(postgres.url(), { fetch, bindings: {} })
  const reader = open(postgres.url(postgres.reader), { fetch, bindings: {} })

  test('are the same by the API of Supabase, asked in one statement or in several', async () => {
    const { supabase } = postgres
    const byApi = open(supabase.url(postgres.reader), supabase.io)
    const list = await listTables(reader, { limit: 100, limits })
    expect(await listTables(byApi, { limit: 100, limits })).toEqual(list)
    for (const { schema, name } of list.tables) {
      const table = `${schema}.${name}`
      const described = await findTable(reader, table, limits)
      expect(await findTable(byApi, table, limits)).toEqual(described)
      for (const it of [reader, byApi]) {
        const ownSessions = { ...limits, sessions: new Sessions() }
        expect(await findTable(joining(it), table, ownSessions)).toEqual(described)
      }
    }
  })

  test('are listed in order of schema and name, without partitions and system tables', async () => {
    const { tables, total } = await listTables(database, { limit: 100, limits })
    expect(total).toBe(tables.length)
    expect(tables.map(({ schema, name }) => `${schema}.${name}`)).toEqual([
      'hidden.treasure',
      'public.Mixed',
      'public.cheap',
      'public.counted',
      'public.dot.ted',
      'public.hidden_columns',
      'public.maps',
      'public.mixed',
      'public.parts',
      'public.spa ce "quote" 🐘',
      'public.twice',
      'public.users',
      'public.wide',
      'sales.lines',
      'sales.orders',
      'sales.twice',
    ])
    expect(tables.find(({ name }) => name === 'users')).toEqual({
      schema: 'public',
      name: 'users',
      kind: 'table',
      comment: 'People who signed up 100%',
      estimatedRows: 2,
      columnCount: 5,
    })
    expect(tables.find(({ name }) => name === 'cheap')?.kind).toBe('view')
    expect(tables.find(({ name }) => name === 'counted')?.kind).toBe('materialized view')
  })

  test('have their columns asked for in statements that take all their names', async () => {
    const { tables } = await listTables(database, { limit: 100, limits })
    const sizes: number[] = []
    const narrow: Database = {
      ...database,
      dialect: { ...database.dialect, maxParams: 5 },
      query(statement, bounds) {
        sizes.push(statement.params?.length ?? 0)
        return database.query(statement, bounds)
      },
    }
    const columns = await columnsOf(narrow, tables, limits)
    expect(columns).toEqual(await columnsOf(database, tables, limits))
    expect(sizes).toEqual(tables.filter((_, i) => i % 2 === 0).map(() => 4))
  })

  test('are found by a part of a name, a column or a comment, in any case', async () => {
    expect(await names(database, 'ORDER')).toEqual(['orders'])
    expect(await names(database, 'email')).toEqual(['users'])
    expect(await names(database, 'signed UP')).toEqual(['users'])
    expect(await names(database, 'brought')).toEqual(['users'])
    expect(await names(database, 'zzz')).toEqual([])
  })

  test('are searched for %, _ and \\ as the characters they are', async () => {
    expect(await names(database, '%')).toEqual(['users'])
    expect(await names(database, 'r_s')).toEqual(['lines'])
    expect(await names(database, '\\')).toEqual([])
  })

  test('come in pages that know the total, even past the end', async () => {
    const page = await listTables(database, { limit: 2, offset: 1, limits })
    expect(page.tables.map(({ name }) => name)).toEqual(['Mixed', 'cheap'])
    expect(page.total).toBe(16)
    expect(await listTables(database, { limit: 2, offset: 99, limits })).toEqual({
      tables: [],
      total: 16,
    })
  })

  test('are only those that the role may read', async () => {
    const seen = await names(reader)
    expect(seen).toContain('orders')
    expect(seen).not.toContain('lines')
    expect(seen).not.toContain('treasure')
    expect(await names(reader, 'shut_away')).toEqual([])
    const { columns } = await findTable(reader, 'hidden_columns', limits)
    expect(columns.map(({ name }) => name)).toEqual(['open'])
    const { hint } = await refusal(reader, 'hidden.treasure')
    expect(hint).toMatch(/^Available tables: .*sales\.orders/)
    expect(hint).not.toContain('treasure')
    expect((await findTable(reader, 'users', limits)).referencedBy).toHaveLength(2)
    expect((await findTable(reader, 'sales.orders', limits)).referencedBy).toEqual([])
    expect((await findTable(database, 'maps', limits)).foreignKeys).toHaveLength(1)
    expect((await findTable(reader, 'maps', limits)).foreignKeys).toEqual([])
  })

  test('are described with columns, keys in both directions, and indexes', async () => {
    const { columns, indexes, ...table } = await findTable(database, 'users', limits)
    expect(columns).toEqual([
      {
        name: 'id',
        type: 'integer',
        nullable: false,
        default: 'generated as identity',
        primaryKey: true,
      },
      { name: 'email', type: 'character varying(80)', nullable: false, primaryKey: false },
      {
        name: 'mood',
        type: 'mood',
        nullable: true,
        default: "'happy'::mood",
        values: ['sad', 'it\'s, "ok"', 'happy'],
        primaryKey: false,
      },
      {
        name: 'friend_id',
        type: 'integer',
        nullable: true,
        comment: 'who brought them here',
        primaryKey: false,
      },
      {
        name: 'shouted',
        type: 'text',
        nullable: true,
        default: 'generated as upper((email)::text)',
        primaryKey: false,
      },
    ])
    expect(indexes).toEqual([
      {
        name: 'users_by_case',
        unique: false,
        partial: true,
        where: "(mood <> 'sad'::mood)",
        columns: ['lower(email::text)', 'id'],
      },
    ])
    const users = { schema: 'public', name: 'users' }
    expect(table).toMatchObject({
      primaryKey: ['id'],
      uniqueKeys: [['email']],
      foreignKeys: [{ columns: ['friend_id'], table: users, tableColumns: ['id'] }],
      referencedBy: [
        {
          columns: ['id'],
          table: { schema: 'sales', name: 'orders' },
          tableColumns: ['buyer'],
        },
        { columns: ['id'], table: users, tableColumns: ['friend_id'] },
      ],
    })
  })

  test('keep the columns of a composite key in order', async () => {
    const { foreignKeys, uniqueKeys } = await findTable(database, 'sales.lines', limits)
    expect(foreignKeys).toEqual([
      {
        columns: ['region', 'number'],
        table: { schema: 'sales', name: 'orders' },
        tableColumns: ['region', 'number'],
      },
    ])
    expect(uniqueKeys).toEqual([['line', 'number']])
  })

  test('are described whole, however small an answer may be', async () => {
    expect((await findTable(database, 'wide', limits)).columns).toHaveLength(300)
  })

  test.each([
    ['users', 'public', 'users'],
    ['USERS', 'public', 'users'],
    ['public.users', 'public', 'users'],
    ['Sales.Orders', 'sales', 'orders'],
    ['orders', 'sales', 'orders'],
    ['mixed', 'public', 'mixed'],
    ['Mixed', 'public', 'Mixed'],
    ['twice', 'public', 'twice'],
    ['sales.twice', 'sales', 'twice'],
    ['dot.ted', 'public', 'dot.ted'],
    ['public.dot.ted', 'public', 'dot.ted'],
    ['spa ce "quote" 🐘', 'public', 'spa ce "quote" 🐘'],
    ['parts_2026', 'public', 'parts_2026'],
  ])('are found by the name %j', async (name, schema, table) => {
    expect(await findTable(database, name, limits)).toMatchObject({ schema, name: table })
  })

  test('are not guessed when a name means two of them', async () => {
    expect(await refusal(database, 'MIXED')).toMatchObject({
      message: '"MIXED" matches 2 tables.',
      hint: 'Specify one of public.Mixed, public.mixed.',
    })
  })

  test.each([
    ['user', 'Did you mean users?'],
    ['sales.order', 'Did you mean sales.orders?'],
    ['"users"', 'Did you mean users?'],
    ['treasures', 'Did you mean treasure?'],
    ['qqqqqqqqqqq', expect.stringMatching(/^Available tables: \w/)],
    ['', expect.stringMatching(/^Available tables: \w/)],
  ])('are suggested where %j is none', async (name, hint) => {
    expect(await refusal(database, name)).toMatchObject({
      kind: 'sql',
      message: `There is no table called ${JSON.stringify(name)}.`,
      hint,
    })
  })

  test.each(hostileNames('postgres'))(
    'meet no SQL in the $arg $value: $why',
    async ({ arg, value }) => {
      if (arg === 'pattern') {
        const found = (await names(database, value)).length
        expect(found).toBe(value === '%' ? 1 : 0)
      } else if (value === 'public.users') {
        expect((await findTable(database, value, limits)).name).toBe('users')
      } else {
        expect((await refusal(database, value)).message).toContain('no table called')
      }
      expect(await names(database, 'users')).toContain('users')
    },
  )
})

describe('the tables of SQLite', () => {
  const database = openSqlite(`
    create table users (
      id integer primary key, email text not null unique, friend integer references users);
    create table orders (
      region text, number integer default 7, buyer references USERS,
      total decimal(12,2), doubled generated always as (total * 2),
      primary key (region, number)
    );
    create table lines (
      region text, number integer, foreign key (region, number) references orders);
    create unique index orders_total on orders (total, upper(region)) where total > 0;
    create view cheap as select total as price from orders;
    create virtual table notes using fts5(body);
    create table _cf_METADATA (x);
    create table "we.ird ""name"" 🐘" (id);
    create table "100%" (id);
    analyze;
  `)

  test('are listed without those of SQLite, of the platform and of full-text indexes', async () => {
    const { tables, total } = await listTables(database, { limit: 100, limits })
    expect(total).toBe(tables.length)
    expect(tables.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'table 100%',
      'view cheap',
      'table lines',
      'table notes',
      'table orders',
      'table users',
      'table we.ird "name" 🐘',
    ])
    expect(tables.find(({ name }) => name === 'users')).toEqual({
      schema: 'main',
      name: 'users',
      kind: 'table',
      columnCount: 3,
    })
  })

  test('are found by a part of a name or a column, every character being itself', async () => {
    expect(await names(database, 'ORD')).toEqual(['orders'])
    expect(await names(database, 'EMAIL')).toEqual(['users'])
    expect(await names(database, '%')).toEqual(['100%'])
    expect(await names(database, '_')).toEqual([])
  })

  test('come in pages that know the total, even past the end', async () => {
    const page = await listTables(database, { limit: 2, offset: 4, limits })
    expect(page).toMatchObject({ tables: [{ name: 'orders' }, { name: 'users' }], total: 7 })
    expect(await listTables(database, { limit: 2, offset: 9, limits })).toEqual({
      tables: [],
      total: 7,
    })
  })

  test('are described with columns, keys in both directions, and indexes', async () => {
    const orders = await findTable(database, 'orders', limits)
    expect(orders.columns).toEqual([
      { name: 'region', type: 'text', nullable: false, primaryKey: true },
      { name: 'number', type: 'integer', nullable: false, default: '7', primaryKey: true },
      { name: 'buyer', type: '', nullable: true, primaryKey: false },
      { name: 'total', type: 'decimal(12,2)', nullable: true, primaryKey: false },
      { name: 'doubled', type: '', nullable: true, default: 'generated', primaryKey: false },
    ])
    expect(orders).toMatchObject({
      primaryKey: ['region', 'number'],
      foreignKeys: [
        { columns: ['buyer'], table: { schema: 'main', name: 'USERS' }, tableColumns: ['id'] },
      ],
      referencedBy: [
        {
          columns: ['region', 'number'],
          table: { schema: 'main', name: 'lines' },
          tableColumns: ['region', 'number'],
        },
      ],
      indexes: [
        { name: 'orders_total', unique: true, partial: true, columns: ['total', '(expression)'] },
      ],
    })
    const users = await findTable(database, 'users', limits)
    expect(users.uniqueKeys).toEqual([['email']])
    expect(
      users.referencedBy.map(({ table, tableColumns }) => [table.name, ...tableColumns]),
    ).toEqual([
      ['orders', 'buyer'],
      ['users', 'friend'],
    ])
    const notes = await findTable(database, 'notes', limits)
    expect(notes.columns.map(({ name }) => name)).toEqual(['body'])
  })

  test.each([
    ['users', 'users'],
    ['Main.USERS', 'users'],
    ['we.ird "name" 🐘', 'we.ird "name" 🐘'],
  ])('are found by the name %j', async (name, table) => {
    expect(await findTable(database, name, limits)).toMatchObject({ schema: 'main', name: table })
  })

  test('are counted where none is near and they are too many to name', async () => {
    const tables = Array.from({ length: 25 }, (_, i) => `create table t${i + 10} (x)`)
    const { hint } = await refusal(openSqlite(tables.join(';')), 'customers')
    expect(hint).toMatch(/^Available tables: t10, t11, .*, t29 and 5 more\.$/)
  })

  test('are suggested where a name is none', async () => {
    expect((await refusal(database, 'order')).hint).toBe('Did you mean orders?')
    expect((await refusal(database, '[users]')).hint).toBe('Did you mean users?')
  })

  test.each(hostileNames('sqlite'))(
    'meet no SQL in the $arg $value: $why',
    async ({ arg, value }) => {
      if (arg === 'pattern') {
        expect((await names(database, value)).length).toBe(value === '%' ? 1 : 0)
      } else {
        expect((await refusal(database, value)).message).toContain('no table called')
      }
      expect(await names(database, 'users')).toContain('users')
    },
  )
})

const keyed = `
  create domain filled as text not null;
  create domain longer as filled check (length(value) > 3);
  create domain loose as text;
  create extension citext;
  create domain address as citext;
  create table hosts (id integer primary key, name text unique);
  create table visits (
    id integer, day date, host integer references hosts, filled filled, longer longer, loose loose,
    address address, text text, " edges " integer, primary key (id, day)
  ) partition by range (day);
  create table visits_2025 partition of visits for values from ('2025-01-01') to ('2026-01-01');
  create table visits_2026 partition of visits for values from ('2026-01-01') to ('2027-01-01')
    partition by range (id);
  create table visits_2026_1 partition of visits_2026 for values from (1) to (2);
  create table clicks (
    id integer, visit integer, day date, foreign key (visit, day) references visits (id, day)
  ) partition by range (id);
  create table clicks_1 partition of clicks for values from (1) to (10);
  create table accounts (email text, gone boolean, only_one boolean);
  create unique index one_account on accounts (email) where not gone;
  create unique index one_row on accounts ((true));
`

await describePostgres('a table of PostgreSQL', keyed, (postgres) => {
  const database = open(postgres.tcp(), { fetch, bindings: {} })
  const find = (name: string) => findTable(database, name, limits)
  const hosts = {
    columns: ['host'],
    table: { schema: 'public', name: 'hosts' },
    tableColumns: ['id'],
  }
  const visits = {
    columns: ['visit', 'day'],
    table: { schema: 'public', name: 'visits' },
    tableColumns: ['id', 'day'],
  }

  test('that is a partition has the keys of its parent, each once', async () => {
    for (const name of ['visits', 'visits_2025', 'visits_2026', 'visits_2026_1']) {
      const { primaryKey, foreignKeys } = await find(name)
      expect({ name, primaryKey, foreignKeys }).toEqual({
        name,
        primaryKey: ['id', 'day'],
        foreignKeys: [hosts],
      })
    }
    for (const name of ['clicks', 'clicks_1']) {
      expect((await find(name)).foreignKeys).toEqual([visits])
    }
    const { referencedBy } = await find('hosts')
    expect(referencedBy.map(({ table }) => table.name)).toEqual(['visits'])
    expect((await find('visits')).referencedBy.map(({ table }) => table.name)).toEqual(['clicks'])
  })

  test('tells of which rows a unique index is', async () => {
    const server = endpointBefore(postgres.tcp())
    const { indexes } = await structureOf(server, 'describe_table', { table: 'accounts' })
    expect(indexes).toEqual([
      { name: 'one_account', unique: true, columns: ['email'], where: '(NOT gone)' },
      { name: 'one_row', unique: true, columns: ['(true)'] },
    ])
    const params = { uri: 'schema://main/accounts' }
    const { body } = await request(
      { server },
      requestOf(MODERN, { method: 'resources/read', params }),
    )
    expect(body.result.contents[0].text).toContain('unique index (email) where (NOT gone)')
  })

  test('has no NULL in a column whose domain has none, nor in a domain over that', async () => {
    const { columns } = await find('visits')
    const nullable = columns.filter((it) => it.nullable).map(({ name }) => name)
    expect(nullable).toEqual(['host', 'loose', 'address', 'text', ' edges '])
    const all = await overview(database, limits)
    const seen = all!.get(keyOf({ schema: 'public', name: 'visits' }))!
    expect(seen.filter((it) => it.nullable).map(({ name }) => name)).toEqual(nullable)
  })

  test('knows whose operators a type has that came with an extension', async () => {
    const { columns } = await find('visits')
    const others = columns.filter(({ operators }) => operators)
    expect(others.map(({ name, operators }) => [name, operators])).toEqual([['address', 'public']])
  })

  test('is read by the names of its columns, blanks at their edges too', async () => {
    await postgres.admin(`insert into visits values
      (1, '2025-05-05', null, 'x', 'xxxx', 'x', 'A@B.c', 'Ab', 7)`)
    const server = endpointBefore(postgres.tcp())
    const asked = {
      table: 'visits',
      columns: [' edges '],
      where: [
        { column: ' edges ', op: 'gte', value: 7 },
        { column: 'address', op: 'eq', value: 'a@b.C' },
      ],
      orderBy: [' edges '],
    }
    const { columns, rows } = await structureOf(server, 'query_table', asked)
    expect([columns[0].name ?? columns[0], rows]).toEqual([
      expect.stringContaining(' edges '),
      [[7]],
    ])
  })
})

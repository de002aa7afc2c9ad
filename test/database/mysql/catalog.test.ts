import { expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { DatabaseError, findTable, listTables } from '../../../src/database/index.ts'
import { hostileNames } from '../../support/attacks.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 5, maxBytes: 1_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

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
  create table users (
    id integer auto_increment primary key,
    email varchar(80) not null unique,
    mood enum('sad', 'it''s, "ok"', 'happy') default 'happy',
    friend_id integer comment 'who brought them here',
    shouted varchar(80) generated always as (upper(email)) stored,
    made timestamp not null default current_timestamp,
    foreign key (friend_id) references users (id),
    key users_by_mood (mood, id desc)
  ) comment 'People who signed up 100%';
  create table orders (
    region varchar(9), number integer, buyer integer not null,
    primary key (region, number), foreign key (buyer) references users (id)
  );
  create table \`lines\` (
    region varchar(9), number integer, line integer, under_score text,
    foreign key (region, number) references orders (region, number), unique (line, number)
  );
  create view cheap as select 1 as price;
  create sequence counter;
  create table Mixed (id integer);
  create table mixed (id integer);
  create table \`dot.ted\` (id integer);
  create table \`spa ce "quote" \`\`tick\`\` é\` (id integer, \`co lumn\` text);
  create table treasure (id integer primary key);
  create table maps (id integer, treasure_id integer, foreign key (treasure_id) references treasure (id));
  create table hidden_columns (open integer, shut_away integer);
  create table wide (${Array.from({ length: 300 }, (_, i) => `column_${i} integer`).join(', ')});
  insert into users (email) values ('a@example.com'), ('b@example.com');
  analyze table users;

  create user ${reader}_some@'%';
  grant select on users to ${reader}_some@'%';
  grant select on orders to ${reader}_some@'%';
  grant select on maps to ${reader}_some@'%';
  grant insert on treasure to ${reader}_some@'%';
  grant select (open) on hidden_columns to ${reader}_some@'%';
`

await describeMariaDb('the MariaDB catalog', setup, (mariadb) => {
  const database = open(mariadb.url(), io)
  const reader = open(mariadb.url(mariadb.reader), io)
  const some = open(mariadb.url(`${mariadb.reader}_some`), io)
  const { database: schema } = mariadb

  test('lists tables by name, without other databases and system tables', async () => {
    const { tables, total } = await listTables(database, { limit: 100, limits })
    expect(total).toBe(tables.length)
    expect(new Set(tables.map((it) => it.schema))).toEqual(new Set([schema]))
    expect(tables.map(({ name }) => name)).toEqual([
      ...['Mixed', 'cheap', 'dot.ted', 'hidden_columns', 'lines', 'maps', 'mixed', 'orders'],
      ...['spa ce "quote" `tick` é', 'treasure', 'users', 'wide'],
    ])
    expect(tables.find(({ name }) => name === 'users')).toEqual({
      schema,
      name: 'users',
      kind: 'table',
      comment: 'People who signed up 100%',
      estimatedRows: 2,
      columnCount: 6,
    })
    expect(tables.find(({ name }) => name === 'cheap')).toEqual({
      schema,
      name: 'cheap',
      kind: 'view',
      columnCount: 1,
    })
  })

  test('searches names, columns and comments in any case', async () => {
    expect(await names(database, 'ORDER')).toEqual(['orders'])
    expect(await names(database, 'email')).toEqual(['users'])
    expect(await names(database, 'signed UP')).toEqual(['users'])
    expect(await names(database, 'zzz')).toEqual([])
  })

  test('searches for %, _ and \\ literally', async () => {
    expect(await names(database, '%')).toEqual(['users'])
    expect(await names(database, 'r_s')).toEqual(['lines'])
    expect(await names(database, '\\')).toEqual([])
  })

  test('returns the total with every page, even past the end', async () => {
    const page = await listTables(database, { limit: 2, offset: 1, limits })
    expect(page.tables).toHaveLength(2)
    expect(page.total).toBe(12)
    expect(await listTables(database, { limit: 2, offset: 99, limits })).toEqual({
      tables: [],
      total: 12,
    })
  })

  test('contains only tables and columns that the user may read', async () => {
    expect((await names(reader)).length).toBe(12)
    expect(await names(some)).toEqual(['hidden_columns', 'maps', 'orders', 'users'])
    expect(await names(some, 'shut_away')).toEqual([])
    const { columns } = await findTable(some, 'hidden_columns', limits)
    expect(columns.map(({ name }) => name)).toEqual(['open'])
    expect((await refusal(some, 'treasure')).hint).toBe(
      'Available tables: hidden_columns, maps, orders, users.',
    )
    expect((await findTable(some, 'orders', limits)).referencedBy).toEqual([])
    expect((await findTable(some, 'maps', limits)).foreignKeys).toEqual([])
    expect((await findTable(database, 'maps', limits)).foreignKeys).toHaveLength(1)
  })

  test.each([
    ['a user with every privilege', database],
    ['a user that may only select', reader],
  ])('describes columns, keys in both directions and indexes to %s', async (_, from) => {
    const { columns, indexes, ...table } = await findTable(from, 'users', limits)
    const plain = { nullable: false, primaryKey: false }
    expect(columns).toEqual([
      { ...plain, name: 'id', type: 'int(11)', default: 'auto_increment', primaryKey: true },
      { ...plain, name: 'email', type: 'varchar(80)' },
      {
        ...plain,
        name: 'mood',
        type: `enum('sad','it''s, "ok"','happy')`,
        nullable: true,
        default: "'happy'",
      },
      {
        ...plain,
        name: 'friend_id',
        type: 'int(11)',
        nullable: true,
        comment: 'who brought them here',
      },
      {
        ...plain,
        name: 'shouted',
        type: 'varchar(80)',
        nullable: true,
        default: 'generated as ucase(`email`)',
      },
      { ...plain, name: 'made', type: 'timestamp', default: 'current_timestamp()' },
    ])
    expect(indexes).toEqual([
      { name: 'friend_id', unique: false, partial: false, columns: ['friend_id'] },
      { name: 'users_by_mood', unique: false, partial: false, columns: ['mood', 'id'] },
    ])
    const users = { schema, name: 'users' }
    expect(table).toMatchObject({
      primaryKey: ['id'],
      uniqueKeys: [['email']],
      foreignKeys: [{ columns: ['friend_id'], table: users, tableColumns: ['id'] }],
      referencedBy: [
        { columns: ['id'], table: { schema, name: 'orders' }, tableColumns: ['buyer'] },
        { columns: ['id'], table: users, tableColumns: ['friend_id'] },
      ],
    })
  })

  test('keeps the columns of a composite key in order', async () => {
    const { foreignKeys, uniqueKeys } = await findTable(database, 'lines', limits)
    const columns = ['region', 'number']
    expect(foreignKeys).toEqual([
      { columns, table: { schema, name: 'orders' }, tableColumns: columns },
    ])
    expect(uniqueKeys).toEqual([['line', 'number']])
  })

  test('describes 300 columns despite a limit of 5 rows', async () => {
    expect((await findTable(database, 'wide', limits)).columns).toHaveLength(300)
  })

  test.each([
    ['users', 'users'],
    ['USERS', 'users'],
    [`${schema}.users`, 'users'],
    ['mixed', 'mixed'],
    ['Mixed', 'Mixed'],
    ['dot.ted', 'dot.ted'],
    ['spa ce "quote" `tick` é', 'spa ce "quote" `tick` é'],
  ])('finds a table by the name %j', async (name, table) => {
    expect(await findTable(database, name, limits)).toMatchObject({ schema, name: table })
  })

  test('does not guess when a name matches two tables', async () => {
    expect((await refusal(database, 'MIXED')).message).toBe('"MIXED" matches 2 tables.')
  })

  test.each([
    ['user', 'Did you mean users?'],
    ['`users`', 'Did you mean users?'],
    ['treasures', 'Did you mean treasure?'],
    ['qqqqqqqqqqq', expect.stringMatching(/^Available tables: \w/)],
    ['', expect.stringMatching(/^Available tables: \w/)],
    ['😕', expect.stringMatching(/^Available tables: \w/)],
  ])('suggests tables for the unknown name %j', async (name, hint) => {
    expect(await refusal(database, name)).toMatchObject({
      kind: 'sql',
      message: `There is no table called ${JSON.stringify(name)}.`,
      hint,
    })
  })

  test.each(hostileNames('mysql'))(
    'treats the $arg $value as text: $why',
    async ({ arg, value }) => {
      if (arg === 'pattern') {
        expect((await names(database, value)).length).toBe(value === '%' ? 1 : 0)
      } else {
        expect((await refusal(database, value)).message).toContain('no table called')
      }
      expect(await names(database, 'users')).toContain('users')
    },
  )

  test('reports an auth error after the user is dropped', async () => {
    await mariadb.admin(`drop user ${mariadb.reader}_some@'%'`)
    const error = await listTables(some, { limit: 1, limits }).catch((it) => it)
    expect(error).toMatchObject({ kind: 'auth' })
  })
})

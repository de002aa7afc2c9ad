import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import {
  type Database,
  fingerprint,
  keyOf,
  listTables,
  overview,
} from '../../../src/database/index.ts'
import { describeClickHouse } from '../../support/clickhouse.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'
import { readSqlite } from '../../support/sqlite.ts'

const limits = { maxRows: 5, maxBytes: 1_000, timeoutMs: 20_000 }
const io = { fetch, bindings: {} }

/** An engine with `customers`, `orders` that refer to them, and names that need care. */
interface Engine {
  readonly database: Database
  /** Changes it, past driver and guard. */
  run(sql: string): unknown
  /** Statements each of which changes what is known of the schema. */
  readonly changes: readonly string[]
  /** Statements that change what is in it, or what the role does not see. */
  readonly others: readonly string[]
  readonly refers: boolean
  /** The names that need care, where the engine takes only some. */
  readonly named?: readonly string[]
}

const odd = ['a b', 'a%b', "it's", 'طلبات', '🐘', 'dot.ted', 'ends.']

function tests({ database, run, changes, others, refers, named = odd }: Engine): void {
  const find = async (part: string, limit = 100) => {
    const search = part || undefined
    const { tables, total } = await listTables(database, { search, names: true, limit, limits })
    expect(tables.every(({ schema }) => schema === tables[0]!.schema)).toBe(true)
    return { names: tables.map(({ name }) => name), total, schema: tables[0]?.schema }
  }

  test('finds tables by part of their names alone, in any case, and says how many', async () => {
    expect((await find('ORD')).names).toEqual(['orders'])
    expect((await find('rder')).names).toEqual(['orders'])
    expect((await find('customer_id')).total).toBe(0)
    expect((await find('bought')).total).toBe(0)
    const all = await find('')
    expect(all.names.toSorted()).toEqual(['customers', 'orders', 'paid', ...named].toSorted())
    expect(await find('', 2)).toMatchObject({
      names: all.names.slice(0, 2),
      total: all.names.length,
    })
    for (const name of named) expect((await find(name)).names).toEqual([name])
    for (const nothing of ['%b%', '_', "''", '\\', '\0', 'sqlite_', 'pg_', '\ud800'])
      expect((await find(nothing)).names, nothing).toEqual([])
  })

  test('shows every column, its key and where it points', async () => {
    const { schema } = await find('')
    const tables = (await overview(database, limits))!
    expect(tables.size).toBe(3 + named.length)
    const orders = tables.get(keyOf({ schema: schema!, name: 'orders' }))!
    expect(orders.map(({ name }) => name)).toEqual(['id', 'customer_id', 'note'])
    expect(orders.map(({ primaryKey }) => primaryKey)).toEqual([true, false, false])
    expect(orders[2]!.nullable).toBe(true)
    const customers = { schema, name: 'customers' }
    expect(orders[1]!.references).toEqual(refers ? { table: customers, column: 'id' } : undefined)
    for (const name of named) {
      expect(tables.get(keyOf({ schema: schema!, name }))!.map((it) => it.name)).toEqual(['id'])
    }
  })

  test('has a fingerprint that changes with the schema, and with nothing else', async () => {
    let last = await fingerprint(database, limits)
    expect(last.length).toBeGreaterThan(60)
    for (const sql of others) {
      await run(sql)
      expect(await fingerprint(database, limits), sql).toBe(last)
    }
    for (const sql of changes) {
      await run(sql)
      const next = await fingerprint(database, limits)
      expect(next, sql).not.toBe(last)
      expect(await fingerprint(database, limits)).toBe(next)
      last = next
    }
  })
}

/** MariaDB takes no letter beyond the first 65,536. */
const basic = odd.filter((name) => name !== '🐘')

const quoted = (quote: string, names = odd) =>
  names.map((name) => `create table ${quote}${name}${quote} (id integer)`)

await describePostgres(
  'the overview of PostgreSQL',
  (reader) =>
    [
      'create table customers (id integer primary key, email text not null unique)',
      'create table orders (id integer primary key, customer_id integer references customers, note text)',
      "comment on table customers is 'who bought'",
      'create view paid as select id from orders',
      ...quoted('"'),
      'create schema secret',
      'create table secret.plans (id integer)',
      `create type mood as enum ('sad'); grant usage on schema public to ${reader}`,
    ].join(';'),
  ({ tcp, reader, admin }) => {
    tests({
      database: open(`${tcp(reader)}?sslmode=disable`, io),
      run: (sql) => admin(sql),
      refers: true,
      changes: [
        'alter table orders add column total numeric',
        "comment on table orders is 'what was bought'",
        "comment on table orders is 'what was sold'",
        "comment on column orders.note is 'free text'",
        'alter table orders alter column total set not null',
        'alter table orders rename column total to amount',
        'alter table orders alter column amount type numeric(12,2)',
        'alter table orders drop constraint orders_customer_id_fkey',
        'alter table orders add column mood mood',
        'alter table orders drop column mood',
        'drop view paid',
        'create view paid as select id, note from orders',
        'drop table "a b"',
      ],
      others: [
        "insert into customers values (1, 'a@example.com')",
        'insert into orders values (1, 1)',
        'analyze',
        'reindex table orders',
        'vacuum full orders',
        'truncate orders',
        'create table secret.more (id integer primary key)',
      ],
    })
  },
)

await describeMariaDb(
  'the overview of MariaDB',
  [
    'create table customers (id integer primary key, email varchar(80) not null unique)',
    `create table orders (id integer primary key, customer_id integer, note text,
      foreign key (customer_id) references customers (id))`,
    'create view paid as select id from orders',
    ...quoted('`', basic),
  ].join(';'),
  ({ url, reader, admin }) => {
    tests({
      database: open(`${url(reader)}?ssl-mode=DISABLED`, io),
      run: (sql) => admin(sql),
      refers: true,
      named: basic,
      changes: [
        'alter table orders add column total decimal(9,2)',
        "alter table orders comment 'what was bought'",
        "alter table orders comment 'what was sold'",
        "alter table orders modify note text comment 'free text'",
        'alter table orders modify total decimal(9,2) not null',
        'alter table orders alter column total set default 0',
        'alter table orders change total amount decimal(9,2)',
        'alter table orders modify amount decimal(12,2)',
        'create index by_amount on orders (amount)',
        'alter table orders drop constraint orders_ibfk_1, drop index customer_id',
        'drop view paid',
        'create view paid as select id, note from orders',
        'drop table `a b`',
      ],
      others: [
        "insert into customers values (1, 'a@example.com')",
        "insert into orders values (1, 1, 'x')",
        'analyze table orders, customers',
        'alter table orders force',
        'truncate orders',
      ],
    })
  },
)

await describeClickHouse(
  'the overview of ClickHouse',
  [
    'create table customers (id UInt32, email String) engine = MergeTree order by id',
    `create table orders (id UInt32, customer_id UInt32, note Nullable(String))
      engine = MergeTree order by id`,
    'create view paid as select id from orders',
    ...odd.map((name) => `create table \`${name}\` (id UInt8) engine = Memory`),
    'create database other',
  ],
  ({ url, admin }) => {
    tests({
      database: open(url('reader'), io),
      run: (sql) => admin(/ other\./.test(sql) ? sql : sql.replace(/^(\w+ table) /, '$1 shop.')),
      refers: false,
      changes: [
        'alter table orders add column total Decimal(9,2)',
        "alter table orders comment column note 'free text'",
        "alter table orders comment column note 'any text'",
        'alter table orders modify column total Decimal(9,2) default 0',
        'alter table orders drop column total',
        'drop table `a b`',
      ],
      others: [
        "insert into customers values (1, 'a@example.com')",
        'optimize table customers final',
        'create table other.more (id UInt8) engine = Memory',
      ],
    })
  },
)

describe('the overview of SQLite', () => {
  const sqlite = new DatabaseSync(':memory:')
  sqlite.exec(
    [
      'create table customers (id integer primary key, email text not null unique)',
      'create table orders (id integer primary key, customer_id integer references customers, note text)',
      'create view paid as select id from orders',
      ...quoted('"'),
    ].join(';'),
  )
  tests({
    database: readSqlite(sqlite),
    run: (sql) => sqlite.exec(sql),
    refers: true,
    changes: [
      'alter table orders add column total numeric',
      'alter table orders rename column total to amount',
      'create index by_note on orders (note)',
      'drop index by_note',
      'alter table orders drop column amount',
      'drop view paid',
      'create view paid as select id, note from orders',
      'drop table "a b"',
    ],
    others: [
      "insert into customers values (1, 'a@example.com')",
      'insert into orders values (1, 1, null)',
      'vacuum',
      'create temporary table mine (id integer primary key)',
    ],
  })
})

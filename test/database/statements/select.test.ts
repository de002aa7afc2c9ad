import { describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { findTable } from '../../../src/database/index.ts'
import type { Condition } from '../../../src/database/statements/select.ts'
import { operators, selectStatement } from '../../../src/database/statements/select.ts'
import { describeClickHouse } from '../../support/clickhouse.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'
import { openSqlite } from '../../support/sqlite.ts'

const limits = { maxRows: 100, maxBytes: 100_000, timeoutMs: 10_000 }

/** The ids of the rows that match, in order. */
async function ids(database: Database, table: string, ...where: Condition[]): Promise<unknown[]> {
  const statement = selectStatement(database.dialect, {
    table: await findTable(database, table, limits),
    columns: ['id'],
    where,
    orderBy: ['id'],
    limit: 100,
  })
  const { rows } = await database.query(statement, limits)
  return rows.map(([id]) => id)
}

const people = `
  insert into people values
    (1, 'Ada', 36, 'x%y', '1815-12-10'), (2, 'bo', 5, 'a_b', null),
    (3, 'Ob''rien', 50, 'a\\b', '2000-02-29'), (4, 'ADAM', null, null, '1999-01-01');
  insert into "Odd ""one""" values (1, 'x'), (2, 'y');
`

/** What is the same in every dialect. */
function behaves(database: Database) {
  test.each<[string, Condition, number[]]>([
    ['eq', { column: 'name', op: 'eq', value: 'Ada' }, [1]],
    ['eq with a quote', { column: 'name', op: 'eq', value: "Ob'rien" }, [3]],
    ['eq null', { column: 'age', op: 'eq', value: null }, [4]],
    ['ne', { column: 'age', op: 'ne', value: 5 }, [1, 3]],
    ['ne null', { column: 'age', op: 'ne', value: null }, [1, 2, 3]],
    ['lt', { column: 'age', op: 'lt', value: 36 }, [2]],
    ['lte', { column: 'age', op: 'lte', value: 36 }, [1, 2]],
    ['gt', { column: 'age', op: 'gt', value: 36 }, [3]],
    ['gte', { column: 'age', op: 'gte', value: '36' }, [1, 3]],
    ['a number as text', { column: 'age', op: 'eq', value: '5' }, [2]],
    ['a text that is a number', { column: 'note', op: 'eq', value: 5 }, []],
    ['in', { column: 'age', op: 'in', value: [5, '50', 7] }, [2, 3]],
    ['in with null', { column: 'age', op: 'in', value: [5, null] }, [2, 4]],
    ['in nothing', { column: 'age', op: 'in', value: [] }, []],
    ['not_in', { column: 'age', op: 'not_in', value: [5] }, [1, 3]],
    ['not_in with null', { column: 'age', op: 'not_in', value: [5, null] }, [1, 3]],
    ['not_in nothing', { column: 'age', op: 'not_in', value: [] }, [1, 2, 3, 4]],
    ['between', { column: 'age', op: 'between', value: [5, 36] }, [1, 2]],
    [
      'between days',
      { column: 'born', op: 'between', value: ['1815-12-10', '1999-01-01'] },
      [1, 4],
    ],
    ['like', { column: 'note', op: 'like', value: 'a%' }, [2, 3]],
    ['contains', { column: 'name', op: 'contains', value: 'aDa' }, [1, 4]],
    ['contains %', { column: 'note', op: 'contains', value: '%' }, [1]],
    ['contains _', { column: 'note', op: 'contains', value: '_' }, [2]],
    ['contains \\', { column: 'note', op: 'contains', value: '\\' }, [3]],
    ['contains in a number', { column: 'age', op: 'contains', value: 5 }, [2, 3]],
    ['is_null', { column: 'note', op: 'is_null' }, [4]],
    ['not_null', { column: 'note', op: 'not_null' }, [1, 2, 3]],
    ['a column in another case', { column: 'AGE', op: 'eq', value: 36 }, [1]],
  ])('finds rows by %s', async (_, condition, expected) => {
    expect(await ids(database, 'people', condition)).toEqual(expected)
  })

  test('wants all conditions to hold', async () => {
    const adults: Condition = { column: 'age', op: 'gt', value: 18 }
    expect(
      await ids(database, 'people', adults, { column: 'name', op: 'eq', value: 'Ada' }),
    ).toEqual([1])
  })

  test('orders, pages and names columns as they are', async () => {
    const table = await findTable(database, 'people', limits)
    const statement = selectStatement(database.dialect, {
      table,
      columns: ['NAME', 'id'],
      orderBy: ['name desc', 'id'],
      limit: 2,
      offset: 1,
    })
    const { columns, rows } = await database.query(statement, limits)
    expect(columns.map(({ name }) => name)).toEqual(['name', 'id'])
    expect(rows).toEqual([
      ["Ob'rien", 3],
      ['Ada', 1],
    ])
  })

  test('selects every column unless some are named', async () => {
    const table = await findTable(database, 'people', limits)
    const { columns } = await database.query(
      selectStatement(database.dialect, { table, limit: 1 }),
      limits,
    )
    expect(columns.map(({ name }) => name)).toEqual(['id', 'name', 'age', 'note', 'born'])
  })

  test('quotes names that hold quotes', async () => {
    const column = 'the "id"; drop table people'
    const statement = selectStatement(database.dialect, {
      table: await findTable(database, 'Odd "one"', limits),
      columns: [column],
      where: [{ column, op: 'gt', value: 1 }],
      orderBy: [column],
      limit: 5,
    })
    expect((await database.query(statement, limits)).rows).toEqual([[2]])
  })

  test('never finds SQL in a value', async () => {
    const value = "x' or 1=1; drop table people; --"
    const ordered = operators.filter((op) => !['is_null', 'not_null', 'ne', 'not_in'].includes(op))
    for (const op of ordered.filter((op) => op !== 'in' && op !== 'between')) {
      const found = await ids(database, 'people', { column: 'note', op, value })
      expect(found.length, op).toBeLessThan(4)
    }
    expect(await ids(database, 'people')).toEqual([1, 2, 3, 4])
  })

  test('names the nearest columns for one that is not there', async () => {
    const wrong = ids(database, 'people', { column: 'nmae', op: 'eq', value: 1 })
    await expect(wrong).rejects.toMatchObject({
      kind: 'sql',
      message: 'people has no column called "nmae".',
      hint: 'Did you mean name?',
    })
    const table = await findTable(database, 'people', limits)
    for (const name of ['*', 'id, name', 'id"', '(select 1)', 'count(*)', '']) {
      expect(() => selectStatement(database.dialect, { table, columns: [name], limit: 1 })).toThrow(
        'no column',
      )
      expect(() => selectStatement(database.dialect, { table, orderBy: [name], limit: 1 })).toThrow(
        'no column',
      )
    }
  })

  test.each<[Condition, string]>([
    [{ column: 'age', op: 'lt', value: null }, 'lt takes a value, not a list or null.'],
    [{ column: 'age', op: 'eq', value: [1] }, 'eq takes a value, not a list or null.'],
    [{ column: 'age', op: 'in', value: 1 }, 'in takes a list of values.'],
    [{ column: 'age', op: 'between', value: [1] }, 'between takes a list of 2 values.'],
    [{ column: 'age', op: 'between', value: [1, null] }, 'between takes a value, not a list'],
    [{ column: 'note', op: 'contains' }, 'contains takes a value'],
    [
      { column: 'age', op: 'in', value: Array(200).fill(1) },
      'A filter takes at most 98 values; this one has more.',
    ],
  ])('refuses %j', async (condition, message) => {
    await expect(ids(database, 'people', condition)).rejects.toThrow(message)
  })
}

const postgresSetup = () => `
  create table people (
    id integer primary key, name varchar(10), age integer, note text, born date);
  create table "Odd ""one""" ("the ""id""; drop table people" integer, x text);
  ${people}
  create type mood as enum ('sad', 'happy');
  create domain positive as numeric(6,2) check (value > 0);
  create table types (
    id integer, small smallint, big bigint, exact numeric(6,2), near float8, flag boolean,
    name char(5), short varchar(3), feeling mood, at timestamptz, day date, span interval,
    key uuid, plain json, binary_json jsonb, tags text[], address inet, bytes bytea,
    amount positive, spot point, bits bit(3), word "char");
  insert into types values (1, 7, 9007199254740993, 12.50, 'NaN', true, 'ab', 'abc', 'happy',
    '2026-01-02 03:04:05.123456+00', '2026-01-02', '1 day', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    '{"a": 1}', '{"a": 1}', '{a,NULL}', '10.0.0.1', '\\x00ff', 3, '(1,2)', '101', 'x');
`

await describePostgres('a selection from Supabase', postgresSetup, ({ supabase }) => {
  behaves(open(supabase.url('postgres'), supabase.io))
})

await describePostgres('a selection from PostgreSQL', postgresSetup, (postgres) => {
  const database = open(postgres.url(), { fetch, bindings: {} })
  behaves(database)

  test.each<[string, Condition['value']]>([
    ['small', 7],
    ['small', '7'],
    ['big', '9007199254740993'],
    ['exact', 12.5],
    ['exact', '12.500'],
    ['near', 'NaN'],
    ['flag', true],
    ['flag', 'true'],
    ['name', 'ab'],
    ['short', 'abc'],
    ['feeling', 'happy'],
    ['at', '2026-01-02T03:04:05.123456Z'],
    ['at', '2026-01-02 04:04:05.123456+01'],
    ['day', '2026-01-02'],
    ['span', '24 hours'],
    ['key', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
    ['plain', '{"a":1.0}'],
    ['binary_json', '{"a":1}'],
    ['tags', '{a,NULL}'],
    ['address', '10.0.0.1'],
    ['bytes', '\\x00ff'],
    ['amount', '3.00'],
    ['spot', '(1,2)'],
    ['bits', '101'],
    ['word', 'x'],
  ])('compares %s with %j as its own type', async (column, value) => {
    expect(await ids(database, 'types', { column, op: 'eq', value })).toEqual([1])
    expect(await ids(database, 'types', { column, op: 'in', value: [value as string] })).toEqual([
      1,
    ])
    expect(await ids(database, 'types', { column, op: 'ne', value })).toEqual([])
    expect((await ids(database, 'types', { column, op: 'contains', value: '' })).length).toBe(1)
  })

  test('neither rounds nor cuts a value to the size of the column', async () => {
    expect(await ids(database, 'types', { column: 'exact', op: 'eq', value: '12.5001' })).toEqual(
      [],
    )
    expect(await ids(database, 'types', { column: 'short', op: 'eq', value: 'abcd' })).toEqual([])
    expect(await ids(database, 'types', { column: 'name', op: 'eq', value: 'abcdef' })).toEqual([])
    expect(await ids(database, 'types', { column: 'bits', op: 'eq', value: '1011' })).toEqual([])
    expect(await ids(database, 'types', { column: 'amount', op: 'gt', value: '-5' })).toEqual([1])
  })

  test('says in the words of the database what a column cannot be compared with', async () => {
    await expect(
      ids(database, 'types', { column: 'day', op: 'eq', value: 'soon' }),
    ).rejects.toThrow('invalid input syntax for type date: "soon"')
  })
})

describe('a selection from SQLite', () => {
  const database = openSqlite(`
    create table people (
      id integer primary key, name varchar(10), age integer, note text, born date);
    create table "Odd ""one""" ("the ""id""; drop table people" integer, x text);
    ${people}
    create table kinds (id integer, whole integer, decimal decimal(9,2), words text, bare, flag boolean);
    insert into kinds values (1, 9007199254740993, 10.00, '5', 5, 0), (2, 1, 0.1, 'true', 'five', 1);
  `)
  behaves(database)

  test.each<[string, Condition['value'], number[]]>([
    ['whole', '9007199254740993', [1]],
    ['whole', true, [2]],
    ['decimal', '10', [1]],
    ['decimal', 0.1, [2]],
    ['words', 5, [1]],
    ['words', true, [2]],
    ['bare', 5, [1]],
    ['bare', 'five', [2]],
    ['flag', true, [2]],
    ['flag', 'true', [2]],
    ['flag', 'False', [1]],
    ['flag', '1', [2]],
  ])('compares %s with %j by its affinity', async (column, value, expected) => {
    expect(await ids(database, 'kinds', { column, op: 'eq', value })).toEqual(expected)
  })
})

const mariadbSetup = `
  create table people (
    id integer primary key, name varchar(10), age integer, note text, born date
  ) collate utf8mb4_bin;
  create table \`Odd "one"\` (\`the "id"; drop table people\` integer, x text);
  ${people.replace('"Odd ""one"""', '`Odd "one"`').replace('a\\b', 'a\\\\b')}
  create table kinds (
    id integer, small tinyint(1), big bigint unsigned, exact decimal(6,2), near float, far double,
    name char(5), short varchar(3), feeling enum('sad', 'happy'), traits set('x', 'y'),
    at datetime(6), day date, time time(3), made year, bytes varbinary(9), bits bit(12),
    plain json, spot point);
  insert into kinds values (1, 1, 9007199254740993, 12.50, 0.1, 0.1, 'ab', 'abc', 'happy', 'x,y',
    '2026-01-02 03:04:05.123456', '2026-01-02', '01:02:03.5', 2026, x'00ff', b'101', '{"a": 1}',
    point(1, 2));
`

await describeMariaDb('a selection from MariaDB', mariadbSetup, (mariadb) => {
  const database = open(mariadb.url(mariadb.reader), { fetch, bindings: {} })
  behaves(database)

  test.each<[string, Condition['value']]>([
    ['small', true],
    ['small', 'true'],
    ['small', 1],
    ['big', '9007199254740993'],
    ['exact', 12.5],
    ['exact', '12.500'],
    ['near', 0.1],
    ['far', 0.1],
    ['name', 'ab'],
    ['short', 'abc'],
    ['feeling', 'happy'],
    ['traits', 'x,y'],
    ['at', '2026-01-02 03:04:05.123456'],
    ['day', '2026-01-02'],
    ['time', '01:02:03.500'],
    ['made', 2026],
    ['bytes', '0x00ff'],
    ['bits', '0x0005'],
    ['plain', '{"a": 1}'],
    ['spot', '0x000000000101000000000000000000f03f0000000000000040'],
  ])('compares %s with %j, as which it is shown', async (column, value) => {
    expect(await ids(database, 'kinds', { column, op: 'eq', value })).toEqual([1])
    expect(await ids(database, 'kinds', { column, op: 'in', value: [value as string] })).toEqual([
      1,
    ])
    expect(await ids(database, 'kinds', { column, op: 'ne', value })).toEqual([])
    if (column === 'spot') return // There is no text in a point.
    expect((await ids(database, 'kinds', { column, op: 'contains', value: '' })).length).toBe(1)
  })

  test('takes no value for another that only looks like it', async () => {
    const found = (column: string, value: Condition['value']) =>
      ids(database, 'kinds', { column, op: 'eq', value })
    expect(await found('big', '9007199254740992')).toEqual([])
    expect(await found('exact', '12.5001')).toEqual([])
    expect(await found('short', 'abcd')).toEqual([])
    // By its place in the list it would be 2.
    expect(await found('feeling', 2)).toEqual([])
    expect(await found('name', 0)).toEqual([])
    expect(await found('small', 'false')).toEqual([])
  })
})

const clickhouseSetup = [
  `create table people (
    id UInt32, name String, age Nullable(Int32), note Nullable(String), born Nullable(Date)
  ) engine = Memory`,
  'create table `Odd "one"` (`the "id"; drop table people` UInt8, x String) engine = Memory',
  // Its Date begins in 1970.
  ...people
    .replace('"Odd ""one"""', '`Odd "one"`')
    .replace('a\\b', 'a\\\\b')
    .replace('1815-12-10', '1971-12-10')
    .split(/;\n/)
    .filter((statement) => statement.trim()),
  `create table kinds (
    id UInt32, small UInt8, whole UInt64, exact Decimal(6, 2), near Float32, far Float64,
    word FixedString(3), feeling Enum8('sad' = 1, 'happy' = 2), at DateTime,
    away DateTime('Asia/Tokyo'), day Date, key UUID, tags Array(String), low LowCardinality(String)
  ) engine = Memory`,
  `insert into kinds values (1, 7, 9007199254740993, 12.50, 0.1, 0.1, 'abc', 'happy',
    '2026-01-02 03:04:05', '2026-01-02 03:04:05', '2026-01-02',
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', ['a', 'b'], 'x')`,
]

await describeClickHouse('a selection from ClickHouse', clickhouseSetup, (server) => {
  const database = open(server.url('reader'), { fetch, bindings: {} })
  behaves(database)

  test.each<[string, Condition['value']]>([
    ['small', 7],
    ['small', '7'],
    ['whole', '9007199254740993'],
    ['exact', 12.5],
    ['exact', '12.500'],
    ['near', 0.1],
    ['far', '0.1'],
    ['word', 'abc'],
    ['feeling', 'happy'],
    ['at', '2026-01-02 03:04:05'],
    ['at', '2026-01-02T03:04:05Z'],
    ['at', '2026-01-02T04:04:05+01:00'],
    ['away', '2026-01-02 03:04:05'],
    ['away', '2026-01-01T18:04:05Z'],
    ['day', '2026-01-02'],
    ['key', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
    ['low', 'x'],
  ])('compares %s with %j as its own type', async (column, value) => {
    expect(await ids(database, 'kinds', { column, op: 'eq', value })).toEqual([1])
    expect(await ids(database, 'kinds', { column, op: 'in', value: [value as string] })).toEqual([
      1,
    ])
    expect(await ids(database, 'kinds', { column, op: 'ne', value })).toEqual([])
    const part = { column, op: 'contains', value: '' } as const
    expect(await ids(database, 'kinds', part)).toEqual([1])
  })

  test('compares a list as it is written', async () => {
    const tags = (value: string) => ids(database, 'kinds', { column: 'tags', op: 'eq', value })
    expect(await tags("['a','b']")).toEqual([1])
    expect(await tags("['b','a']")).toEqual([])
  })

  test('takes no value for another by wrapping, rounding or cutting it', async () => {
    const found = (column: string, value: Condition['value']) =>
      ids(database, 'kinds', { column, op: 'eq', value })
    expect(await found('small', 263)).toEqual([])
    expect(await found('small', -249)).toEqual([])
    expect(await found('small', '7.5')).toEqual([])
    expect(await found('whole', '9007199254740992')).toEqual([])
    expect(await found('exact', '12.5001')).toEqual([])
    expect(await found('word', 'abcd')).toEqual([])
    expect(await ids(database, 'kinds', { column: 'exact', op: 'gt', value: '-5' })).toEqual([1])
  })

  test('says in the words of the database what a column cannot be compared with', async () => {
    const soon = ids(database, 'kinds', { column: 'day', op: 'eq', value: 'soon' })
    await expect(soon).rejects.toThrow('Cannot parse date')
  })
})

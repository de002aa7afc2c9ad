import { describe, expect, test } from 'vitest'
import { DatabaseError, type Statement } from '../../../src/database/index.ts'
import { sqlite } from '../../../src/database/sqlite/dialect.ts'
import { openSqlite } from '../../support/sqlite.ts'

const database = openSqlite(`
  create table a (id integer primary key, b integer, unique (b));
  create table b (id integer primary key, t text);
  create table w (k text primary key, v text) without rowid;
  create index b_by_t on b (t);
  create index a_by_expression on a (abs(b));
  create view v as select a.id, b.t from a join b on b.id = a.b;
  create virtual table f using fts5(words);
`)
const limits = { maxRows: 5_000, maxBytes: 1 << 20, timeoutMs: 10_000 }

const read = async (sql: string, isReadable: (name: string) => boolean = () => true) => {
  const ask = (it: Statement) =>
    database.query(it, limits).catch((error: Error) => {
      throw new DatabaseError('sql', error.message)
    })
  const found = await sqlite.tablesRead!({ sql }, ask, isReadable)
  return found && [...new Set(found.map(({ schema, name }) => `${schema}.${name}`))].sort()
}

describe('the tables that a statement reads', () => {
  test.each([
    ['select 1', []],
    ["values (1, 'x'), (2, 'y')", []],
    ['select * from a', ['main.a']],
    ['explain query plan select * from a', ['main.a']],
    ['select count(*) from a', ['main.a']],
    ['select rowid from a where b = 3', ['main.a']],
    ['select t from b where t > 1 order by t', ['main.b']],
    ['select * from a where abs(b) = 1 or b = 2', ['main.a']],
    ['select * from v', ['main.a', 'main.b']],
    ['select * from w where k = 1', ['main.w']],
    ['select * from a natural join b', ['main.a', 'main.b']],
    ['select * from a full join b on a.b = b.id', ['main.a', 'main.b']],
    [
      'with x as (select * from b) select * from a where b in (select id from x)',
      ['main.a', 'main.b'],
    ],
    ['select (select max(t) from b) from a', ['main.a', 'main.b']],
    ['select * from a where exists (select 1 from w where v = a.b)', ['main.a', 'main.w']],
    [
      'select id from a union select id from b intersect select k from w',
      ['main.a', 'main.b', 'main.w'],
    ],
    [
      'with recursive n(i) as (select id from a union select i + 1 from n where i < 9) select * from n',
      ['main.a'],
    ],
    ['select sum(b) over (order by (select max(t) from b)) from a', ['main.a', 'main.b']],
    ['select group_concat(distinct t) from b group by id having max(t) > 1', ['main.b']],
  ])('are named by its program: %s', async (sql, names) => {
    expect(await read(sql)).toEqual(names)
  })

  test.each([
    'select * from sqlite_schema',
    'select * from a where id in (select rootpage from sqlite_master)',
    'select * from sqlite_temp_master',
    "select * from pragma_table_info('a')",
    "select * from a, json_each('[1]')",
    'select * from f',
    "select * from f where f match 'x'",
  ])('are not certain where the schema or a virtual table is read: %s', async (sql) => {
    expect(await read(sql)).toBeUndefined()
  })

  test('are not certain where a program is too long or unknown', async () => {
    const answer = (rows: unknown[][], truncated = false) => ({
      ...{
        columns: [],
        rows: rows as never,
        truncated: truncated && ('rows' as const),
        elapsedMs: 0,
      },
    })
    const reading = (rows: unknown[][], truncated?: boolean) =>
      sqlite.tablesRead!(
        { sql: 'select 1' },
        async ({ sql }) =>
          sql.startsWith('explain') ? answer(rows, truncated) : answer([[2, 'a']]),
        () => true,
      )
    const open = [0, 'OpenRead', 0, 2, 0, '1', 0]
    expect(await reading([open])).toEqual([{ schema: 'main', name: 'a' }])
    expect(await reading([open], true)).toBeUndefined()
    for (const odd of [
      [1, 'OpenRead', 1, 1, 0, '1', 0],
      [1, 'OpenRead', 1, 2, 1, '1', 0],
      [1, 'OpenRead', 1, 2, 0, '1', 16],
      [1, 'OpenRead', 1, 3, 0, '1', 0],
      [1, 'OpenRead', 1, 'x', 0, '1', 0],
      [1, 'OpenWrite', 1, 2, 0, '1', 0],
      [1, 'VOpen', 1, 0, 0, 'vtab', 0],
      [1, 'Program', 1, 0, 0, 'program', 0],
      [1, 'ReadsSomethingNew', 1, 2, 0, '', 0],
    ]) {
      expect([odd, await reading([open, odd])]).toEqual([odd, undefined])
    }
  })

  test.each([
    'select a.id from a left join b on b.id = a.b',
    'select nope from a fetch, B',
    'select nope from a fetch, [b]',
    'select a.id, (with b as (select 1) select * from b), (select nope from b) from a',
    'select (select nope from b) from a window b as (order by id)',
  ])('are not certain where a hidden table is named, even if it is not read: %s', async (sql) => {
    expect(await read(sql, (name) => name !== 'b')).toBeUndefined()
  })

  test.each([
    'select b from a',
    'select a.b as w, 1 as v from a order by w',
    "select 'b', 'w' from a v",
    'with b as (select id from a) select id from b',
  ])('are told where something else has the name of a hidden table: %s', async (sql) => {
    expect(await read(sql, (name) => name === 'a')).toEqual(['main.a'])
  })

  test('are not certain of a statement that is too long with other names', async () => {
    const sql = `select ${'b,'.repeat(6_000)} b from a`
    expect(await read(sql)).toBeUndefined()
  })
})

test('texts that are equal to the names of hidden tables are only values, however many', async () => {
  const hidden = Array.from({ length: 20 }, (_, i) => `hidden_${i}`)
  const many = openSqlite(
    ['orders', ...hidden].map((it) => `create table ${it} (id integer)`).join(';'),
  )
  const ask = (it: Statement) =>
    many.query(it, limits).catch((error: Error) => {
      throw new DatabaseError('sql', error.message)
    })
  const readAs = (sql: string) => sqlite.tablesRead!({ sql }, ask, (name) => name === 'orders')
  const asked = (names: readonly string[]) =>
    readAs(`select id from orders where 'x' in (${names.map((it) => `'${it}'`).join(', ')})`)
  const made = await asked(hidden.map((it) => `no_${it}`))
  expect(made).toBeDefined()
  expect(await asked(hidden)).toEqual(made)
  for (const table of ['hidden_1', '"hidden_1"', '[hidden_1]', '`hidden_1`']) {
    expect(await readAs(`select id from orders where id in (select id from ${table})`)).not.toEqual(
      await readAs('select id from orders'),
    )
  }
})

/** The column of a SELECT without a name is called `'b'`, so the new name of a table changes it, and USING fails. */
const disguised = (table: string, on: string) =>
  `select o.id from (select a.id from (select 1 as id, '${table}') a join (select '${table}') b
    using ("'${table}'")) o left join ${table} p on ${on} window ${table} as (order by 1)`

test.each(['p.id = o.id', 'p.id = o.id and p.t = 1', 'p.id = o.id and p.nope = 1', '(1, 2) in b'])(
  'a hidden table and a missing one cannot be told apart by an error of their own: on %s',
  async (on) => {
    const outcome = (table: string) =>
      read(disguised(table, on), (name) => name === 'a').catch((error: Error) => {
        expect(error.message).toMatch(/no such table/)
      })
    expect(await outcome('b')).toBeUndefined()
    expect(await outcome('missing')).toBeUndefined()
  },
)

test('an error that has nothing to do with a hidden table is shown', async () => {
  const sql = "select 'b', nope from a"
  await expect(read(sql, (name) => name === 'a')).rejects.toThrow('no such column: nope')
})

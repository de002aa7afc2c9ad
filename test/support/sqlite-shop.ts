import { describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { demoStatements } from '../../src/database/demo/statements.ts'
import { findTable, listTables, selectStatement } from '../../src/database/index.ts'
import type { Limits, Param } from '../../src/database/rows.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

/** The statements that create the demo store, and other tables that attacks and tests use. */
export function* shop(): Generator<string> {
  yield* demoStatements()
  // With this name, a statement can look like a table.
  yield 'create table reindex (id integer)'
  yield 'create table users (id integer primary key, email text)'
  yield "insert into users values (1, 'a@example.com'), (2, 'b@example.com'), (3, null)"
}

/** Statements that are too deep for SQLite's parser, or for its expression tree. */
export const TOO_DEEP = [
  `select ${'('.repeat(45_000)}1${')'.repeat(45_000)}`,
  `select 1${' or 1'.repeat(3_000)}`,
  `select ${'not '.repeat(3_000)}1`,
]

/** The error for them, which helps a model to fix the statement. */
export const TOO_DEEP_ERROR = {
  kind: 'sql',
  message: 'The statement is nested too deeply for SQLite.',
  hint: expect.stringContaining('fewer parentheses'),
}

/**
 * Tests that every remote SQLite must pass, on a database with the {@link shop}.
 *
 * @param places True if errors have the position in the statement.
 */
export function speaksSqlite(database: Database, { places = true } = {}): void {
  const ask = (sql: string, params: readonly Param[] = [], more: Partial<Limits> = {}) =>
    database.query({ sql, params }, { ...limits, ...more })
  const rows = async (sql: string, params?: readonly Param[]) => (await ask(sql, params)).rows

  describe('the demo store', () => {
    test('has the same totals as on every engine', async () => {
      const ordered = 'select round(sum(total), 2), count(*) from order_totals'
      expect(await rows(ordered)).toEqual([[1_965_359.6, 2400]])
      const paid = 'select round(sum(amount), 2), count(*) from payments'
      expect(await rows(paid)).toEqual([[1_553_884.58, 2119]])
    })

    test('can be listed, described and queried', async () => {
      const { tables, total } = await listTables(database, { limit: 100, limits })
      expect(tables.map(({ name }) => name)).toEqual([
        ...['categories', 'customers', 'order_items', 'order_totals', 'orders', 'payments'],
        ...['products', 'reindex', 'reviews', 'users'],
      ])
      expect(total).toBe(10)
      const table = await findTable(database, 'ORDER_ITEMS', limits)
      expect(table).toMatchObject({
        name: 'order_items',
        primaryKey: ['order_id', 'line_no'],
        foreignKeys: [{ columns: ['product_id'] }, { columns: ['order_id'] }],
        indexes: [{ name: 'items_by_product' }],
      })
      const where = [{ column: 'order_id', op: 'in' as const, value: [1, '2'] }]
      const orderBy = ['unit_price']
      const columns = ['order_id', 'line_no']
      const statement = selectStatement(database.dialect, {
        table,
        columns,
        where,
        orderBy,
        limit: 3,
      })
      const sql = `select order_id, line_no from order_items where order_id in (1, 2)
        order by unit_price limit 3`
      expect((await database.query(statement, limits)).rows).toEqual(await rows(sql))
    })
  })

  describe('an answer', () => {
    test('is exact for extreme numbers', async () => {
      const integers = `select 9223372036854775807, -9223372036854775807 - 1, 9007199254740991,
        9007199254740992, -9007199254740992, 0`
      expect(await rows(integers)).toEqual(
        [...[['9223372036854775807', '-9223372036854775808', 9007199254740991]]].map((it) => [
          ...it,
          '9007199254740992',
          '-9007199254740992',
          0,
        ]),
      )
      const reals =
        'select 9e999, -9e999, 1.7976931348623157e308, 5e-324, 0.1, 1e300, 9e999 - 9e999, -0.0, 0.0'
      expect(await rows(reals)).toEqual([
        ['Infinity', '-Infinity', Number.MAX_VALUE, Number.MIN_VALUE, 0.1, 1e300, null, '-0', 0],
      ])
      expect(await rows('select -0.0')).toEqual([['-0']])
      expect(await rows('select id, ean from products order by id limit 2')).toEqual([
        [1, '9007199255425787'],
        [2, '9007199254870209'],
      ])
    })

    test('has exact strings and blobs', async () => {
      const texts = `select null, '', 'é😕', char(1) || 'i7', char(1), ' "\\''', x'', x'00ff10',
        zeroblob(4096), (select attributes from products where id = 1)`
      expect(await rows(texts)).toEqual([
        [
          ...[null, '', 'é😕', '\u0001i7', '\u0001', ` "\\'`, "x''", "x'00ff10'"],
          `x'${'00'.repeat(256)}…' (256 of 4096 bytes)`,
          '{"color":"red","sizes":[4,6]}',
        ],
      ])
    })

    test('evaluates each expression only once', async () => {
      const random = `case abs(random() % 4)
        when 0 then 9007199254740993 when 1 then 9e999 when 2 then -0.0 else 'x' end`
      const { rows } = await ask(`select ${random}, ${random} from order_items`, [], {
        ...{ maxRows: 1_000, maxBytes: 100_000 },
      })
      expect(new Set(rows.flat())).toEqual(new Set(['9007199254740993', 'Infinity', '-0', 'x']))
    })

    test('has the type of each value', async () => {
      const { columns } = await ask(
        `select 9223372036854775807 as a, 9e999 as b, x'00' as c, 'x' as d, null as e, 1 as f, -0.0 as g`,
      )
      const types = ['integer', 'real', 'blob', 'text', '', 'integer', 'real']
      expect(columns).toEqual(types.map((type, i) => ({ name: 'abcdefg'[i], type })))
    })

    test('keeps columns with the same name separate, with their names', async () => {
      const { columns, rows } = await ask(
        'select id, name as id, id, id as ID, id, id as "id:x", id as "id:1", ROWID from categories limit ?',
        [1],
      )
      const names = ['id', 'id', 'id', 'ID', 'id', 'id:x', 'id:1', 'id']
      expect(columns.map(({ name }) => name)).toEqual(names)
      expect(rows).toEqual([[1, 'Kitchen', 1, 1, 1, 1, 1, 1]])
    })

    test('can have a hundred columns', async () => {
      for (const count of [99, 100]) {
        const numbers = Array.from({ length: count }, (_, i) => i)
        expect(await rows(`select ${numbers}`)).toEqual([numbers])
      }
    })

    test('keeps the order of the statement', async () => {
      const named = 'select ean, name from products order by name desc, id limit 7'
      const texts = `select cast(ean as text), name from products order by name desc, id limit 7`
      expect(await rows(named)).toEqual(await rows(texts))
    })

    test('accepts parameters of every type, numbered or not', async () => {
      expect(await rows('select ?, ?, ?, ?, ?', [null, true, false, 1.5, "O'Neil 😕"])).toEqual([
        [null, 1, 0, 1.5, "O'Neil 😕"],
      ])
      expect(await rows('select ?2, ?1, ?2', ['a', 'b'])).toEqual([['b', 'a', 'b']])
      const big = 'select id from products where ean = ? and ean > ?'
      expect(await rows(big, ['9007199255425787', 1])).toEqual([[1]])
    })

    test.each([
      ['select id from customers order by id limit 10', 10, false],
      ['select id from customers order by id limit 11', 10, 'rows'],
      ['select id from customers -- all', 10, 'rows'],
      ['values (1), (2)', 2, false],
      // The maximum number of terms on D1.
      ['select 1 union all select 2 union select 3 union select 4 union select 5', 5, false],
      ['with t(x) as (select 1 union all select x + 1 from t) select x from t', 10, 'rows'],
      ['select id from customers where false', 0, false],
    ])('has at most the maximum number of rows: %s', async (sql, count, truncated) => {
      expect(await ask(sql)).toMatchObject({ rows: { length: count }, truncated })
    })

    test('leaves out whole rows beyond the byte cap', async () => {
      const sql = "select 'é' || hex(zeroblob(50)), 1.0 from customers limit 10"
      const row = JSON.stringify([`é${'0'.repeat(100)}`, 1]).length + 2
      for (const fit of [1, 3, 9]) {
        const answer = await ask(sql, [], { maxBytes: fit * row })
        expect(answer).toMatchObject({ truncated: 'bytes', rows: { length: fit } })
      }
      expect(await ask(sql, [], { maxBytes: 10 * row })).toMatchObject({ truncated: false })
      expect((await ask(sql, [], { maxBytes: 10 * row - 1 })).rows).toHaveLength(9)
    })

    test('is an error if a single row exceeds the byte cap', async () => {
      const error = await ask('select hex(zeroblob(6000))').catch((thrown) => thrown)
      expect(error).toMatchObject({
        kind: 'too_large',
        hint: expect.stringContaining('shorter pieces'),
      })
    })

    test('is the plan for EXPLAIN QUERY PLAN', async () => {
      const plan = '/* why */ explain query plan select * from orders where id = ?'
      expect((await rows(plan, [1]))[0]?.at(-1)).toContain('SEARCH orders')
    })
  })

  describe('an error', () => {
    test.each([
      ['select é, nope from orders', { message: 'no such column: é', position: 8 }],
      ['select /* é */ nope from orders', { message: 'no such column: nope', position: 16 }],
      ['select * from nowhere', { message: 'no such table: nowhere' }],
      ['select 1 from', { message: 'incomplete input' }],
      ['select 1 wher 2', { message: 'near "2": syntax error', position: 15 }],
      ['select abs(-9223372036854775807 - 1)', { message: 'integer overflow' }],
      ['select :p', { message: expect.stringContaining('write $1, $2, … and give their values') }],
    ])('explains the problem: %s', async (sql, error) => {
      const thrown = await ask(sql).catch((it) => it)
      const { position, ...words } = { position: undefined, ...error }
      expect(thrown).toMatchObject({ kind: 'sql', ...words })
      expect(thrown.position).toBe(places ? position : undefined)
    })

    test.each(TOO_DEEP)('has a hint for a statement that is too deep: %.20s', async (sql) => {
      expect(await ask(sql).catch((it) => it)).toMatchObject(TOO_DEEP_ERROR)
    })
  })
}

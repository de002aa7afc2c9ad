/// <reference types="vite/client" />
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { readPlan } from '../../src/database/demo/plan.ts'
import { type DemoAnswer, Shop } from '../../src/database/demo/shop.ts'
import { Counts, TableSizes } from '../../src/database/demo/table-sizes.ts'
import { visitsOf } from '../../src/database/demo/visits.ts'
import { DatabaseError } from '../../src/database/error.ts'
import { lex } from '../../src/database/guard/lexer.ts'
import type { Param } from '../../src/database/rows.ts'
import { assertReads } from '../../src/database/sqlite/program.ts'
import { rules } from '../../src/database/sqlite/rules.ts'
import corpus from '../attack/corpus/readonly.jsonl?raw'
import { TOO_DEEP, TOO_DEEP_ERROR } from '../support/sqlite-shop.ts'

const namespace = (env as unknown as { DEMO: DurableObjectNamespace }).DEMO

const usual = { maxRows: 100, maxBytes: 100_000 }

/** A store for this test only, which is queried without a driver and without the guard. */
function open(name: string) {
  const stub = namespace.get(namespace.idFromName(`demo.test: ${name}`))
  return {
    stub,
    async inside<T>(work: (storage: DurableObjectStorage) => T) {
      // It fills itself on its first query.
      await this.ask('select 1')
      return runInDurableObject(stub, (_: DurableObject, { storage }) => work(storage))
    },
    async ask(sql: string, params: readonly Param[] = [], limits = {}) {
      const body = JSON.stringify({ sql, params, ...usual, ...limits })
      const response = await stub.fetch('https://demo/', { method: 'POST', body })
      return (await response.json()) as DemoAnswer
    },
    async rows(sql: string, params: readonly Param[] = []) {
      const answer = await this.ask(sql, params)
      if ('error' in answer) throw new Error(`${answer.error.message}: ${sql}`)
      return answer.rows
    },
    async refusal(sql: string) {
      const answer = await this.ask(sql)
      return 'error' in answer ? answer.error.kind : answer.rows
    },
  }
}

const listed = ({ sql }: DurableObjectStorage, text: string) => [...sql.exec(text).raw()]

/** Values that change with any write, even if it is undone, since undone writes are counted, too. */
const marks = (storage: DurableObjectStorage) => ({
  changes: listed(storage, 'select total_changes()'),
  schema: listed(storage, 'select * from sqlite_schema'),
  pragmas: ['foreign_keys', 'defer_foreign_keys', 'recursive_triggers'].map((pragma) => {
    try {
      return [pragma, listed(storage, `pragma ${pragma}`)]
    } catch (error) {
      return [pragma, String(error)]
    }
  }),
  kept: [...storage.kv.list()],
})

/** Every row of every table. */
const contents = (storage: DurableObjectStorage) =>
  listed(
    storage,
    `select name from sqlite_schema where type = 'table' and name not like '\\_%' escape '\\'`,
  ).map(([name]) => [name, listed(storage, `select * from "${name}"`)])

/** The storage of an object whose statements go to another function. */
const withExec = (storage: DurableObjectStorage, exec: SqlStorage['exec']) =>
  ({
    sql: { exec },
    kv: storage.kv,
    transactionSync: storage.transactionSync.bind(storage),
  }) as unknown as DurableObjectStorage

describe('a demo store', () => {
  test('fills itself on first use', async () => {
    const { rows } = open('new')
    expect(await rows.call(open('new'), 'select count(*) from order_items')).toEqual([[7209]])
  })

  test('has the same totals as on every engine', async () => {
    const store = open('totals')
    const ordered = 'select round(sum(total), 2), count(*) from order_totals'
    expect(await store.rows(ordered)).toEqual([[1_965_359.6, 2400]])
    const paid = 'select round(sum(amount), 2), count(*) from payments'
    expect(await store.rows(paid)).toEqual([[1_553_884.58, 2119]])
  })

  test('is unchanged after an eviction', async () => {
    const store = open('evicted')
    await store.inside(({ sql }) => sql.exec('delete from reviews where id > 7'))
    await evictDurableObject(store.stub)
    expect(await store.rows('select count(*) from reviews')).toEqual([[7]])
  })

  test('from another edition is rebuilt', async () => {
    const store = open('old')
    await store.inside(({ sql, kv }) => {
      sql.exec('drop view order_totals')
      sql.exec('delete from reviews')
      sql.exec('create table more (id integer primary key, parent references more (id))')
      kv.put('edition', 'another')
    })
    await evictDurableObject(store.stub)
    expect(await store.rows('select count(*) from reviews')).toEqual([[500]])
    expect(await store.rows('select count(*) from order_totals')).toEqual([[2400]])
    expect(await store.rows("select name from sqlite_schema where name = 'more'")).toEqual([])
  })

  test('that cannot be filled completely stays unchanged', async () => {
    const store = open('half')
    await store.inside((storage) => {
      storage.kv.put('edition', 'another')
      storage.sql.exec('delete from reviews')
      const before = [contents(storage), marks(storage).schema]
      const failing = withExec(storage, (text, ...params) => {
        if (text.startsWith('insert into payments')) throw new Error('no room')
        return storage.sql.exec(text, ...params)
      })
      expect(() => new Shop(failing)).toThrow('no room')
      expect([contents(storage), marks(storage).schema]).toEqual(before)
      expect(storage.kv.get('edition')).toBe('another')
    })
  })
})

describe('a result', () => {
  const store = open('values')

  test('is exact even if a double is not', async () => {
    expect(await store.rows('select id, ean, ean from products order by id limit 2')).toEqual([
      [1, '9007199255425787', '9007199255425787'],
      [2, '9007199254870209', '9007199254870209'],
    ])
    const limits = 'select 9223372036854775807, -9223372036854775807 - 1, 9007199254740991, 1e300'
    expect(await store.rows(limits)).toEqual([
      ['9223372036854775807', '-9223372036854775808', 9007199254740991, 1e300],
    ])
    // Only the second statement has values that a double cannot hold, and is run twice.
    expect(await store.rows('select -0.0, 0.0')).toEqual([['-0', 0]])
    const all = "select -0.0, 0.0, 9007199254740993, -9e999, x'00ff', char(1)"
    expect(await store.rows(all)).toEqual([
      ['-0', 0, '9007199254740993', '-Infinity', "x'00ff'", '\u0001'],
    ])
  })

  test('keeps the order and the cap of a statement with large integers', async () => {
    const answer = await store.ask('select ean from products order by name, id', [], { maxRows: 3 })
    expect(answer).toMatchObject({ truncated: 'rows', columns: [{ name: 'ean', type: 'integer' }] })
    const names = 'select cast(ean as text) from products order by name, id limit 3'
    expect(answer).toMatchObject({ rows: await store.rows(names) })
  })

  test('contains strings, NULL, JSON, blobs and infinity unchanged', async () => {
    const values = `select (select body from reviews where body like 'Too small%' limit 1),
      (select attributes from products where id = 1), null, '', x'00ff', 1e999, -1e999, 0.1`
    expect(await store.rows(values)).toEqual([
      [
        'Too small 😕',
        '{"color":"red","sizes":[4,6]}',
        null,
        '',
        "x'00ff'",
        'Infinity',
        '-Infinity',
        0.1,
      ],
    ])
  })

  test('distinguishes two columns with the same name', async () => {
    const answer = await store.ask('select id, name as id, id from categories limit 1')
    expect(answer).toEqual({
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'id', type: 'text' },
        { name: 'id', type: 'integer' },
      ],
      rows: [[1, 'Kitchen', 1]],
      truncated: false,
    })
  })

  test('can use parameters of every kind, numbered or not', async () => {
    const all = 'select ?, ?, ?, ?, ?'
    expect(await store.rows(all, [null, true, false, 1.5, "O'Neil 😕"])).toEqual([
      [null, 1, 0, 1.5, "O'Neil 😕"],
    ])
    expect(await store.rows('select ?2, ?1, ?2', ['a', 'b'])).toEqual([['b', 'a', 'b']])
    const big = 'select id from products where ean = ? and ean > ?'
    expect(await store.rows(big, ['9007199255425787', 1])).toEqual([[1]])
  })

  test('is cut at the row cap, and the remaining rows are not computed', async () => {
    const million = `select a.id, hex(zeroblob(2)), b.id from orders a, customers b`
    const answer = await store.ask(million, [], { maxRows: 5 })
    expect(answer).toMatchObject({ truncated: 'rows', rows: { length: 5 } })
  })

  test('is cut at the byte cap', async () => {
    const answer = await store.ask('select name from customers', [], { maxBytes: 100 })
    expect(answer).toMatchObject({ truncated: 'bytes' })
    expect(JSON.stringify('rows' in answer && answer.rows).length).toBeLessThanOrEqual(101)
  })

  test('whose first row exceeds the cap says what to do', async () => {
    expect(await store.ask('select hex(zeroblob(100000))')).toMatchObject({
      error: { kind: 'too_large', hint: expect.stringContaining('substr()') },
    })
  })

  test('is the plan if a plan is requested', async () => {
    const plan = await store.rows('explain query plan select * from orders where id = ?', [1])
    expect(plan[0]?.at(-1)).toContain('SEARCH orders')
  })
})

describe('an error', () => {
  const store = open('errors')

  test.each([
    ['select é, nope from orders', { message: 'no such column: é', position: 8 }],
    ['select * from nowhere', { message: 'no such table: nowhere', code: 'SQLITE_ERROR' }],
    ['select 1 from', { message: 'incomplete input' }],
    ['select 1 wher 2', { message: 'near "2": syntax error', position: 15 }],
    ['', { message: 'incomplete input' }],
    ['select ?', { message: expect.stringContaining('Send one parameter for each placeholder') }],
    ['select :p', { message: expect.stringContaining('write $1, $2, … and give their values') }],
  ])('says what is wrong: %s', async (sql, error) => {
    expect(await store.ask(sql)).toMatchObject({ error: { kind: 'sql', ...error } })
  })

  test.each(TOO_DEEP)('says what to do with a statement that is too deep: %.20s', async (sql) => {
    expect(await store.ask(sql)).toMatchObject({ error: TOO_DEEP_ERROR })
  })

  test.each([
    ['delete from reviews', 'DELETE is refused: this database is read-only.'],
    ['explain delete from reviews', 'DELETE is refused: this database is read-only.'],
    ['with t as (select 1) update reviews set rating = 1', 'UPDATE is refused'],
    ['select 1; select 2', 'Send one statement at a time'],
    ['select 1) ; delete from reviews; select 1 from (select 1', 'Send one statement at a time'],
  ])('says why a statement is refused: %s', async (sql, message) => {
    expect(await store.ask(sql)).toMatchObject({
      error: { kind: 'refused', message: expect.stringContaining(message) },
    })
  })
})

describe('without the guard in front of it', () => {
  const attacks: { engine: string; name: string; sql: string; expect: string }[] = corpus
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // The corpus was written for other tables.
  const own = (sql: string) =>
    sql.replaceAll('users', 'customers').replaceAll('(email) VALUES', '(country) VALUES')
  const store = open('attacked')
  const all = (storage: DurableObjectStorage) => [marks(storage), contents(storage)]
  let before: unknown[]
  beforeAll(async () => {
    before = await store.inside(all)
  })
  const sqlite = attacks.filter(({ engine }) => engine === 'sqlite')

  test.each(sqlite.map(({ name, sql }) => [name, own(sql)]))(
    'nothing is changed or even started by %s',
    async (_, sql) => {
      await store.ask(sql)
      expect(await store.inside(marks)).toEqual(before[0])
    },
  )

  test('nothing is changed by attacks on other engines, not even a row', async () => {
    for (const { sql } of attacks) await store.ask(own(sql))
    expect(await store.inside(all)).toEqual(before)
  })

  test.each(
    // The platform shortens the value of this statement.
    sqlite.filter((it) => it.expect === 'rejected' && it.name !== 'sl_dos_printf'),
  )('$name gets an error', async ({ sql }) => {
    expect(await store.ask(own(sql))).toHaveProperty('error')
  })

  test('a statement’s program alone reveals that it writes', async () => {
    await store.inside(({ sql }) => {
      const refuses = (text: string) =>
        expect(() => assertReads(sql.exec(`explain ${text}`).raw()), text)
      for (const text of [
        'insert into categories values (99, null, null) returning id',
        'with x as (select 1) update reviews set rating = 1',
        'delete from reviews',
        'replace into reviews select * from reviews',
        'create table t (x)',
        'create virtual table t using fts5 (x)',
        'create trigger t after insert on orders begin delete from reviews; end',
        'alter table orders drop column note',
        'drop view order_totals',
        'drop index items_by_product',
        'reindex',
        'analyze',
      ]) {
        refuses(text).toThrow(DatabaseError)
      }
      refuses('select * from order_totals order by total').not.toThrow()
      refuses(
        'with t(x) as (select 1 union select x + 1 from t limit 9) select * from t',
      ).not.toThrow()
    })
  })

  test('a write that deceives all checks is rolled back', async () => {
    await store.inside(async (storage) => {
      let deleted = 0
      const { sql } = storage
      const deceived = new Shop(
        withExec(storage, ((text: string, ...params: unknown[]) => {
          if (text.startsWith('select ?1')) throw new Error('Wrong number of parameter bindings')
          if (text.startsWith('explain')) return sql.exec('explain select 1')
          const cursor = sql.exec(text, ...params)
          deleted = 500 - sql.exec<{ n: number }>('select count(*) n from reviews').one().n
          return cursor
        }) as SqlStorage['exec']),
      )
      deceived.answer({
        sql: 'delete from reviews; drop view order_totals; select 1',
        params: [],
        maxRows: 1,
        maxBytes: 1000,
      })
      expect(deleted).toBe(500)
      expect([marks(storage).schema, contents(storage)]).toEqual([
        (before[0] as ReturnType<typeof marks>).schema,
        before[1],
      ])
    })
  })

  test('a store that ran every statement would be harmed', async () => {
    const harmful = await open('naked').inside((storage) =>
      sqlite.filter(({ name, sql }) => {
        // These would never return.
        if (name.startsWith('sl_dos_')) return false
        const before = JSON.stringify(marks(storage))
        let after = before
        try {
          storage.transactionSync(() => {
            storage.sql.exec('pragma defer_foreign_keys = on')
            const undeferred = JSON.stringify(marks(storage))
            try {
              storage.sql.exec(own(sql)).toArray()
            } catch {}
            after = JSON.stringify(marks(storage)) === undeferred ? before : ''
            throw new Error('enough')
          })
        } catch {}
        return after !== before
      }),
    )
    const names = ['sl_comment_newline', 'sl_bracket_ident', 'sl_delete_returning']
    expect(harmful.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  })
})

describe('a statement that would not end in time is refused', () => {
  const store = open('endless')
  test.each([
    'with t(x) as (select 1 union all select x + 1 from t) select x from t limit 3',
    'with recursive t(x) as (select 1 union select x + 1 from t limit 9) select x from t',
    'with "a b"(x) as materialized (select 1 union all select x from [A B]) select * from "a b"',
    'select (with t(x) as (select c.id union all select x + 1 from t) select max(x) from t) from customers c',
    'select * from categories where id in (with t(x) as (select 1 union all select * from t) select x from t)',
  ])('because it is recursive: %s', async (sql) => {
    expect(await store.ask(sql)).toMatchObject({
      error: { kind: 'refused', message: expect.stringContaining('does not run recursive') },
    })
  })

  const list = (count: number, item: (i: number) => string, between = ', ') =>
    Array.from({ length: count }, (_, i) => item(i)).join(between)
  const array = `json_each('[${list(4_000, String)}]')`

  test.each([
    'select count(*) from orders a, orders b, orders c, orders d, orders e',
    'select sum(length(hex(randomblob(900000)))) from order_items',
    `select count(*) from ${array} a, ${array} b`,
    'select count(*) from order_totals a, order_totals b, order_totals c',
    'select count(*) from orders "constant row", orders "b virtual table index 0:", orders [c d]',
    'select max((select count(*) from orders b, orders c where b.id + c.id > a.id)) from orders a',
    'select * from orders a join orders b using (status) join orders c using (status)',
    'select 1 where exists (select 1 from order_items a, order_items b, order_items c where a.quantity < 0)',
    `select count(*) from (select 1 k from orders limit -1) a, (select 1 k from orders limit -1) b,
      (select 1 k from orders limit -1) c where a.k = b.k and b.k = c.k`,
    `select count(*) from order_items i, (select quantity order_id from order_items limit -1) a,
      (select 1 id from orders limit -1) b where a.order_id = i.line_no and b.id = i.line_no`,
    `select count(*) from orders a join orders b on a.status = b.status and a.customer_id < b.customer_id
      join customers c on c.country = 'DE'`,
    'select max((select max(total) from order_totals t where t.order_id + 0 = o.id)) from orders o',
    'select count(*) from orders o where o.id + 0.5 in (select i.order_id + o.id * 0 from order_items i)',
    ...[
      'select abs(id * 0) k from orders group by id',
      'select id, abs(id * 0) k from orders group by 1',
      'select distinct id, abs(id * 0) l from orders',
      'select abs(id * 0) k, count(*) over (partition by id) n from orders',
      'select abs(id * 0) k from orders group by id, k',
      'select row_number() over (partition by id) k from orders',
    ].map(
      (list) =>
        `with a as (${list}), b as (${list}), c as (${list}) select count(*) from a
         join b on a.${list.includes(' l ') ? 'l = b.l' : 'k = b.k'}
         join c on c.${list.includes(' l ') ? 'l = b.l' : 'k = b.k'}`,
    ),
    // Each looks up all values in a list, which a plan does not show.
    'select 1 from orders a, orders b, orders c where b.id in (select id from orders) and c.id in (select id from orders) limit 1',
    `select count(*) from orders a, orders b, orders c where b.id in (${list(200, String)}) and c.id in (${list(200, String)})`,
    `select count(*) from orders a, orders b, orders c where (${list(90, (i) => `b.id = ${i}`, ' or ')}) and (${list(90, (i) => `c.id = ${i}`, ' or ')})`,
    // Names of small tables, and names that read like a plan.
    'select count(*) from (select 1 limit 1) orders, main.orders a, main.orders b, main.orders c',
    'select count(*) from (select quantity x from order_items limit -1) categories, (select quantity y from order_items limit -1) b where x <> y',
    'select max(x) from (select quantity x from order_items limit -1) "h using integer primary key (rowid=?)"',
    // NULL values are alike, too.
    'select count(*) from orders a join orders b on a.note is b.note join orders c on c.note is b.note',
    // The measured values differ when the statement runs, or are compared in another way.
    ...[
      `select iif(unixepoch('subsec') * 1000 % 2, id, 0) k from orders group by id`,
      `select iif(strftime('%s', 'no' || 'w') % 2, id, 0) k from orders group by id`,
      'select iif(random() % 2, id, 0) k from orders group by id',
      `select replace(replace(printf('%012d', id), '0', 'a'), '1', 'A') collate nocase k from orders group by id`,
    ].map(
      (sql) =>
        `with a as (${sql}) select count(*) from a x join a y on x.k = y.k join a z on z.k = x.k`,
    ),
    `select sum(${list(90, (i) => `a.quantity * ${i}`, '+')}) from order_items a, products b, categories c`,
    `select count(*) from categories o, customers c,
      json_each((select json_group_array(a.id) from orders a, products b where a.id > o.id * 0)) j`,
    // Each part is cheap.
    `select ${list(60, (i) => `(select count(*) from orders a, customers b where a.id + b.id = ${i})`)}`,
    'select count(*) from orders a, orders b where a.ordered_at > date(b.ordered_at)',
    'select a.id * b.id from orders a, customers b order by a.id * b.id % 10007',
  ])('%s', async (sql) => {
    expect(await store.refusal(sql)).toBe('refused')
  })

  const large = `printf('%.100000c', 'a')`
  const larger = 'hex(zeroblob(900000))'
  test.each([
    'select 1 from order_items where length(randomblob(900000)) < 0',
    `select order_id from order_items order by printf('%.100000c', order_id)`,
    `select instr(${larger}, substr(${larger}, 1, 90000) || 'b')`,
    `select length(replace(${larger}, substr(${larger}, 1, 90000) || 'b', 'x'))`,
    `select length(trim(${large}, ${large} || 'b'))`,
    `select count(*) from orders where ${large} like '%aaaaaaaaaaaaaaaaab%'`,
    `select count(*) from orders where ${large} glob '*a*a*a*a*a*a*b*'`,
    `select count(*) from orders a, (select id from orders limit 100) b
      where ('${'a'.repeat(440)}' || (a.id + b.id)) like '%${'a'.repeat(220)}b'`,
    `select count(*) from orders where length(concat(${large}, ${large}, ${large})) < 0`,
    `select count(*) from orders where length(strftime('${'%c'.repeat(20_000)}', ordered_at)) < 0`,
    `with m as materialized (select ${larger} x) select count(*) from m a, m b, orders where a.x = b.x`,
    `with a as (select group_concat(body) x from reviews), b as (select x || x x from a),
      c as (select x || x x from b) select count(*) from c p, c q, orders where p.x = q.x`,
    `select count(*) from order_items, json_each('[${'0,'.repeat(40_000)}0]')`,
    `select count(*) from json_each('[' || replace(${large}, 'a', '0,') || '0]'), orders`,
    `select length(json_patch(a, a)) from (select json_group_object(order_id || line_no, 1) a from order_items)`,
    `select sum(n) from (select count(*) over (order by order_id
      rows between unbounded preceding and current row exclude ties) n from order_items)`,
    'select max(length(x)) from (select group_concat(body) over (order by id) x from reviews)',
    'select instr(group_concat(a.body), group_concat(b.body)) from reviews a, reviews b',
    `with m as materialized (select group_concat(a.body || b.name) x from reviews a, customers b)
      select sum(length(x)) from m, orders`,
    `select sum(length((select group_concat(a.body || b.name) from reviews a, customers b))) from orders`,
    `select count(*) from order_items where ${Array.from({ length: 3_000 }, (_, i) => `quantity + ${i}`).join(' in (')}${')'.repeat(2_999)}`,
  ])('because of its work for each row: %s', async (sql) => {
    const refused = await store.ask(sql)
    expect(refused).toHaveProperty('error')
    expect(['refused', 'sql']).toContain('error' in refused && refused.error.kind)
  })

  test.each([`select ${'()'.repeat(40_000)}`, `with ${'a as ('.repeat(12_000)}`])(
    'and deeply nested text is parsed only once',
    async (sql) => {
      expect(await store.ask(sql)).toHaveProperty('error')
    },
  )

  test('and so is a value of half a gigabyte', async () => {
    expect(await store.refusal('select hex(zeroblob(500000000))')).toBe('sql')
    expect(await store.refusal('select length(randomblob(500000000))')).toBe('sql')
    expect(await store.refusal("select length(printf('%.*c', 500000000, 'x'))")).toEqual([
      [100_000],
    ])
  })
})

describe('a reasonable statement is not refused', () => {
  const store = open('reasonable')

  test.each([
    `select ca.name, count(distinct c.id), sum(i.quantity), sum(p.amount), avg(r.rating)
     from categories ca join products pr on pr.category_id = ca.id
     join order_items i on i.product_id = pr.id join orders o on o.id = i.order_id
     join customers c on c.id = o.customer_id join payments p on p.order_id = o.id
     join reviews r on r.product_id = pr.id group by 1`,
    'select a.name, b.name from customers a join customers b on a.country = b.country and a.id < b.id',
    `select a.product_id, b.product_id, count(*) n from order_items a
     join order_items b on a.order_id = b.order_id and a.product_id < b.product_id
     group by 1, 2 order by n desc limit 10`,
    `select * from (select *, rank() over (partition by customer_id order by total desc) r
     from order_totals) where r = 1`,
    `select i.order_id, sum(i.quantity) over (partition by o.customer_id order by o.ordered_at, i.line_no)
     from order_items i join orders o on o.id = i.order_id`,
    `select avg(total) over (order by order_id rows between 3 preceding and 3 following exclude current row),
     sum(total) over (order by order_id rows 6 preceding exclude ties) from order_totals`,
    'select id, (select sum(b.amount) from payments b where b.id <= a.id) from payments a',
    `with m as (select substr(ordered_at, 1, 7) m, sum(total) s from orders join order_totals on order_id = id group by 1)
     select a.m, sum(b.s) from m a join m b on b.m <= a.m group by 1`,
    `with m as (select strftime('%Y-%m', ordered_at) m, row_number() over () i, count(*) n from orders group by 1)
     select a.m, a.n - b.n from m a join m b on b.i = a.i - 1`,
    "select * from orders where customer_id in (select id from customers where country in ('DE', 'FR'))",
    `select a.name parent, b.name from categories b left join categories a on a.id = b.parent_id`,
    `select length(text) from (select group_concat(name, ', ' order by id) as text from products)`,
    `select replace(group_concat(distinct status), ',', ', ') from orders group by customer_id`,
    `select avg(total) over (order by order_id rows between 6 preceding and current row),
     ntile(10) over (order by total), max(total) over () from order_totals`,
    `select o.id from orders o join payments p on p.order_id = o.id
     join order_totals t on t.order_id = o.id
     group by o.id having abs(sum(p.amount) - max(t.total)) > 0.01`,
    `with a as (select customer_id, sum(total) s from order_totals group by 1),
       b as (select customer_id, count(*) n from orders group by 1)
     select * from a join b using (customer_id)`,
    `select c.name, (select max(total) from order_totals t where t.customer_id = c.id) from customers c`,
    `select * from order_totals a where total >
       (select avg(total) from order_totals b where b.customer_id = a.customer_id)`,
    'select * from orders o left join payments p on p.order_id = o.id where p.id is null',
    'select name from customers where id not in (select customer_id from orders)',
    `select strftime('%Y-%m', ordered_at) m, sum(total) from orders join order_totals on order_id = id
     where ordered_at >= '2025-01-01' and ordered_at < '2026-01-01' group by m order by m`,
    `select p.name, j.value from products p, json_each(p.attributes -> '$.sizes') j
     join order_items i on i.product_id = p.id`,
    'select name from customers union select name from products union all select note from orders order by 1',
    'select * from products p join reviews r on r.product_id = p.id full join customers c on c.id = r.customer_id',
    `with s as (select customer_id, sum(total) s from order_totals group by 1),
       n as (select customer_id, count(*) n from orders group by 1),
       r as (select customer_id, avg(rating) a from reviews group by 1)
     select c.name, s, n, a from customers c left join s on s.customer_id = c.id
     left join n on n.customer_id = c.id left join r on r.customer_id = c.id`,
    `with ranked as (select customer_id, total,
         row_number() over (partition by customer_id order by order_id) rn from order_totals)
     select a.customer_id, b.total - a.total from ranked a
     join ranked b on a.customer_id = b.customer_id and b.rn = a.rn + 1`,
    `with p as (select order_id, sum(amount) paid from payments group by 1),
       q as (select order_id, count(*) lines from order_items group by 1),
       t as (select order_id id, total from order_totals where total > 0 limit 3000)
     select * from orders o join p on p.order_id = o.id join q on q.order_id = o.id
     join t on t.id = o.id`,
    `with m as (select substr(ordered_at, 1, 7) m, count(*) n from orders group by 1),
       p as (select substr(paid_at, 1, 7) m, sum(amount) s from payments group by 1),
       r as (select substr(created_at, 1, 7) m, avg(rating) a from reviews group by 1)
     select * from m left join p using (m) left join r using (m)`,
    `with r as (select *, row_number() over (partition by customer_id order by ordered_at) n from orders)
     select count(*) from customers c join r a on a.customer_id = c.id and a.n = 1
     join r b on b.customer_id = c.id and b.n = 2`,
    'select count(distinct customer_id), count(distinct product_id) from orders join order_items on order_id = id',
    'values (1), (2), (3)',
    'select * from (values (1), (2)) a, (values (1), (2)) b, (values (1), (2)) c',
    'with a(x) as (values (1), (2)), b(y) as (values (3), (4)) select * from a, b, categories',
    `select status, group_concat(distinct customer_id), printf('%.2f', avg(id)), count(*) from orders group by 1`,
    `select upper(name) || ' (' || coalesce(country, '?') || ')', replace(email, '@', ' at '),
       substr(email, instr(email, '@') + 1), strftime('%Y-%m', created_at) from customers
       where name like '%a%' order by lower(name)`,
    `select o.id, (select group_concat(p.name, ', ') from order_items i
       join products p on p.id = i.product_id where i.order_id = o.id) from orders o`,
    `select json_object('name', name, 'price', printf('%.2f', price)), json_extract(attributes, '$.color')
       from products where trim(name) <> '' and hex(sku) <> ''`,
    `select p.name, j.key, j.value from products p, json_each(p.attributes) j`,
  ])('%s', async (sql) => {
    const answer = await store.ask(sql, [], { maxRows: 10_000, maxBytes: 10_000_000 })
    expect(answer).not.toHaveProperty('error')
    expect('rows' in answer && answer.rows.length).toBeGreaterThan(0)
    const [bound, visited] = await store.inside((storage) => {
      const plan = readPlan(storage.sql.exec(`explain query plan ${sql}`).raw())
      const cursor = storage.sql.exec(sql)
      cursor.toArray()
      const sizes = new TableSizes(lex(sql, rules.lexis), new Counts(storage.sql), 50, undefined)
      return [visitsOf(plan, sizes, 1).visits, cursor.rowsRead]
    })
    // An index entry and its row count as two reads.
    expect(visited).toBeLessThanOrEqual(2 * bound + 100)
  })
})

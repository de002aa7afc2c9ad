import { expect, test } from 'vitest'
import { read } from '../../../src/database/demo/read.ts'
import { assertPreparable } from '../../../src/database/demo/statement-size.ts'
import { DatabaseError } from '../../../src/database/error.ts'
import { lex } from '../../../src/database/guard/lexer.ts'
import { rules } from '../../../src/database/sqlite/rules.ts'

const list = (count: number, item: (i: number) => string, between = ', ') =>
  Array.from({ length: count }, (_, i) => item(i)).join(between)

/** Queries of which each reads the one before by its first name, as often as there are reads. */
const chain = (count: number, name: (i: number) => string, from: (before: string) => string) =>
  list(count, (i) => `${name(i)} as (select 1 x ${i ? `from ${from(name(i - 1))}` : ''})`)

const c = (i: number) => `c${i}`
const twice = (before: string) => `${before} a, ${before} b`

const hostile: [what: string, sql: string][] = [
  ['each reads the one before twice', `with ${chain(18, c, twice)} select 1 from c17`],
  ['by JOIN', `with ${chain(18, c, (it) => `${it} a left join ${it} b`)} select 1 from c17`],
  ['in parentheses', `with ${chain(18, c, (it) => `((${it} a), (${it} b))`)} select 1 from c17`],
  [
    'after IN',
    `with ${chain(18, c, (it) => `orders where 1 in ${it} or 2 in ${it}`)} select 1 from c17`,
  ],
  [
    'in subqueries',
    `with ${chain(18, c, (it) => `(select * from ${it}), (select * from ${it})`)} select 1 from c17`,
  ],
  [
    'by an alias called window',
    `with ${chain(18, c, (it) => `orders window, ${it} a, ${it} b`)} select 1 from c17`,
  ],
  ...['""', '[]', '``'].map(([open, close]): [string, string] => [
    `in ${open}${close}`,
    `with ${chain(18, c, (it) => `${open}${it.toUpperCase()}${close} a, ${open}${it}${close} b`)} select 1 from c17`,
  ]),
  [
    'with columns',
    `with ${chain(18, (i) => `c${i}`, twice).replaceAll(' as (', '(x) as not materialized (')} select 1 from c17`,
  ],
  [
    'named after its use',
    `with ${list(18, (i) => `c${17 - i} as (select 1 x ${i < 17 ? `from c${16 - i} a, c${16 - i} b` : ''})`)} select 1 from c17`,
  ],
  [
    'named like a keyword',
    `with materialized as (select 1 x from ${list(60, (i) => `orders o${i}`)}), ${chain(8, (i) => (i ? c(i) : 'c0'), twice).replace('select 1 x )', 'select 1 x from materialized)')} select 1 from c7`,
  ],
  ['a long line of them', `with ${chain(180, c, (it) => it)} select 1 from c179`],
  ['very many', `with ${list(201, (i) => `c${i} as (select 1)`)} select 1`],
  ...['x + x', 'iif(x, x, 1)', 'x * x + x * x'].map((it): [string, string] => [
    `a column that is computed again and again: ${it}`,
    `${list(20, () => `select ${it} x from (`, '')}select quantity x from order_items${')'.repeat(20)}`,
  ]),
  [
    'a column that is computed again and again, by named queries',
    `with c0(x) as (select 1), ${list(25, (i) => `c${i + 1}(x) as (select x + x from c${i})`)} select x from c25`,
  ],
  ['very many queries', `select ${list(101, () => '(select 1)')}`],
  [
    'many tables and conditions',
    `select 1 from ${list(60, (i) => `orders o${i}`)} where ${list(1_000, () => 'o1.id > o2.id', ' and ')}`,
  ],
]

test.each(hostile)('a statement that takes long to prepare is refused: %s', (_, sql) => {
  let thrown: unknown
  try {
    assertPreparable(lex(sql, rules.lexis))
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(DatabaseError)
  expect(thrown).toMatchObject({
    kind: 'refused',
    message: expect.stringMatching('Read fewer tables, name fewer queries'),
  })
})

test.each([
  'with recursive t as (select 1 x union all select x + 1 from t) select x from t',
  'with t(x) as (select 1 union all select x + 1 from t limit 9) select x from t',
  'with "a b"(x) as materialized (select 1 union select x from [A B]) select * from "a b"',
  'select (with t(x) as (select c.id union all select x + 1 from t) select max(x) from t) from customers c',
  'with a as (select * from b), b as (select * from a) select * from a',
  `${list(12, () => 'with t as (', '')} select 1 x ${list(12, () => ') select 1 x from t a, t b', '')}`,
])('a statement that reads itself is refused: %s', (sql) => {
  expect(() => assertPreparable(lex(sql, rules.lexis))).toThrow(/does not run recursive queries/)
})

test.each([
  ['a line of named queries', `with ${chain(60, c, (it) => it)} select 1 from c59`],
  ['a few that are read twice', `with ${chain(5, c, twice)} select 1 from c4`],
  ['a long list', `select 1 from orders where id in (${list(9_000, String)})`],
  [
    'a name that is given in several places',
    `select ${list(9, (i) => `(with t as (select ${i} x) select x from t)`)}`,
  ],
  [
    'columns that are named like a query',
    'with a as (select b from orders), b as (select * from a) select a.b, b.b from a, b',
  ],
  [
    'a window that is named twice',
    `select sum(id) over w from orders window w as (order by id)
     union all select sum(id) over w from orders window w as (order by id)`,
  ],
  ['many parentheses', `select ${'()'.repeat(40_000)}`],
])('a statement that is soon prepared passes: %s', (_, sql) => {
  expect(() => assertPreparable(lex(sql, rules.lexis))).not.toThrow()
})

test('what would take long to prepare never reaches SQLite', () => {
  const calls: string[] = []
  const storage = { exec: (sql: string) => calls.push(sql) } as unknown as SqlStorage
  const [, sql] = hostile[0]!
  const query = { sql, params: [], maxRows: 1, maxBytes: 1_000 }
  for (const explain of ['', 'explain ', 'explain query plan ']) {
    expect(() => read(storage, undefined as never, { ...query, sql: explain + sql })).toThrow(
      DatabaseError,
    )
  }
  expect(calls).toEqual([])
})

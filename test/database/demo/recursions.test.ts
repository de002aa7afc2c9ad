import { expect, test, vi } from 'vitest'
import { Estimate } from '../../../src/database/demo/estimate.ts'
import { lexSql } from '../../../src/database/demo/lexed-sql.ts'
import { outermostOf, recursionsIn } from '../../../src/database/demo/recursions.ts'

const found = (sql: string) =>
  recursionsIn(lexSql(sql)).map(({ name, limit, isDistinct }) => ({ name, limit, isDistinct }))

/** A counter that refers to itself. */
const counter = (end: string, union = 'union all') =>
  `with recursive t(x) as (select 1 ${union} select x + 1 from t ${end}) select x from t`

test.each([
  ['', 'none'],
  ['limit 7', 7],
  ['where x < 9', 'none'],
  ['limit 7 offset 1', 'unclear'],
  ['limit (7)', 'unclear'],
  ['limit 1e999', 'unclear'],
  ['limit 1.5', 'unclear'],
  ['limit ?1', 'unclear'],
  ['where x < (select 1 limit 7)', 'none'],
])('the limit of a recursion that ends with "%s" is %s', (end, limit) => {
  expect(found(counter(end))).toEqual([{ name: 't', limit, isDistinct: false }])
})

test('a recursion with UNION keeps its rows apart', () => {
  expect(found(counter('', 'union'))).toMatchObject([{ isDistinct: true }])
})

test.each(['t as', 't (a, b) as', 't as materialized', 't(x) as not materialized', '"T" as'])(
  'a query is named by what is in front of it: %s',
  (header) => {
    const sql = `with ${header} (select 1 union all select 2 from t) select 1`
    expect(found(sql)).toMatchObject([{ name: 't' }])
  },
)

test.each([
  'with t as (select 1 union all select 2) select * from t',
  'with t as (select 1 from t) select 1',
  'select (select 1 union all select 2 from t)',
])('a query that does not refer to itself is no recursion: %s', (sql) => {
  expect(found(sql)).toEqual([])
})

test('inner recursions come first, each with its text from WITH on', () => {
  const sql = `with a as (select 1 union all select x from a where
    (with b as (select 2 union all select x from b) select x from b)) select 1`
  const [b, a] = recursionsIn(lexSql(sql))
  expect(b).toMatchObject({ name: 'b', body: 'select 2 union all select x from b' })
  expect(b!.text).toBe('with b as (select 2 union all select x from b')
  expect(a!.text).toBe(sql.slice(0, sql.lastIndexOf(')')))
})

test('the outermost recursions are those that are in no other', () => {
  const inner = '(with b as (select 2 union all select x from b) select x from b)'
  const [a, c] = ['a', 'c'].map(
    (name) => `${name} as (select 1 union all select x from ${name} where ${inner})`,
  )
  const recursions = recursionsIn(lexSql(`with recursive ${a}, ${c} select 1`))
  expect(recursions.map(({ name }) => name)).toEqual(['b', 'a', 'b', 'c'])
  expect(outermostOf(recursions).map(({ name }) => name)).toEqual(['c', 'a'])
})

test('an estimate reads recursions in time linear to their text, however deep they nest', () => {
  const nested = (depth: number): string =>
    depth === 0
      ? 'select 1'
      : `with recursive t${depth} as (select 1 union all select x from t${depth} where (${nested(depth - 1)})) select 1`
  /** How often a pattern is tried. */
  const work = (depth: number) => {
    const text = lexSql(nested(depth))
    expect(recursionsIn(text)).toHaveLength(depth)
    const tried = vi.spyOn(RegExp.prototype, 'exec')
    try {
      new Estimate(text, () => expect.unreachable(), [], {} as never)
      return tried.mock.calls.length
    } finally {
      tried.mockRestore()
    }
  }
  const few = work(50)
  expect(few).toBeGreaterThan(0)
  expect(work(400)).toBeLessThan(few * 8 * 1.1)
})

import { expect, test } from 'vitest'
import { recursionsIn } from '../../../src/database/demo/recursions.ts'
import { textOf } from '../../../src/database/demo/text.ts'

const found = (sql: string) =>
  recursionsIn(textOf(sql)).map(({ name, limit, isDistinct }) => ({ name, limit, isDistinct }))

/** A counter that refers to itself. */
const counter = (end: string, union = 'union all') =>
  `with recursive t(x) as (select 1 ${union} select x + 1 from t ${end}) select x from t`

test.each([
  ['', 'none'],
  ['limit 7', 7],
  ['where x < 9', 'none'],
  ['limit 7 offset 1', 'unclear'],
  ['limit (7)', 'unclear'],
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
  const [b, a] = recursionsIn(textOf(sql))
  expect(b).toMatchObject({ name: 'b', body: 'select 2 union all select x from b' })
  expect(b!.text).toBe('with b as (select 2 union all select x from b')
  expect(a!.text).toBe(sql.slice(0, sql.lastIndexOf(')')))
})

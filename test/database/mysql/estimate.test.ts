import { describe, expect, test } from 'vitest'
import { estimate } from '../../../src/database/mysql/estimate.ts'

/** The estimate that is read from a plan. */
const read = (plan: unknown) =>
  estimate.read({
    columns: [{ name: 'EXPLAIN', type: 'json' }],
    rows: [[typeof plan === 'string' ? plan : JSON.stringify(plan)]],
    truncated: false,
  })

const table = (rows: number, filtered: string, more: object = {}) => ({
  table: { table_name: 't', access_type: 'ALL', rows_examined_per_scan: rows, filtered, ...more },
})

const block = (cost: string, more: object) => ({
  query_block: { select_id: 1, cost_info: { query_cost: cost }, ...more },
})

describe('an estimate from MySQL 5.7 and 8', () => {
  test('has the cost of the query and the rows that a join reads', () => {
    const plan = block('550.97', { nested_loop: [table(4_000, '10.00'), table(1, '100.00')] })
    expect(read(plan)).toEqual({ plan: 550.97, rows: 4_400 })
  })

  test('is found within sorts and groups', () => {
    const plan = block('7.5', {
      ordering_operation: {
        using_filesort: true,
        grouping_operation: { using_temporary_table: true, nested_loop: [table(50, '100.00')] },
      },
    })
    expect(read(plan)).toEqual({ plan: 7.5, rows: 50 })
  })

  test('adds materialized subqueries once and multiplies dependent ones', () => {
    const once = block('10.00', table(100, '100.00'))
    const plan = block('5.00', {
      ...table(20, '100.00', { materialized_from_subquery: { dependent: false, ...once } }),
      select_list_subqueries: [{ dependent: true, cacheable: false, ...once }],
    })
    expect(read(plan)).toEqual({ plan: 5 + 10 + 20 * 10, rows: 20 + 100 + 20 * 100 })
  })

  test('adds the parts of a union, which has no cost of its own', () => {
    const part = block('3.00', table(30, '100.00'))
    const plan = {
      query_block: {
        union_result: { using_temporary_table: true, query_specifications: [part, part] },
      },
    }
    expect(read(plan)).toEqual({ plan: 6, rows: 60 })
  })

  test('is infinite, not NaN, for a huge join', () => {
    const huge = Array.from({ length: 60 }, () => table(10_000_000, '100.00'))
    const none = block('0.00', { message: 'No tables used' })
    const plan = block('1e308', {
      nested_loop: huge,
      select_list_subqueries: [{ dependent: true, ...none }],
    })
    expect(read(plan)).toEqual({ plan: 1e308, rows: Number.POSITIVE_INFINITY })
  })

  test('is zero for a query without tables', () => {
    expect(read({ query_block: { select_id: 1, message: 'No tables used' } })).toEqual({
      plan: 0,
      rows: 0,
    })
  })
})

describe('an estimate from MySQL 8.3 and later, in version 2 of the format', () => {
  const scan = (rows: number, cost: number) => ({
    operation: 'Table scan on t',
    access_type: 'table',
    table_name: 't',
    estimated_rows: rows,
    estimated_total_cost: cost,
  })
  const join = (algorithm: string) => ({
    operation: 'Inner join',
    access_type: 'join',
    join_algorithm: algorithm,
    estimated_rows: 5_000,
    estimated_total_cost: 777.5,
    inputs: [
      { operation: 'Filter', estimated_rows: 10, inputs: [scan(100, 10.25)] },
      scan(500, 50.5),
    ],
  })

  test.each([
    ['nested_loop', 100 + 10 * 500],
    ['hash', 100 + 500],
  ])('has the rows of a %s join', (algorithm, rows) => {
    expect(read({ query: 'select', ...join(algorithm) })).toEqual({ plan: 777.5, rows })
  })

  test('is found one level deeper', () => {
    expect(read({ query: 'select', inputs: [scan(60, 6.5)] })).toEqual({ plan: 6.5, rows: 60 })
    expect(read({ query_plan: scan(60, 6.5) })).toEqual({ plan: 6.5, rows: 60 })
  })
})

describe('an estimate from MariaDB', () => {
  const scan = { table_name: 't', access_type: 'ALL', rows: 10, filtered: 50 }

  test('has a cost from version 11 on', () => {
    const nested_loop = [{ table: scan }, { 'block-nl-join': { table: scan } }]
    expect(read({ query_block: { select_id: 1, nested_loop } })).toEqual({
      plan: undefined,
      rows: 60,
    })
    expect(read({ query_block: { select_id: 1, cost: 0.125, nested_loop } })).toEqual({
      plan: 0.125,
      rows: 60,
    })
  })
})

test.each([['no JSON'], ['[]'], ['null'], ['']])(
  'text that is not a plan has no estimate: %j',
  (text) => {
    expect(read(text)).toEqual({})
  },
)

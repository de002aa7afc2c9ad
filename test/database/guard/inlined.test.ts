import { describe, expect, test } from 'vitest'
import { bind } from '../../../src/database/clickhouse/bind.ts'
import { inlineParams } from '../../../src/database/mysql/quote.ts'
import type { Param, QueryContext } from '../../../src/database/rows.ts'
import { scriptOf } from '../../../src/database/supabase/script.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 1_000 }
const supabase = (sql: string, ...params: Param[]) => scriptOf({ sql, params }, limits)
const clickhouse = (sql: string, ...params: Param[]) => bind({ sql, params })
const mysql = (sql: string, ...params: Param[]) => inlineParams({ sql, params })

/** The guard allows each statement as it was sent. Its values would make another one of it. */
describe('a value in a statement', () => {
  test.each([
    ['select pg_read_file $1', '/etc/passwd'],
    ['select "dblink" $1', 'host=x'],
    ['select query_to_xml\n$1', 'select 1'],
    ['select pg_catalog.pg_terminate_backend$1', '7'],
  ])('does not become the argument of a call on Supabase: %s', (sql, value) => {
    expect(() => supabase(sql, value)).toThrow(/not allowed here|Put a space/)
  })

  test.each<[string, ...Param[]]>([
    ['select 1 -{p1}, "x\n, file(\'f.txt\') -- "', -5],
    ["select {p1:String -- x\n} , 'a\n) as v, name from merge('a', '.*') -- '", 'v'],
    ["select {p1:String /* x */}, 'a'", 'v'],
    ["select {p1:String), file('f.txt'}", 'v'],
    ["select * from s{p1}('http://host/')", 3],
  ])('does not begin a comment or a call on ClickHouse: %j', (sql, ...params) => {
    let text = ''
    try {
      text = clickhouse(sql, ...params)
    } catch (error) {
      expect((error as Error).message).toMatch(/not allowed here|Leave out comments/)
    }
    // What is left has the value as a token of its own.
    expect(text).not.toMatch(/--5|s3|merge|\/\*/)
  })

  test('does not hide the rest of an operator’s statement', () => {
    const sql = 'select name from items where id -{p1} > 1000 and name = {p2}'
    expect(clickhouse(sql, -5, 'a')).toBe(
      "select name from items where id - -5  > 1000 and name =  'a' ",
    )
    expect(mysql('select ?-? from t where a = ?', -1, -1, 'x')).toBe(
      "select  -1 - -1  from t where a =  'x' ",
    )
  })

  test('can have any length and any content', () => {
    const value = `${'x'.repeat(200_000)}' -- \\ \u0001`
    expect(clickhouse('select {p1:String}', value)).toContain('xxx')
    expect(mysql('select ?', value)).toContain('xxx')
    expect(supabase('select $1', value)).toContain('begin read only')
  })
})

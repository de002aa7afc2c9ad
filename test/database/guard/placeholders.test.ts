import { describe, expect, test } from 'vitest'
import { clickhouse } from '../../../src/database/clickhouse/dialect.ts'
import type { Dialect } from '../../../src/database/dialect.ts'
import { admit } from '../../../src/database/guard/guarded.ts'
import { bindPlaceholders } from '../../../src/database/guard/placeholders.ts'
import { mysql } from '../../../src/database/mysql/dialect.ts'
import { postgres } from '../../../src/database/postgres/dialect.ts'
import { sqlite } from '../../../src/database/sqlite/dialect.ts'

const of = (dialect: Dialect, sql: string, ...params: string[]) =>
  bindPlaceholders({ sql, params }, dialect).statement

describe('$1, $2, …', () => {
  test.each([
    ['PostgreSQL', postgres, 'select $2, $1', ['a', 'b']],
    ['SQLite', sqlite, 'select ?2, ?1', ['a', 'b']],
    ['ClickHouse', clickhouse, 'select {p2}, {p1}', ['a', 'b']],
    ['MySQL', mysql('shop'), 'select ?, ?', ['b', 'a']],
  ] as const)('become what %s has', (_, dialect, sql, params) => {
    expect(of(dialect, 'select $2, $1', 'a', 'b')).toEqual({ sql, params })
  })

  test('are bound as often as they stand there, where placeholders have no numbers', () => {
    expect(of(mysql('shop'), 'select $1, $2, $1', 'a', 'b')).toEqual({
      sql: 'select ?, ?, ?',
      params: ['a', 'b', 'a'],
    })
  })

  test.each([
    ['a text', `select '$2', "$2", $1`, `select '$2', "$2", ?`],
    ['a name', 'select `$2`, a$2, $1', 'select `$2`, a$2, ?'],
    ['a comment', 'select $1 -- $2\n# $2\n/* $2 */', 'select ? -- $2\n# $2\n/* $2 */'],
  ])('stay what they are in %s', (_, sql, text) => {
    expect(of(mysql('shop'), sql, 'a')).toEqual({ sql: text, params: ['a'] })
  })

  test.each([
    'select ?',
    "select '$1",
    'select 1',
    'select /*! $1 */ ?',
    'select $1a',
    'select ?1, $x',
  ])('are looked for in vain in %s, which is for the guard and the engine to judge', (sql) => {
    for (const dialect of [mysql('shop'), sqlite]) {
      expect(of(dialect, sql, 'a')).toEqual({ sql, params: ['a'] })
    }
  })

  test('need a value each, and each value needs one of them', () => {
    const fault = (dialect: Dialect, sql: string, ...params: string[]) =>
      bindPlaceholders({ sql, params }, dialect).fault
    expect(fault(sqlite, 'select $1, $3', 'a', 'b')).toMatch(
      'no value for $3: params contains 2 values',
    )
    expect(fault(sqlite, 'select $0', 'a')).toMatch('no value for $0')
    expect(fault(mysql('shop'), 'select $1', 'a', 'b')).toMatch('the value of $2')
    expect(fault(postgres, 'select $1, $2', 'a')).toMatch(
      'no value for $2: params contains 1 value',
    )
    expect(fault(postgres, 'select $2, $1', 'a', 'b')).toBeUndefined()
  })

  test('are judged by the guard first', () => {
    expect(() => admit({ sql: 'select ($1).pg_sleep' }, postgres)).toThrow('not allowed')
    expect(() => admit({ sql: 'select $1' }, postgres)).toThrow('no value for $1')
  })

  test('do not move what an error points at', () => {
    const { statement, origin } = bindPlaceholders(
      { sql: 'select $1, $2, nmae, $1, oops', params: ['a', 'b'] },
      mysql('shop'),
    )
    for (const word of ['select', 'nmae', 'oops']) {
      const there = statement.sql.indexOf(word) + 1
      expect(origin(there)).toBe('select $1, $2, nmae, $1, oops'.indexOf(word) + 1)
    }
  })
})

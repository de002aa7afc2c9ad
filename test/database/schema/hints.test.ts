import { describe, expect, test } from 'vitest'
import { clickhouse } from '../../../src/database/clickhouse/dialect.ts'
import { mysql } from '../../../src/database/mysql/dialect.ts'
import { postgres } from '../../../src/database/postgres/dialect.ts'
import { sqlite } from '../../../src/database/sqlite/dialect.ts'

describe('a column that several tables have', () => {
  test.each([
    [postgres, 'column reference "id" is ambiguous'],
    [mysql('shop'), "Column 'id' in SELECT is ambiguous"],
    [mysql('shop'), "Column 'id' in field list is ambiguous"],
    [sqlite, 'ambiguous column name: id'],
    [clickhouse, "Column 'id' is ambiguous"],
  ])('is known by the words of $title', ({ errorPatterns }, message) => {
    expect(errorPatterns.ambiguous.exec(message)?.[1]).toBe('id')
  })
})

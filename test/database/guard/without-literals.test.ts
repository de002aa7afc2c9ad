import { describe, expect, test } from 'vitest'
import { rules as clickhouse } from '../../../src/database/clickhouse/rules.ts'
import { withoutLiterals } from '../../../src/database/guard/without-literals.ts'
import { rules as mysql } from '../../../src/database/mysql/rules.ts'
import { rules as postgres } from '../../../src/database/postgres/rules.ts'
import { rules as sqlite } from '../../../src/database/sqlite/rules.ts'

const dialects = { clickhouse, mysql, postgres, sqlite }

describe.each(Object.entries(dialects))('a statement of %s without its values', (_, rules) => {
  test('still says what it asks', () => {
    const sql = `select t.a,count( * )  from t -- one
      where b = 'x''y' and c in (1, 2.5e3) /* two */ and d = $1
      order by 1`
    expect(withoutLiterals(sql, rules)).toBe(
      'select t.a,count( * ) from t where b = ? and c in (?, ?) and d = $1 order by ?',
    )
  })

  test.each([
    "select 'PLANTED'",
    "select 'a''PLANTED' 'PLANTED'",
    "select 'a\nPLANTED'",
    'select 1 -- PLANTED',
    'select 1 /* PLANTED */',
    "select * from t where x like '%PLANTED%' or y between 'PLANTED' and 'PLANTED'",
    "with t as (select 'PLANTED' as a) select * from t",
    "select x'PLANTED', date 'PLANTED'",
    "select case when a = 'PLANTED' then 'PLANTED' else 'PLANTED' end",
    "-- PLANTED\nselect 'PLANTED'",
  ])('says nothing of them: %s', (sql) => {
    expect(withoutLiterals(sql, rules)).not.toMatch(/planted/i)
  })

  test('is nothing if it cannot be taken apart', () => {
    for (const sql of ["select 'PLANTED", 'select /* PLANTED', "select '\0PLANTED'"]) {
      expect(withoutLiterals(sql, rules)).toBeUndefined()
    }
    expect(withoutLiterals(`select ${'1,'.repeat(60_000)}1`, rules)).toBeUndefined()
  })

  test('is as long as its tokens', () => {
    const values = Array.from({ length: 10_000 }, (_, n) => `'${n}'`)
    const shown = withoutLiterals(`select ${values.join(', ')}`, rules)
    expect(shown).toBe(`select ${values.map(() => '?').join(', ')}`)
  })
})

test.each([
  ['postgres', "select e'a\\'PLANTED', $tag$ PLANTED $tag$, $$PLANTED$$, b'1', U&'PLANTED'"],
  ['postgres', "select 'a'\n'PLANTED'"],
  ['mysql', "select \"PLANTED\", 0x504c, 'a\\'PLANTED' # PLANTED"],
  ['clickhouse', "select 'a\\'PLANTED', [1, 2]"],
  ['clickhouse', 'select $$PLANTED$$, $1'],
  ['clickhouse', 'select $1, a$$PLANTED$$'],
  ['sqlite', 'select * from t where name = "PLANTED" or name in ("PLANTED", "x")'],
  ['sqlite', 'select "PLANTED"'],
] as const)('the texts of %s are known: %s', (dialect, sql) => {
  expect(withoutLiterals(sql, dialects[dialect]) ?? '').not.toMatch(/planted/i)
})

test('SQLite names stay where only a name can be', () => {
  const sql = 'select "t"."a" as "b", `c`, [d] from "t" join "u" where "e" = 1'
  expect(withoutLiterals(sql, sqlite)).toBe(
    'select "t"."a" as "b", `c`, [d] from "t" join "u" where ? = ?',
  )
})

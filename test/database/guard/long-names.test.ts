import { describe, expect, test } from 'vitest'
import { clickhouse } from '../../../src/database/clickhouse/dialect.ts'
import { guarded } from '../../../src/database/guard/guarded.ts'
import { mysql } from '../../../src/database/mysql/dialect.ts'
import { postgres } from '../../../src/database/postgres/dialect.ts'
import { sqlite } from '../../../src/database/sqlite/dialect.ts'

const dialects = [clickhouse, mysql('shop'), postgres, sqlite].map((it) => [it.name, it] as const)

describe.each(dialects)('a name of %s', (_, dialect) => {
  let sent = ''
  const database = guarded({
    dialect,
    query: async ({ sql }) => {
      sent = sql
      return { columns: [], rows: [], truncated: false }
    },
  })
  const limits = { maxRows: 1, maxBytes: 1_000, timeoutMs: 1_000 }
  const ask = (sql: string) => database.query({ sql }, limits)
  const ways: readonly ((name: string) => string)[] = [
    (name) => `select 1 as ${name}`,
    (name) => `select ${name} from t`,
    (name) => `select t.${dialect.quote(name)} from t`,
    (name) => `select * from ${dialect.quote(name)} as ${name}`,
    (name) => `with ${name} as (select 1) select 2`,
    (name) => `select ${name}(1)`,
  ]

  test.each(ways)('is refused beyond a thousand characters, in a sentence', async (of) => {
    await expect(ask(of('x'.repeat(48_000)))).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(
        /^Names can be at most 1000 characters long; this statement has one with 4800[02]\.$/,
      ),
    })
    const fine = of('x'.repeat(900))
    await ask(fine)
    expect(sent).toContain(fine)
  })

  test('bounds no text', async () => {
    const sql = `select '${'x'.repeat(48_000)}'`
    await ask(sql)
    expect(sent).toBe(sql)
  })
})

import { beforeEach, describe, expect, test, vi } from 'vitest'
import { DatabaseError } from '../../../src/database/error.ts'
import { lex } from '../../../src/database/guard/lexer.ts'
import type { Statement } from '../../../src/database/rows.ts'
import { rowSecurity } from '../../../src/database/schema/row-security.ts'
import { open } from '../../support/open.ts'

vi.mock('../../../src/database/guard/lexer.ts', { spy: true })

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 5_000 }

/** The texts that were lexed while a database was asked, whose service takes no statement. */
async function lexed(url: string, statement: Statement, body = '{}'): Promise<string[]> {
  const fetch = async () => new Response(body, { status: 400 })
  const database = open(url, { fetch, bindings: {} })
  await expect(database.query(statement, limits)).rejects.toThrow(DatabaseError)
  await rowSecurity(database, statement, limits)
  return vi
    .mocked(lex)
    .mock.calls.map(([sql]) => sql)
    .filter((sql) => !sql.includes('row_security_active'))
}

const SERVICES = {
  PostgreSQL: 'neon://user:password@127.0.0.1/shop',
  MySQL: 'planetscale://user:password@127.0.0.1/shop',
  libSQL: 'libsql://127.0.0.1',
  D1: 'd1://:token@account/database',
  ClickHouse: 'clickhouse://127.0.0.1/shop',
}

const INLINES = /^(?:clickhouse|planetscale):/

describe.each(Object.entries(SERVICES))('a statement on its way to %s', (_title, url) => {
  beforeEach(() => {
    vi.mocked(lex).mockClear()
  })

  test.each([
    'select a from b where c = 1',
    'select a from b where c = 1; -- that is all',
    'explain select a from b',
    'show tables',
  ])('is lexed once at the most: %s', async (sql) => {
    expect(await lexed(url, { sql })).toEqual([sql])
  })

  test('is lexed once as it was sent, once with the engine’s placeholders, and once with literals in them', async () => {
    const sql = 'select a from b where c = $1'
    const texts = await lexed(url, { sql, params: [1] })
    expect(new Set(texts).size).toBe(texts.length)
    // Only drivers that write values into the statement read it a third time.
    expect(texts.length).toBeLessThanOrEqual(INLINES.test(url) ? 3 : 2)
  })
})

test('an error with a place is put into the words of its author without lexing again', async () => {
  vi.mocked(lex).mockClear()
  const error = JSON.stringify({
    code: '42601',
    message: 'syntax error',
    position: '9',
    severity: 'ERROR',
  })
  const sql = 'explain select a from b'
  expect(await lexed(SERVICES.PostgreSQL, { sql }, error)).toEqual([sql])
})

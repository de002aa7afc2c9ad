import { existsSync, readdirSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Database, DatabaseError } from '../../src/database/database.ts'
import { clickhouse } from '../../src/database/drivers/clickhouse.ts'
import { open } from '../../src/database/index.ts'
import { attacks, benign, exhausting } from '../support/attacks.ts'
import { describeClickHouse, type TestClickHouse } from '../support/clickhouse.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 400 }

/** What the statements of the corpus speak of. */
const setup = [
  'create table users (id UInt32, email String) engine = MergeTree order by id',
  'create table orders (id UInt32, total Decimal(9, 2)) engine = MergeTree order by id',
  // One part each, which nothing but an OPTIMIZE merges.
  "insert into users select number, concat('user', toString(number)) from numbers(20)",
  'insert into orders select number, toDecimal32(number, 2) from numbers(50)',
]

const file = '/tmp/ch_pwn.csv'

/** All of the server that a statement could change and that outlives it. */
async function snapshot({ admin, files }: TestClickHouse): Promise<string> {
  const seen = await Promise.all(
    [
      'select * from users order by id',
      'select * from orders order by id',
      'select name from system.databases order by name',
      'select database, name, engine, create_table_query from system.tables order by database, name',
      "select database, table, name, type from system.columns where database <> 'system'",
      'select database, table, name, rows from system.parts where active order by name, table',
      'select * from system.mutations',
      'select name from system.functions order by name',
      'select name, value from system.settings order by name',
      'select name from system.dictionaries',
    ].map(admin),
  )
  return [...seen, ...readdirSync(files), existsSync(file)].join('\n')
}

const outcome = (database: Database, sql: string) =>
  database.query({ sql }, limits).catch((error: unknown) => error)

await describeClickHouse('a statement that would do more than read', setup, (server) => {
  let sent = 0
  const io = {
    bindings: {},
    fetch: (url: RequestInfo, init?: RequestInit) => {
      sent++
      return fetch(url, init)
    },
  }
  const guarded = open(server.url(), io as never)
  const unguarded = clickhouse.open(new URL(server.url()), io as never)
  const corpus = attacks('clickhouse')
  const rejected = corpus.filter((it) => it.expect === 'rejected' && !exhausting.has(it.name))

  it.each(rejected)('never leaves the Worker: $name', async ({ sql }) => {
    const before = sent
    expect(await outcome(guarded, sql)).toMatchObject({ kind: 'refused' })
    expect(sent).toBe(before)
  })

  it.each(corpus.filter((it) => exhausting.has(it.name)))(
    'is ended when it only costs too much: $name',
    async ({ sql }) => {
      const before = await snapshot(server)
      const answer = await outcome(guarded, sql)
      // The old version refuses table functions to everybody who may only read.
      const kinds = ['timeout', 'too_large', 'refused', 'sql']
      if ('truncated' in (answer as object)) expect(answer).toMatchObject({ truncated: 'rows' })
      else expect(kinds).toContain((answer as DatabaseError).kind)
      expect(await snapshot(server)).toBe(before)
    },
  )

  const harmless = corpus.filter((it) => it.expect === 'no_effect' && it.name !== 'ch_sleep')
  it.each(harmless)('runs without effect where it only looks like it: $name', async ({ sql }) => {
    const before = await snapshot(server)
    expect(await outcome(guarded, sql)).toHaveProperty('rows')
    expect(await snapshot(server)).toBe(before)
  })

  it.each(benign('clickhouse'))('is not meant by $name: $why', async ({ sql }) => {
    expect(await outcome(guarded, sql)).toHaveProperty('rows')
  })

  it.each(corpus)('changes nothing even without the guard: $name', async ({ sql }) => {
    const before = await snapshot(server)
    await outcome(unguarded, sql)
    const after = await snapshot(server)
    rmSync(file, { force: true })
    expect(after).toBe(before)
  })

  it('would be seen if it changed something', async () => {
    for (const sql of ['optimize table users final', 'truncate table orders']) {
      const before = await snapshot(server)
      await server.admin(sql)
      expect(await snapshot(server)).not.toBe(before)
    }
  })

  // What nothing but the guard stops: without one, or by a function of another name, the rights of
  // the user have to.
  it('may end the queries of its own user where there is no guard', async () => {
    const sql = "kill query where query_id = 'none'"
    expect(await outcome(unguarded, sql)).not.toMatchObject({ kind: 'refused', code: '164' })
    expect(await outcome(guarded, sql)).toMatchObject({ kind: 'refused' })
  })
})

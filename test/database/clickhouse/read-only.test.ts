import { expect, test } from 'vitest'
import { clickhouse } from '../../../src/database/clickhouse/driver.ts'
import type { UnguardedDatabase } from '../../../src/database/database.ts'
import type { DatabaseError } from '../../../src/database/error.ts'
import { attacks, benign, exhausting } from '../../support/attacks.ts'
import { describeClickHouse } from '../../support/clickhouse.ts'
import { clickhouseScene, setup } from '../../support/clickhouse-scene.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 400 }

const outcome = (database: UnguardedDatabase, sql: string) =>
  database.query({ sql }, limits).catch((error: unknown) => error)

await describeClickHouse('a statement that would do more than read', setup, (server) => {
  const { state: snapshot } = clickhouseScene(server)
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

  test.each(rejected)('never leaves the Worker: $name', async ({ sql }) => {
    const before = sent
    expect(await outcome(guarded, sql)).toMatchObject({ kind: 'refused' })
    expect(sent).toBe(before)
  })

  test.each(corpus.filter((it) => exhausting.has(it.name)))(
    'is ended when it only costs too much: $name',
    async ({ sql }) => {
      const before = await snapshot()
      const answer = await outcome(guarded, sql)
      // The old version refuses table functions to everybody who may only read.
      const kinds = ['timeout', 'too_large', 'refused', 'sql']
      if ('truncated' in (answer as object)) expect(answer).toMatchObject({ truncated: 'rows' })
      else expect(kinds).toContain((answer as DatabaseError).kind)
      expect(await snapshot()).toBe(before)
    },
  )

  const harmless = corpus.filter((it) => it.expect === 'no_effect' && it.name !== 'ch_sleep')
  test.each(harmless)('runs without effect where it only looks like it: $name', async ({ sql }) => {
    const before = await snapshot()
    expect(await outcome(guarded, sql)).toHaveProperty('rows')
    expect(await snapshot()).toBe(before)
  })

  test.each(benign('clickhouse'))('is not meant by $name: $why', async ({ sql }) => {
    expect(await outcome(guarded, sql)).toHaveProperty('rows')
  })

  test.each(corpus)('changes nothing even without the guard: $name', async ({ sql }) => {
    const before = await snapshot()
    await outcome(unguarded, sql)
    const after = await snapshot()
    expect(after).toBe(before)
  })

  test('would be seen if it changed something', async () => {
    for (const sql of ['optimize table users final', 'truncate table orders']) {
      const before = await snapshot()
      await server.admin(sql)
      expect(await snapshot()).not.toBe(before)
    }
  })

  // What nothing but the guard stops: without one, or by a function of another name, the rights of
  // the user have to.
  test('may end the queries of its own user where there is no guard', async () => {
    const sql = "kill query where query_id = 'none'"
    expect(await outcome(unguarded, sql)).not.toMatchObject({ kind: 'refused', code: '164' })
    expect(await outcome(guarded, sql)).toMatchObject({ kind: 'refused' })
  })
})

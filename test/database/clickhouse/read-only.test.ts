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

await describeClickHouse('read-only access to ClickHouse', setup, (server) => {
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

  test.each(rejected)('refuses $name before it reaches the server', async ({ sql }) => {
    const before = sent
    expect(await outcome(guarded, sql)).toMatchObject({ kind: 'refused' })
    expect(sent).toBe(before)
  })

  test.each(corpus.filter((it) => exhausting.has(it.name)))(
    'bounds a statement that costs too much: $name',
    async ({ sql }) => {
      const before = await snapshot()
      const answer = await outcome(guarded, sql)
      // The old version refuses table functions in read-only mode.
      const kinds = ['timeout', 'too_large', 'refused', 'sql']
      if ('truncated' in (answer as object)) expect(answer).toMatchObject({ truncated: 'rows' })
      else expect(kinds).toContain((answer as DatabaseError).kind)
      expect(await snapshot()).toBe(before)
    },
  )

  const harmless = corpus.filter((it) => it.expect === 'no_effect' && it.name !== 'ch_sleep')
  test.each(harmless)('runs a harmless statement without effect: $name', async ({ sql }) => {
    const before = await snapshot()
    expect(await outcome(guarded, sql)).toHaveProperty('rows')
    expect(await snapshot()).toBe(before)
  })

  test.each(benign('clickhouse'))('allows $name: $why', async ({ sql }) => {
    expect(await outcome(guarded, sql)).toHaveProperty('rows')
  })

  test.each(corpus)('changes nothing even without the guard: $name', async ({ sql }) => {
    const before = await snapshot()
    await outcome(unguarded, sql)
    const after = await snapshot()
    expect(after).toBe(before)
  })

  test('uses a snapshot that differs after a change', async () => {
    for (const sql of ['optimize table users final', 'truncate table orders']) {
      const before = await snapshot()
      await server.admin(sql)
      expect(await snapshot()).not.toBe(before)
    }
  })

  // Only the guard stops this. Without it, or for a function of another name, the user's rights have to.
  test('relies on the guard to refuse KILL QUERY', async () => {
    const sql = "kill query where query_id = 'none'"
    expect(await outcome(unguarded, sql)).not.toMatchObject({ kind: 'refused', code: '164' })
    expect(await outcome(guarded, sql)).toMatchObject({ kind: 'refused' })
  })
})

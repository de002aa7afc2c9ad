import { describe, expect, test } from 'vitest'
import type { UnguardedDatabase } from '../../src/database/database.ts'
import type { Limits } from '../../src/database/rows.ts'
import type { SqliteServer } from '../servers/sqlite-child.ts'
import { attacks } from './attacks.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

/**
 * Tests that SQLite behind one of our servers withstands the corpus, with and without the guard.
 *
 * @param only The names of attacks that only the guard stops.
 */
export function withstandsAttacks(
  server: Pick<SqliteServer, 'snapshot'>,
  database: UnguardedDatabase,
  unguarded: UnguardedDatabase,
  only: readonly string[] = [],
): void {
  describe('an attack', () => {
    const before = server.snapshot()
    const corpus = attacks('sqlite').filter(({ name }) => !name.startsWith('sl_dos_'))

    test.each(corpus)('has no effect behind the guard: $name', async ({ sql, expect: outcome }) => {
      const error = await database.query({ sql }, limits).catch((thrown) => thrown)
      if (outcome === 'rejected') expect(error).toMatchObject({ kind: 'refused' })
      expect(server.snapshot()).toBe(before)
    })

    const others = corpus.filter(({ name }) => !only.includes(name))
    test.each(others)('has no effect without the guard: $name', async ({ sql }) => {
      await unguarded.query({ sql }, limits).catch(() => {})
      expect(server.snapshot()).toBe(before)
    })

    test('leaves a server that still answers', async () => {
      expect((await unguarded.query({ sql: 'select 1' }, limits)).rows).toEqual([[1]])
    })
  })
}

/** Tests attacks that are only too expensive, each on a new server. */
export function outlivesCosts(
  start: () => Promise<SqliteServer>,
  openAt: (server: SqliteServer) => UnguardedDatabase,
): void {
  test.each(attacks('sqlite').filter(({ name }) => name.startsWith('sl_dos_')))(
    'an attack that is only too expensive is stopped: $name',
    async ({ sql }) => {
      const victim = await start()
      const before = victim.snapshot()
      const work = openAt(victim).query({ sql }, { ...limits, timeoutMs: 500 })
      const error = await work.catch((thrown) => thrown)
      expect(['timeout', 'too_large']).toContain(error.kind)
      expect(victim.snapshot()).toBe(before)
      victim.close()
    },
  )
}

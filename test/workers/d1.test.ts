/// <reference types="vite/client" />
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectRole } from '../../src/database/doctor/index.ts'
import { d1 } from '../../src/database/sqlite/d1.ts'
import corpus from '../attack/corpus/readonly.jsonl?raw'
import { open } from '../support/open.ts'
import { shop, speaksSqlite } from '../support/sqlite-shop.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 20_000 }
const bindings = { ...env } as unknown as { readonly TEST_DB: D1Database }
const io = { fetch, bindings }

beforeAll(async () => {
  const { TEST_DB: database } = bindings
  await database.batch([...shop()].map((statement) => database.prepare(statement)))
})

describe('D1 as a binding', () => {
  const database = open('d1:TEST_DB', io)
  const unguarded = d1.open(new URL('d1:TEST_DB'), io)
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error) => error,
    )

  speaksSqlite(database)

  test('is examined, though it has no role', async () => {
    const found = await inspectRole(database, limits)
    expect(found).toMatchObject({ version: 'SQLite', role: undefined, findings: [], reader: [] })
    expect(found.note).toContain('A D1 binding can always write')
  })

  test('is not deceived by a table with the name of a statement', async () => {
    const refused = { kind: 'refused', message: expect.stringContaining('would write') }
    expect(await failure(unguarded.query({ sql: 'reindex' }, limits))).toMatchObject(refused)
    expect((await database.query({ sql: 'select * from reindex' }, limits)).rows).toEqual([])
  })

  const all = async (sql: string) => (await bindings.TEST_DB.prepare(sql).raw()).sort()
  const tables = async () => {
    const found = await all("select name from sqlite_schema where type = 'table'")
    return found.map(([name]) => String(name)).filter((name) => !name.startsWith('_cf_'))
  }
  /** Values that change with nearly any write: the schema, the row counts, and some rows. */
  const marks = async () => {
    const counts = (await tables()).map((name) => `(select count(*) from "${name}")`)
    return [
      await all('select * from sqlite_schema'),
      await all('select * from users'),
      await all(`select ${counts}`),
    ]
  }
  const contents = async () =>
    JSON.stringify(
      await Promise.all((await tables()).map((name) => all(`select * from "${name}"`))),
    )

  describe('an attack', () => {
    const attacks: { engine: string; name: string; sql: string; expect: string }[] = corpus
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((it) => it.engine === 'sqlite' || it.engine === 'any')
      // Nothing here would end these. D1's own limit is 30 seconds.
      .filter((it) => !/^sl_dos_(text_)?(recursive|recursion|cross_join)$/.test(it.name))
    let before: unknown[]
    let rows: string
    beforeAll(async () => {
      before = await marks()
      rows = await contents()
    })
    afterAll(async () => {
      // A string of megabytes is not useful in a message.
      expect((await contents()) === rows).toBe(true)
    })

    test.each(attacks)('has no effect behind the guard: $name', async ({ sql, name, ...it }) => {
      const error = await failure(database.query({ sql }, limits))
      // The platform shortens these values.
      if (it.expect === 'rejected' && !name.startsWith('sl_dos')) {
        expect(error).toMatchObject({ kind: 'refused' })
      }
      expect(await marks()).toEqual(before)
    })

    test.each(attacks)('has no effect without the guard: $name', async ({ sql, name, ...it }) => {
      const error = await failure(unguarded.query({ sql }, limits))
      if (it.expect === 'rejected' && name !== 'sl_dos_printf') expect(error).toBeDefined()
      expect(await marks()).toEqual(before)
    })

    test.each([
      'select 1) ; delete from users; select 1 from (select 1',
      'explain select 1; delete from users',
      'explain delete from users; select 1',
      'select * from pragma_optimize',
      'select * from "PRAGMA_optimize"(0x10002)',
      'delete from users',
      'with x as (select 1) delete from users',
      'select 1 from (insert into users values (9, null) returning 1)',
    ])('has no effect, even if made for D1: %s', async (sql) => {
      const error = await failure(unguarded.query({ sql }, limits))
      expect(error).toHaveProperty('kind', expect.stringMatching(/^(?:refused|sql)$/))
      expect(await marks()).toEqual(before)
    })

    test('would have an effect if D1 received it', async () => {
      const { TEST_DB: database } = bindings
      await database.prepare('create table scratch as select * from users').run()
      await database.prepare('explain select 1; delete from scratch').raw()
      expect(await database.prepare('select count(*) from scratch').raw()).toEqual([[0]])
      await database.prepare('drop table scratch').run()
    })
  })

  test('ends a query when its time is over or the caller leaves', async () => {
    const never = { prepare: () => ({ bind: () => ({ raw: () => new Promise(() => {}) }) }) }
    const silent = open('d1:DB', { fetch, bindings: { DB: never } })
    const slow = silent.query({ sql: 'select 1' }, { ...limits, timeoutMs: 20 })
    expect(await failure(slow)).toMatchObject({
      kind: 'timeout',
      message: 'The query was stopped after 0.02 seconds.',
    })
    const left = silent.query({ sql: 'select 1' }, { ...limits, signal: AbortSignal.abort() })
    expect(await failure(left)).toMatchObject({
      kind: 'timeout',
      message: 'The query was cancelled by the client.',
    })
  })

  test('does not reveal why D1 failed', async () => {
    const raw = () => Promise.reject(new Error('D1_ERROR: Network connection to a-secret lost.'))
    const broken = { prepare: () => ({ bind: () => ({ raw }) }) }
    const database = open('d1:DB', { fetch, bindings: { DB: broken } })
    const error = await failure(database.query({ sql: 'select 1' }, limits))
    expect(error).toMatchObject({ kind: 'network' })
    expect(String(error)).not.toContain('a-secret')
  })
})

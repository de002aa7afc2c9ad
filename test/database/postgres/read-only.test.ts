import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Io, UnguardedDatabase } from '../../../src/database/database.ts'
import type { DatabaseError } from '../../../src/database/error.ts'
import { neon } from '../../../src/database/postgres/neon/neon.ts'
import { postgres as tcp } from '../../../src/database/postgres/tcp/tcp.ts'
import { supabase } from '../../../src/database/supabase/driver.ts'
import { type Attack, attacks, benign, exhausting } from '../../support/attacks.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { open } from '../../support/open.ts'
import { describePostgres, type TestPostgres } from '../../support/postgres.ts'
import { postgresScene, setup } from '../../support/postgres-scene.ts'
import { Witness } from '../../support/witness.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 400 }

/** The driver over TCP, on a machine that pools its connections. */
const machine = testMachine()
const onMachine = {
  open: (url: URL, io: Io) => tcp.openOn!(machine, url, { ...io, machine }),
}
afterAll(() => machine.close())

const outcome = (database: UnguardedDatabase, sql: string) =>
  database.query({ sql }, limits).catch((error: unknown) => error)

await describePostgres('read-only access to PostgreSQL', setup, (postgres) => {
  let scene: Awaited<ReturnType<typeof postgresScene>>
  let witness: Witness
  beforeAll(async () => {
    scene = await postgresScene(postgres)
    witness = await Witness.of(scene)
  })
  afterAll(() => scene.end())

  // Only requests to the Supabase API are redirected.
  const { io } = postgres.supabase
  const corpus = attacks('postgres').map((it) => ({
    ...it,
    // Lets dblink connect to the test database.
    sql: it.sql.replace('dbname=app', connectionOf(postgres)),
  }))
  const { reader } = postgres
  const roles = [
    ['the superuser, over HTTP', postgres.url()],
    ['a role that may only select, over HTTP', postgres.url(reader)],
    ['the superuser, over TCP', postgres.tcp()],
    ['a role that may only select, over TCP', postgres.tcp(reader)],
    ['the superuser, over the Supabase API', postgres.supabase.url('postgres')],
    ['a role that may only select, over the Supabase API', postgres.supabase.url(reader)],
    ['a role that may only select, over TCP, on a machine', postgres.tcp(reader)],
  ] as const

  test.each(corpus.filter((it) => it.expect === 'rejected' && !exhausting.has(it.name)))(
    'refuses $name before it reaches the server',
    async ({ sql }) => {
      // Nothing listens there, so a statement that was sent would cause another error.
      for (const url of ['neon://app@127.0.0.1:9/shop', 'postgres://app@127.0.0.1:9/shop']) {
        expect(await outcome(open(url, io), sql)).toMatchObject({ kind: 'refused' })
      }
    },
  )

  describe.each(roles)('as %s', async (who, url) => {
    const database = /machine/.test(who) ? await openOn(machine, url) : open(url, io)

    test.each(corpus.filter((it) => exhausting.has(it.name)))(
      'has the engine stop $name, which costs too much',
      async ({ sql }) => {
        const error = (await outcome(database, sql)) as DatabaseError
        expect(['timeout', 'too_large']).toContain(error.kind)
        expect(await witness.changed()).toBe(false)
      },
    )

    test.each(corpus.filter((it) => it.expect === 'no_effect'))(
      'runs $name, which only looks harmful, without effect',
      async ({ sql }) => {
        expect(await outcome(database, sql)).toHaveProperty('rows')
        expect(await witness.changed()).toBe(false)
      },
    )

    test.each(benign('postgres'))('allows $name: $why', async ({ sql }) => {
      expect(await outcome(database, sql)).toHaveProperty('rows')
    })
  })

  describe.each([
    ['over HTTP', neon, postgres.url],
    ['over TCP', tcp, postgres.tcp],
    ['over TCP, on a machine', onMachine, postgres.tcp],
    ['over the Supabase API', supabase, (user = 'postgres') => postgres.supabase.url(user)],
  ] as const)('without the guard, %s', (_, driver, urlOf) => {
    // On a shared server, these end the sessions of others.
    const spared = new Set(['pg_fn_terminate_backend', 'pg_dot_int4'])
    // For the engine, a call is the same anywhere in a statement.
    const unguarded = corpus.filter(({ name }) => !spared.has(name) && !/^pg_dot_in_/.test(name))

    const largeObjects = [
      ...['pg_fn_lo_creat', 'pg_fn_lo_from_bytea', 'pg_attr_large_object', 'pg_lateral_lo'],
    ]

    test('changes nothing as a read-only role, except with revocable functions', async () => {
      const effective = await effects(await driver.open(new URL(urlOf(reader)), io), unguarded)
      const { rows } = await postgres.admin('show server_version_num')
      const before16 = Number(rows[0].server_version_num) < 160_000
      // Everyone may send a notification. Before PostgreSQL 16, a read-only transaction can also create large
      // objects. `revoke execute on function … from public` prevents both.
      const known = ['pg_fn_pg_notify', ...(before16 ? largeObjects : [])]
      expect(effective.filter((name) => !known.includes(name))).toEqual([])
    }, 120_000)

    test('has effects as a superuser, but only with known functions', async () => {
      const effective = await effects(await driver.open(new URL(urlOf()), io), unguarded)
      expect(effective).toContain('pg_fn_dblink_exec')
      // All of these are functions. A rollback does not undo them, and a read-only transaction does not stop
      // them, except that it stops large objects from PostgreSQL 16 on.
      const known = [
        ...['pg_fn_dblink_exec', 'pg_fn_pg_notify', 'pg_fn_import_collations'],
        ...['pg_fn_repl_slot_physical', 'pg_fn_replication_origin'],
        ...['pg_fn_lo_import', ...largeObjects],
        // Functions of extensions that kill rows and truncate files without a transaction.
        ...['pg_fn_heap_force_kill', 'pg_fn_truncate_visibility'],
        // Such functions, called with a dot.
        ...['pg_dot_btrim_dblink', 'pg_dot_varchar'],
        ...['pg_contrib_dblink_coldef_select', 'pg_contrib_dblink_coldef_with'],
      ]
      expect(effective.filter((name) => !known.includes(name))).toEqual([])
    }, 120_000)

    async function effects(
      database: UnguardedDatabase,
      list: readonly Attack[],
    ): Promise<string[]> {
      const effective: string[] = []
      for (const { name, sql } of list) {
        await outcome(database, sql)
        if (await witness.changed()) effective.push(name)
      }
      return effective
    }
  })
})

const connectionOf = ({ config: { host, port, user, database } }: TestPostgres) =>
  `host=${host} port=${port} user=${user} dbname=${database}`

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UnguardedDatabase } from '../../../src/database/database.ts'
import type { DatabaseError } from '../../../src/database/error.ts'
import { mysql } from '../../../src/database/mysql/tcp/tcp.ts'
import { attacks, benign, exhausting } from '../../support/attacks.ts'
import { testMachine } from '../../support/machine.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { mariaDbScene, setup } from '../../support/mariadb-scene.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

/** The time limit for a statement that never ends. A login on a busy machine takes part of it. */
const ENDLESS_MS = 1_500
const isEndless = (sql: string, name: string) =>
  exhausting.has(name) || /_dos_/.test(name) || /sleep|benchmark/i.test(sql)

const outcome = (database: UnguardedDatabase, sql: string, timeoutMs = limits.timeoutMs) =>
  database
    .query({ sql }, { ...limits, timeoutMs })
    .catch((error: unknown) => error as DatabaseError)

await describeMariaDb('read-only access to MariaDB', setup, (mariadb) => {
  // Locks are server-wide, and another run may use the same server.
  const lock = mariadb.database
  const { state } = mariaDbScene({ ...mariadb, lock })
  let before = ''
  beforeAll(async () => {
    before = await state()
  })
  /** State that ends with its session is not a change. On a busy machine, a session may end later. */
  const unchanged = async () => {
    for (let tries = 1; tries < 100; tries++) {
      if ((await state()) === before) return true
      await sleep(100)
    }
    return false
  }

  const corpus = attacks('mysql').map((it) =>
    /^select .?get_loc/i.test(it.sql) ? { ...it, sql: it.sql.replace(/'\w'/, `'${lock}'`) } : it,
  )
  const users = [
    ['a user with every privilege', mariadb.url()],
    ['a user that may only select', mariadb.url(mariadb.reader)],
  ] as const

  describe.each(users)('as %s', (_, url) => {
    const database = open(url, io)

    test.each(corpus.filter((it) => it.expect === 'rejected' && !exhausting.has(it.name)))(
      'refuses $name',
      async ({ sql }) => {
        expect(await outcome(database, sql)).toMatchObject({ kind: 'refused' })
      },
    )

    test('is unchanged after the refused statements', async () => {
      expect(await unchanged()).toBe(true)
    })

    test.each(corpus.filter((it) => exhausting.has(it.name)))(
      'has the engine stop $name, which costs too much',
      async ({ sql }) => {
        const ended = { kind: 'timeout', code: '1969' }
        expect(await outcome(database, sql, ENDLESS_MS)).toMatchObject(ended)
      },
    )

    test.each(corpus.filter((it) => it.expect === 'no_effect'))(
      'is unchanged after $name, which only looks harmful',
      async ({ sql, name }) => {
        await outcome(database, sql, isEndless(sql, name) ? 400 : undefined)
        expect(await unchanged()).toBe(true)
      },
    )

    test.each(benign('mysql'))('allows $name: $why', async ({ sql }) => {
      expect(await outcome(database, sql)).toHaveProperty('rows')
    })
  })

  test('relies on the guard to refuse table maintenance by a user who may write', async () => {
    const unguarded = mysql.open(new URL(mariadb.url()), io)
    for (const sql of ['analyze table users', 'check table users']) {
      expect(await outcome(unguarded, sql)).toHaveProperty('rows')
      expect(await outcome(open(mariadb.url(), io), sql)).toMatchObject({ kind: 'refused' })
    }
    const reader = mysql.open(new URL(mariadb.url(mariadb.reader)), io)
    expect(await outcome(reader, 'analyze table users')).toMatchObject({ code: '1142' })
  })

  const machine = testMachine()
  afterAll(() => machine.close())
  const ways = users.flatMap(([who, url]) => [
    [who, async () => mysql.open(new URL(url), io)] as const,
    [
      `${who}, on a pooled connection`,
      () => mysql.openOn!(machine, new URL(url), { ...io, machine }),
    ] as const,
  ])

  describe.each(ways)('without the guard, as %s', (_, open) => {
    let unguarded: UnguardedDatabase
    beforeAll(async () => {
      unguarded = await open()
    })
    // Statements that return an answer anyway. Reading a file needs the FILE privilege, reading the user table
    // needs a privilege on `mysql`, and maintaining a table needs one to write. Locks and variables end with their
    // session. The rest is harmless.
    const known = [
      ...['my_global_priv', 'my_analyze_table', 'my_check_table', 'my_benchmark'],
      ...['my_lock_in_share', 'my_fn_backtick', 'my_fn_spaced'],
      ...['my_hint_set_var', 'my_hint_resource_group', 'my_default_column', 'my_cmp_reset'],
      ...['my_fn_extractvalue', 'my_fn_updatexml'],
      ...['my_user_var_into_subquery'],
      ...[
        'my_load_file',
        'my_get_lock',
        'my_ident_union',
        'my_show_create_user',
        'my_dos_recursive',
      ],
      ...['my_last_insert_id', 'my_user_var', 'my_string_keywords', 'my_version_gate_future'],
    ]

    test('is unchanged after every statement in the corpus', async () => {
      const ran: string[] = []
      const effective: string[] = []
      for (const { name, sql } of corpus) {
        const answer = await outcome(unguarded, sql, isEndless(sql, name) ? 400 : undefined)
        if ('rows' in answer) ran.push(name)
        if (!(await unchanged())) effective.push(name)
      }
      expect(effective).toEqual([])
      expect(ran).toContain('my_get_lock')
      expect(ran.filter((name) => !known.includes(name))).toEqual([])
    })

    test.each([
      'call empty_users()',
      'call empty_read_write()',
      'select emptied()',
      'select next value for s1',
      'with d as (select 1) delete from users',
      'create temporary table t as select 1',
      "begin not atomic set session transaction read write; execute immediate 'delete from users'; end",
      'set statement max_statement_time = 0 for delete from users',
      'select 1; delete from users',
      "select * from users procedure analyse() into outfile '/tmp/my_pwn_2'",
      'start transaction read write',
      'optimize table users',
      'returning',
      'insert into users (email) values (1) returning id',
      'delete from users returning id',
    ])('has the engine refuse %s', async (sql) => {
      const error = (await outcome(unguarded, sql)) as DatabaseError
      expect(['refused', 'sql']).toContain(error.kind)
      expect(await unchanged()).toBe(true)
    })
  })
})

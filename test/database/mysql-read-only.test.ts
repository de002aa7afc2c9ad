import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Database, DatabaseError } from '../../src/database/database.ts'
import { mysql } from '../../src/database/drivers/mysql.ts'
import { open } from '../../src/database/index.ts'
import { attacks, benign, exhausting } from '../support/attacks.ts'
import { describeMariaDb, type TestMariaDb } from '../support/mariadb.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 400 }
const io = { fetch, bindings: {} }

/** What the statements of the corpus speak of. */
const setup = `
  create table users (id integer auto_increment primary key, email varchar(80));
  create table orders (id integer auto_increment primary key, user_id integer, total decimal(12, 2));
  insert into users (email) values ${Array.from({ length: 20 }, (_, i) => `('user${i}')`)};
  insert into orders (user_id, total) values ${Array.from({ length: 50 }, (_, i) => `(${i}, ${i})`)};
  create view v as select * from users;
  create sequence s1;
  create procedure empty_users() delete from users;
  create procedure empty_read_write() begin
    set session transaction read write; delete from users;
  end;
  create function emptied() returns int begin delete from users; return 1; end;
`

/** What some of them would leave on the disk of the server. */
const files = [1, 2, 3, 4, 5].map((n) => `/tmp/my_pwn_${n}`)

/** All of the server that a statement could change and that outlives its session. */
async function state({ admin, database, owner }: TestMariaDb): Promise<string> {
  const parts = [
    'select * from users',
    'select * from orders',
    'select next_not_cached_value from s1',
    "select last_value as v from (select is_used_lock('x') as last_value) l",
    `select table_name, table_type, engine, table_comment from information_schema.tables
      where table_schema = '${database}' order by table_name`,
    `select table_name, column_name, column_type from information_schema.columns
      where table_schema = '${database}' order by table_name, ordinal_position`,
    `select index_name, column_name from information_schema.statistics
      where table_schema = '${database}' order by table_name, index_name, seq_in_index`,
    `select trigger_name from information_schema.triggers where trigger_schema = '${database}'`,
    `select routine_name from information_schema.routines where routine_schema = '${database}'`,
    `select user, host, json_remove(priv, '$.password_last_changed') from mysql.global_priv
      where user not like 'tidegate\\_%' or user = '${owner}' order by user, host`,
    `select variable_name, variable_value from information_schema.global_variables
      where variable_name in ('general_log', 'max_connections', 'sql_mode', 'read_only', 'log_bin')`,
    'select name from mysql.func',
    'select plugin_name from information_schema.all_plugins where plugin_status = "ACTIVE"',
    'show slave status',
  ]
  const rows = []
  for (const part of parts) rows.push(await admin(part))
  return JSON.stringify([rows, files.filter(existsSync)])
}

const outcome = (database: Database, sql: string) =>
  database.query({ sql }, limits).catch((error: unknown) => error as DatabaseError)

await describeMariaDb('a statement for MariaDB that would do more than read', setup, (mariadb) => {
  let before = ''
  beforeAll(async () => {
    before = await state(mariadb)
  })
  const unchanged = async () => (await state(mariadb)) === before

  const corpus = attacks('mysql')
  const users = [
    ['a user with every right', mariadb.url()],
    ['a user that may only select', mariadb.url(mariadb.reader)],
  ] as const

  describe.each(users)('as %s', (_, url) => {
    const database = open(url, io)

    it.each(corpus.filter((it) => it.expect === 'rejected' && !exhausting.has(it.name)))(
      'is refused: $name',
      async ({ sql }) => {
        expect(await outcome(database, sql)).toMatchObject({ kind: 'refused' })
      },
    )

    it('has changed nothing then', async () => {
      expect(await unchanged()).toBe(true)
    })

    it.each(corpus.filter((it) => exhausting.has(it.name)))(
      'is ended by the engine when it only costs too much: $name',
      async ({ sql }) => {
        expect(await outcome(database, sql)).toMatchObject({ kind: 'timeout', code: '1969' })
      },
    )

    it.each(corpus.filter((it) => it.expect === 'no_effect'))(
      'has no effect where it only looks like it: $name',
      async ({ sql }) => {
        await outcome(database, sql)
        expect(await unchanged()).toBe(true)
      },
    )

    it.each(benign('mysql'))('is not meant by $name: $why', async ({ sql }) => {
      expect(await outcome(database, sql)).toHaveProperty('rows')
    })
  })

  it('is refused by the guard alone where it maintains a table, and the user may', async () => {
    const unguarded = mysql.open(new URL(mariadb.url()), io)
    for (const sql of ['analyze table users', 'check table users']) {
      expect(await outcome(unguarded, sql)).toHaveProperty('rows')
      expect(await outcome(open(mariadb.url(), io), sql)).toMatchObject({ kind: 'refused' })
    }
    const reader = mysql.open(new URL(mariadb.url(mariadb.reader)), io)
    expect(await outcome(reader, 'analyze table users')).toMatchObject({ code: '1142' })
  })

  describe.each(users)('and gets past the guard as %s', (_, url) => {
    const unguarded = mysql.open(new URL(url), io)
    // What returns an answer all the same. A file is read only with the right to FILE, the table of
    // users only with one to `mysql`; a lock and a variable end with their session; the rest is harmless.
    const known = [
      ...[
        'my_load_file',
        'my_get_lock',
        'my_ident_union',
        'my_show_create_user',
        'my_dos_recursive',
      ],
      ...['my_last_insert_id', 'my_user_var', 'my_string_keywords', 'my_version_gate_future'],
    ]

    it('changes nothing, whatever it says', async () => {
      const ran: string[] = []
      const effective: string[] = []
      for (const { name, sql } of corpus) {
        const answer = await outcome(unguarded, sql)
        if ('rows' in answer) ran.push(name)
        if (!(await unchanged())) effective.push(name)
      }
      expect(effective).toEqual([])
      expect(ran).toContain('my_get_lock')
      expect(ran.filter((name) => !known.includes(name))).toEqual([])
    })

    it.each([
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
    ])('is refused by the engine: %s', async (sql) => {
      const error = (await outcome(unguarded, sql)) as DatabaseError
      expect(['refused', 'sql']).toContain(error.kind)
      expect(await unchanged()).toBe(true)
    })
  })
})

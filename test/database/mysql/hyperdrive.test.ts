import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UnguardedDatabase } from '../../../src/database/database.ts'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import type { DatabaseError } from '../../../src/database/error.ts'
import { locate } from '../../../src/database/index.ts'
import { hyperdrive } from '../../../src/database/mysql/hyperdrive/hyperdrive.ts'
import type { Limits, Param, Rows } from '../../../src/database/rows.ts'
import { type MysqlPooler, startMysqlPooler } from '../../servers/mysql-pooler.ts'
import { attacks, benign, exhausting } from '../../support/attacks.ts'
import { failure } from '../../support/failure.ts'
import { hyperdriveTo } from '../../support/hyperdrive.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { mariaDbScene, setup } from '../../support/mariadb-scene.ts'
import { open } from '../../support/open.ts'

const limits: Limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 2_000 }

const values = `
  create table exact (
    id bigint primary key, price decimal(30, 10), at datetime(6), day date, span time(2),
    flag boolean, bits bit(12), raw varbinary(8), text varchar(80), doc json, ratio double, part float);
  insert into exact values (9007199254740993, 12345678901234567890.0123456789,
    '2026-01-02 03:04:05.12', '0000-00-00', '-25:00:00.5', 1, b'101', x'00ff', 'ž🐘 \\\\ ''', '{"b":1,"a":2}',
    1.7976931348623157e308, 0.1);
  insert into exact (id) select seq from seq_1_to_50;
`

await describeMariaDb('MySQL behind Hyperdrive', `${setup} ${values}`, (mariadb) => {
  const poolers: MysqlPooler[] = []
  const through = async (swallows?: RegExp) => {
    const pooler = await startMysqlPooler(mariadb.port, swallows)
    poolers.push(pooler)
    const bound = (user: string) =>
      hyperdriveTo(mariadb.url(user).replace(`:${mariadb.port}/`, `:${pooler.port}/`))
    const bindings = { OWNER: bound(mariadb.owner), READER: bound(mariadb.reader) }
    return { pooler, io: { fetch, bindings } }
  }
  afterAll(() => Promise.all(poolers.map((it) => it.close())))

  const outcome = (database: UnguardedDatabase, sql: string) =>
    database.query({ sql }, limits).catch((error: unknown) => error as DatabaseError)

  test('is distinguished from PostgreSQL by its binding', async () => {
    const { io } = await through()
    const found = locate('hyperdrive:READER', io)
    expect(found.title).toBe('MySQL')
    const rows = await (await found.open()).query({ sql: 'select database()' }, limits)
    expect(rows.rows).toEqual([[mariadb.database]])
    const postgres = { READER: hyperdriveTo('postgresql://app:x@db.example.com:5432/shop') }
    expect(locate('hyperdrive:READER', { fetch, bindings: postgres }).title).toBe('PostgreSQL')
  })

  test.each<[string, Param[]]>([
    ['select * from exact order by id desc', []],
    ['select id from exact where text = ? -- and no more', ["ž🐘 \\ '"]],
    ['(select id from exact order by id limit 20) union select ? order by id', [2]],
    ['with e as (select id from exact) select count(*), count(*) from e', []],
    ['select id, day from exact where flag is null order by id limit 3', []],
    ['show tables', []],
    ['select id, text from exact where id < 3 union all select * from (select 1 a, 2 b) it', []],
    ['select * from (select 1 a, 2 b) it order by 2', []],
    ['select * from (select 1 a, 2 b) it group by 1, 2', []],
    ['select 1 as `)` # )', []],
  ])('gives the same answer as a direct connection: %s', async (sql, params) => {
    const { io, pooler } = await through()
    const direct = open(mariadb.url(mariadb.reader), io)
    const behind = open('hyperdrive:READER', io)
    const { columns, rows, truncated } = await behind.query({ sql, params }, limits)
    expect({ columns, rows, truncated }).toEqual(
      expect.objectContaining(await direct.query({ sql, params }, limits).then(shown)),
    )
    expect(pooler.heard).toContain('start transaction read only')
    await expect.poll(() => pooler.open).toBe(0)
  })

  test('gives the same role report as a direct connection', async () => {
    const { io } = await through()
    const [behind, direct] = await Promise.all(
      ['hyperdrive:READER', mariadb.url(mariadb.reader)].map((url) =>
        inspectRole(open(url, io), limits),
      ),
    )
    expect(behind).toEqual(direct)
  })

  test('passes on the server error for an invalid statement', async () => {
    const { io } = await through()
    const database = open('hyperdrive:READER', io)
    expect(await outcome(database, 'select nothing from users')).toMatchObject({
      kind: 'sql',
      message: expect.stringContaining("Unknown column 'nothing'"),
    })
    const { message } = (await outcome(database, 'select id form users x y')) as DatabaseError
    expect(message).toMatch(/near '[^)\n]*' at line 1/)
    const wrong = await failure(database.query({ sql: 'select ?' }, limits))
    expect(wrong.message).toContain('Send a value for each placeholder')
  })

  test('stops at the byte limit and at the time limit', async () => {
    const { io, pooler } = await through()
    const database = open('hyperdrive:READER', io)
    const long = { sql: "select repeat('x', 50000), seq from seq_1_to_100000" }
    const cut = await database.query(long, { ...limits, maxRows: 1_000_000 })
    expect(cut.truncated).toBe('bytes')
    const slow = { sql: 'select sum(seq % 7) from seq_1_to_1000000000000' }
    const error = await failure(database.query(slow, { ...limits, timeoutMs: 300 }))
    expect(error.kind).toBe('timeout')
    await expect.poll(() => pooler.open).toBe(0)
  })

  test.each([
    ['the transaction and the settings', /transaction read only/],
    ['the settings', /^set session transaction/],
    ['the check', /^show session variables/],
  ])('runs nothing when a pooler drops %s', async (_, swallows) => {
    const { io, pooler } = await through(swallows)
    const database = open('hyperdrive:OWNER', io)
    const error = (await outcome(database, 'select 42 as answer')) as DatabaseError
    expect(error).toMatchObject({ kind: 'network' })
    expect(pooler.heard.join('\n')).not.toContain('42 as answer')
  })

  describe('a statement that does more than read', () => {
    const lock = mariadb.database
    const { state } = mariaDbScene({ ...mariadb, lock })
    let before = ''
    let io: Awaited<ReturnType<typeof through>>['io']
    beforeAll(async () => {
      before = await state()
      ;({ io } = await through())
    })
    const corpus = attacks('mysql')
      .filter(({ name }) => !exhausting.has(name))
      .map((it) =>
        /^select .?get_loc/i.test(it.sql)
          ? { ...it, sql: it.sql.replace(/'\w'/, `'${lock}'`) }
          : it,
      )

    test('is refused, while harmless statements run', async () => {
      const database = open('hyperdrive:OWNER', io)
      for (const { name, sql, expect: expected } of corpus) {
        if (expected !== 'rejected') continue
        expect([name, await outcome(database, sql)]).toMatchObject([name, { kind: 'refused' }])
      }
      for (const { name, sql } of benign('mysql')) {
        const { rows } = (await outcome(database, sql)) as Partial<Rows>
        expect([name, rows]).toEqual([name, expect.any(Array)])
      }
      expect(await state()).toBe(before)
    })

    test('changes nothing without the guard, for a user with every privilege', async () => {
      const unguarded = hyperdrive.open(new URL('hyperdrive:OWNER'), io)
      for (const { sql } of corpus) await outcome(unguarded, sql)
      expect(await state()).toBe(before)
    })

    test('is never sent if its parentheses are not balanced', async () => {
      const { io, pooler } = await through()
      const unguarded = hyperdrive.open(new URL('hyperdrive:OWNER'), io)
      const error = await outcome(unguarded, 'select 1) union (select 2')
      expect(error).toMatchObject({ kind: 'refused' })
      expect(pooler.heard.join('\n')).not.toContain('union')
    })

    test.each([
      'call empty_users()',
      'call empty_read_write()',
      'select emptied()',
      'select next value for s1',
      'with d as (select 1) delete from users',
      'drop table users',
      'create temporary table t as select 1',
      "begin not atomic set session transaction read write; execute immediate 'delete from users'; end",
      'set statement max_statement_time = 0 for delete from users',
      'select 1; delete from users',
      'select 1) union (select 2',
      "select 1) or exists (select 1 into outfile '/tmp/my_pwn_9'",
      "select * from users into outfile '/tmp/my_pwn_3'",
      'set @x = 1',
      'do sleep(0)',
      'commit',
      'start transaction read write',
      'analyze table users',
      'optimize table users',
      'delete from users returning id',
      'delete from users where nothing = 1 order by nothing',
      "select nothing from users union all select 1, 2 into outfile '/tmp/my_pwn_10'",
    ])('is refused by the engine without the guard: %s', async (sql) => {
      const unguarded = hyperdrive.open(new URL('hyperdrive:OWNER'), io)
      const error = (await outcome(unguarded, sql)) as DatabaseError
      expect(['refused', 'sql']).toContain(error.kind)
      expect(await state()).toBe(before)
    })
  })
})

const shown = ({
  columns,
  rows,
  truncated,
}: {
  columns: unknown
  rows: unknown
  truncated: unknown
}) => ({
  columns,
  rows,
  truncated,
})

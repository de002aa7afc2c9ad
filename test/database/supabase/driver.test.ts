import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import { DatabaseError } from '../../../src/database/error.ts'
import { locate } from '../../../src/database/index.ts'
import type { Limits, Param } from '../../../src/database/rows.ts'
import { supabase } from '../../../src/database/supabase/driver.ts'
import {
  type Options,
  type SupabaseServer,
  startSupabase,
  toSupabaseAt,
} from '../../servers/supabase.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const MARKER = 'hunter2-marker'
const REF = 'abcdefghijklmnopqrst'

const failure = async (work: Promise<unknown>): Promise<DatabaseError> => {
  const outcome: unknown = await work.catch((error) => error)
  if (!(outcome instanceof DatabaseError)) throw new Error('It did not fail as it should.')
  expect(`${outcome.stack}${JSON.stringify(outcome)}`).not.toContain(MARKER)
  return outcome
}

const setup = (reader: string) => `
  create table users (id integer, email text);
  insert into users select g, 'user' || g from generate_series(1, 100) g;
  create table secrets (id integer);
  create sequence counter;
  create type mood as enum ('sad', 'a "b", c');
  create domain positive as integer check (value > 0);
  create domain small as positive check (value < 10);
  create table empty (a small, b mood, c mood[], d information_schema.sql_identifier, "e ""É" json);
  create function writes() returns integer language sql as 'delete from users returning id';
  create function ends(inout it integer) language plpgsql as 'begin perform 1; end';
  create procedure commits(inout it integer) language plpgsql as 'begin delete from users; commit; end';
  grant all on users to ${reader};
  revoke select on secrets from ${reader};
`

await describePostgres('Supabase', setup, (postgres) => {
  const server = postgres.supabase
  const { reader } = postgres
  const { io } = server
  const database = open(server.url('postgres'), io)
  const tcp = open(postgres.tcp(), { fetch, bindings: {} })
  const unguarded = supabase.open(new URL(server.url('postgres')), io)
  const query = (sql: string, params: readonly Param[] = [], more: Partial<Limits> = {}) =>
    database.query({ sql, params }, { ...limits, ...more })
  const users = async () => {
    const { rows } = await postgres.admin('select count(*)::int as n from users')
    return rows[0].n
  }

  test('sends one request without unescaped text from the caller', async () => {
    const before = server.texts.length
    await query("select id from users where email = $1 -- it's", ["o'user7"])
    const [sent, ...others] = server.texts.slice(before)
    expect(others).toEqual([])
    expect(sent).toMatch(/^begin read only;\ndo \$tidegate\$ begin\n/)
    expect(sent).toMatch(/\nfetch all from tidegate;\nrollback$/)
    expect(sent).not.toMatch(/user|email|it's/)
    const asked = "select id from users where email =  ('o''user7') "
    expect(sent).toContain(`asked := pg_catalog.convert_from(pg_catalog.decode('${hexOf(asked)}',`)
  })

  test.each([
    ['select id from users order by id limit 10', 10, false],
    ['select id from users order by id limit 11', 10, 'rows'],
    ['select id from users', 10, 'rows'],
    ['select id from users where false', 0, false],
    ['select generate_series(1, 1000000000000)', 10, 'rows'],
    ["select repeat('x', 200000)", 0, 'too_large'],
    ["select repeat('x', 3000) from users", 3, 'bytes'],
    ["select repeat('\"', 40000) from users limit 3", 0, 'too_large'],
    ["select repeat(' ', 60000)::char(60000)::name, repeat('x', 9000) from users", 1, 'bytes'],
  ])('answers %s with %i rows, truncated: %s', async (sql, count, truncated) => {
    const answer = await query(sql).catch(({ kind }) => ({ rows: [], truncated: kind }))
    expect([answer.rows.length, answer.truncated]).toEqual([count, truncated])
  })

  // If the server did not count the bytes, it would send a gigabyte.
  test('makes the server stop at the byte limit', async () => {
    const before = performance.now()
    const { rows, truncated } = await query(
      "select repeat('x', 1000000) from generate_series(1, 1000) g",
      [],
      { maxRows: 1_000, maxBytes: 2_500_000 },
    )
    expect([rows.length, truncated]).toEqual([2, 'bytes'])
    expect(performance.now() - before).toBeLessThan(5_000)
  })

  test('reports truncation if only the text of the rows was too long', async () => {
    const sql = `select ('{"a":' || repeat(' ', 50000) || g || '}')::json from generate_series(1, 9) g`
    const { rows, truncated } = await query(sql)
    expect(rows).toEqual([[{ a: 1 }], [{ a: 2 }]])
    expect(truncated).toBe('bytes')
  })

  describe('returns the same as a TCP connection:', () => {
    test.each([
      'select 1 as a, 2 as a, 3 as "A"',
      'select * from empty',
      'select *, e from empty e',
      'select',
      'select from users limit 3',
      'select from users where false',
      'table users',
      'values (1, 2.50, null), (2, 3, null)',
      'with x as (select 1 as n) select * from x',
      '(select 1) union all (select 2) order by 1',
      '((select 1))',
      'select 1 -- it\n',
      'select 1 /* it */;',
      'show search_path',
      'show standard_conforming_strings',
      'show transaction_read_only',
      'explain select * from users where id = 1',
      'explain (format json, costs off) select 1',
      'explain (format xml) select 1',
      'explain verbose table users',
      'select u from users u order by id limit 3',
      "select '' as a, null as b, ' ' as c, '()' as d, ',' as e, '\"' as f, '\\' as g, E'\\n\\t' as h",
      "select 'NULL', 'null'::json, '\"null\"'::json, '{}'::json, '{\"a\":1,\"a\":2}'::json",
      "select row(1, null, ''), row(), row(row(row('\"')))",
      "select array['', null, 'NULL', '\"', '\\', '{'], '{}'::int[], '[0:1]={1,2}'::int[]",
      "select 'NaN'::float8, '-infinity'::date, 'infinity'::timestamptz, '-0'::float8, 0.1::float4",
      "select 9007199254740993, 1.10, 1e400::numeric, 'NaN'::numeric, '\\x00ff'::bytea, interval '-1 day'",
      "select now()::text is null, 't'::bool, 'x'::\"char\", 'ab'::char(4), '10.0.0.1'::inet",
      'select 1 as "?column?", 2 as "", 3 as "a""b\\c", 4 as "É🐘", 5 as "c1"'.replace(
        '2 as "", ',
        '',
      ),
      'select c1 from (select 1 as c1, 2 as c2) tidegate',
      'select it, tidegate, asked, names from (values (1, 2, 3, 4)) one (it, tidegate, asked, names)',
      `select ${Array.from({ length: 1600 }, (_, i) => i)}`,
      'select t.*, 7 from users t natural join users u order by 1 limit 2',
    ])('%s', async (sql) => {
      const { elapsedMs: _, ...answer } = await query(sql)
      const { elapsedMs: __, ...same } = await tcp.query({ sql }, limits)
      expect(answer).toEqual(same)
    })

    test.each([
      ...[
        'select 1 from',
        'select * from nope',
        'select nope from users',
        'select u.nope from users u',
      ],
      ...[
        'select 1/0',
        "select 'x'::int",
        'select id from users, users u',
        'select (1',
        'select 1)',
      ],
      ...['select 1) x, (select 2', 'select 1 frm users', 'show nope', 'explain select nope'],
      ...[
        "select '{'::json",
        'select lower(1, 2)',
        'select $1 from',
        'select 1 from secrets group by',
      ],
    ])('%s, an error', async (sql) => {
      const error = await failure(query(sql))
      const { kind, code, message, hint } = await failure(tcp.query({ sql }, limits))
      expect({ ...error }).toMatchObject({ kind, code, hint })
      expect(error.message).toBe(message)
    })

    test('a refusal for a table that the role may not read', async () => {
      const error = await failure(
        open(server.url(reader), io).query({ sql: 'table secrets' }, limits),
      )
      expect(error).toMatchObject({ kind: 'refused', code: '42501' })
    })
  })

  describe('a parameter', () => {
    test.each<[sql: string, params: readonly Param[]]>([
      ['select id from users where id = $1', [7]],
      ['select id from users where id = $1', ['7']],
      ['select id from users where id in ($1, $2) order by id limit $3', [7, 8, 1]],
      ['select $2, $1, $2', ['a', 'b']],
      ['select $1::bool, $2::bool, $3::int is null, $4::float8', [true, false, null, 1.5]],
      ['select \'$1\', "$1", $1, $$ $1 $$ from (select 1 as "$1") t -- $1', ['x']],
      ['select id from users where id = any($1)', ['{1,2}']],
      ['select $1::jsonb -> $2', ['{"a":1}', 'a']],
      ['select id from users where email like $1 escape $2', ['user7!', '!!'.slice(1)]],
      ['select ($1::int[])[1], array[$2]::text[], -$2::int', ['{5}', '-3']],
      ['select interval $1', []],
      ['select -$1::int', ['-1']],
      ['select $1||$1', ["'"]],
      ['select U&$1 from (select 1::bit(4) as u) t', ['0011']],
      ['select E$1 from (select 1 as "e$1") t', []],
      ["select 'a'\n$1", ['b']],
      ['select limit_ from (select $1::int as limit_) t limit $2 offset $3', [1, 1, 0]],
    ])('means the same as over TCP: %s', async (sql, params) => {
      const of = (work: Promise<{ rows: unknown }>) =>
        work.then(({ rows }) => rows).catch(({ kind }) => kind)
      expect(await of(query(sql, params))).toEqual(await of(tcp.query({ sql, params }, limits)))
    })

    const hostile = [
      ...[
        "'",
        "''",
        "\\'",
        '\\',
        "'; delete from users --",
        "') from users; delete from users; --",
      ],
      ...['$tidegate$', '$tidegate$; delete from users; do $tidegate$', "$$'$$", '$1', '$2', '?'],
      ...[
        "\\'); delete from users; --",
        "E'\\''",
        "U&'\\0027'",
        '\u2019',
        '\uff07',
        '\n',
        '\r',
        '--',
      ],
      ...['/*', '*/', "''''", "' || current_user || '", '\u{1f418}', '\ufeff', '\u0001', ''],
    ]
    test.each(hostile)('is only a value: %j', async (value) => {
      const { rows } = await query("select $1::text, 'it''s', $2::text", [value, value])
      expect(rows).toEqual([[value, "it's", value]])
    })

    test('is only a value even if the database reads backslashes as escapes', async () => {
      const { database: name } = postgres.config
      await postgres.admin(`alter database ${name} set standard_conforming_strings = off`)
      try {
        for (const value of hostile) {
          const { rows } = await query("select $1::text, '\\'", [value])
          expect(rows).toEqual([[value, '\\']])
        }
      } finally {
        await postgres.admin(`alter database ${name} reset all`)
      }
      expect(await users()).toBe(100)
    })
  })

  describe('without the guard', () => {
    const writing = 'insert into users values (1000) returning id'
    const texts = [
      ...['select 1; select 2', 'select 1; commit; delete from users', 'commit; delete from users'],
      ...['rollback; delete from users', 'end; delete from users', 'abort; delete from users'],
      ...[writing, `with w as (${writing}) select * from w`, 'delete from users'],
      ...[
        `explain analyze ${writing}`,
        `explain (analyze) ${writing}`,
        `/* */ explain analyze ${writing}`,
      ],
      ...['begin read write', 'set transaction read write', 'set session authorization postgres'],
      ...['copy users to stdout', "copy users to program 'true'", 'do $$ begin commit; end $$'],
      ...[
        'call commits(1)',
        'select writes()',
        'select * from writes()',
        "select nextval('counter')",
      ],
      ...['select * into other from users', 'create table other ()', 'create temp table other ()'],
      ...[
        'select 1) tidegate; delete from users; select * from (select 1',
        'select id from users for update',
      ],
      ...['select 1) tidegate; commit; delete from users; --', 'table users; table users', ';', ''],
      ...[
        "'; delete from users; --",
        "', 'hex'), 'UTF8'); delete from users; --",
        '$tidegate$; delete from users',
      ],
      ...[
        '$tidegate$; commit; delete from users; do $tidegate$ begin',
        'fetch all from tidegate',
        'close tidegate',
      ],
      ...[
        'prepare p as delete from users',
        'execute p',
        'declare c cursor for select 1',
        'lock users',
      ],
      ...[
        "select set_config('transaction_read_only', 'off', false), writes()",
        'vacuum',
        'listen x',
        'notify x',
      ],
      ...[
        "select set_config('role', 'postgres', false), set_config('transaction_read_only', 'off', true)",
      ],
    ]
    const none = /^(?!)/
    // Each layer is enough on its own. Here, all the others are removed.
    const layers: readonly (readonly [string, Options, RegExp])[] = [
      ['a read-only transaction', { readOnly: false }, none],
      [
        'a read-only role',
        {
          sent: (text) =>
            text
              .replace(/^begin read only/, 'begin')
              .replace("operator(pg_catalog.<>) 'on'", 'is null'),
        },
        none,
      ],
      [
        'a surrounding query, except for functions,',
        {
          readOnly: false,
          sent: (text) =>
            text
              .replace(/^begin read only/, 'begin')
              .replace("operator(pg_catalog.<>) 'on'", 'is null'),
        },
        /writes\(\)|nextval|commits/,
      ],
    ]
    describe.each(layers)('%s is enough', (_, options, spared) => {
      let other: SupabaseServer
      beforeAll(async () => {
        other = await startSupabase(postgres.config, options)
      })
      afterAll(() => other.close())

      test.each(texts.filter((it) => !spared.test(it)))(
        'to prevent this statement from writing: %s',
        async (sql) => {
          const alone = supabase.open(new URL(other.url('postgres')), other.io)
          await alone
            .query({ sql }, limits)
            .catch((error) => expect(error).toBeInstanceOf(DatabaseError))
          expect(await users()).toBe(100)
          const { rows } = await postgres.admin(
            `select last_value::int as n, is_called, to_regclass('other') as other from counter`,
          )
          expect(rows).toEqual([{ n: 1, is_called: false, other: null }])
        },
      )
    })

    test('runs only a single statement that returns rows', async () => {
      const many = await failure(unguarded.query({ sql: 'select 1; select 2' }, limits))
      expect([many.code, many.message]).toEqual(['42P11', 'cannot open multi-query plan as cursor'])
      const none = await failure(unguarded.query({ sql: 'delete from users' }, limits))
      expect([none.code, none.message]).toEqual(['42P11', 'cannot open DELETE query as cursor'])
      const modifying = await failure(
        unguarded.query({ sql: `with w as (${writing}) select * from w` }, limits),
      )
      expect(modifying.message).toMatch(/must be at the top level$/)
    })

    test('runs nothing in a transaction that is not read-only', async () => {
      const other = await startSupabase(postgres.config, {
        readOnly: false,
        sent: (text) => text.replace(/^begin read only/, 'begin'),
      })
      const alone = supabase.open(new URL(other.url('postgres')), other.io)
      const error = await failure(alone.query({ sql: 'select writes()' }, limits))
      expect([error.kind, error.message]).toEqual([
        'network',
        'The database did not begin a read-only transaction.',
      ])
      await other.close()
      expect(await users()).toBe(100)
    })

    test('leaves no transaction open after any statement', async () => {
      for (const sql of ['select 1', 'select 1/0', 'nonsense']) {
        await unguarded.query({ sql }, limits).catch(() => {})
      }
      const { rows } = await postgres.admin(
        "select from pg_stat_activity where datname = current_database() and state ~ '^idle in'",
      )
      expect(rows).toEqual([])
    })
  })

  test('stops a statement at the time limit, even if the caller aborts', async () => {
    const running = async () => {
      const { rows } = await postgres.admin(
        "select from pg_stat_activity where state = 'active' and query ~ '^begin read only;'",
      )
      return rows.length
    }
    const late = failure(
      unguarded.query({ sql: 'select pg_sleep(60)' }, { ...limits, timeoutMs: 700 }),
    )
    expect(await late).toMatchObject({ kind: 'timeout', code: '57014' })
    const caller = new AbortController()
    const { signal } = caller
    const left = failure(
      unguarded.query({ sql: 'select pg_sleep(60)' }, { ...limits, timeoutMs: 1_500, signal }),
    )
    await expect.poll(running).toBe(1)
    caller.abort()
    expect((await left).message).toBe('The query was cancelled by the client.')
    await expect.poll(running, { timeout: 3_000 }).toBe(0)
  })

  test.each([
    ["select repeat('x', 900000000)", /^(?:timeout|too_large)$/],
    ["select repeat('x', 100000000) from generate_series(1, 100)", /^(?:timeout|too_large)$/],
    [
      'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r',
      /^timeout$/,
    ],
    ['select i from generate_series(1, 1e12) i', /^timeout$/],
  ])('stops a statement that costs too much: %s', async (sql, kind) => {
    const began = performance.now()
    expect((await failure(query(sql, [], { timeoutMs: 1_000 }))).kind).toMatch(kind)
    expect(performance.now() - began).toBeLessThan(4_000)
  })

  test('finds tables without a schema name if the search path is empty', async () => {
    const other = await startSupabase(postgres.config, { before: "set search_path = ''" })
    const pathless = open(other.url('postgres'), other.io)
    const { columns, rows } = await pathless.query(
      { sql: "select id, 'sad'::mood from users where id = 1" },
      limits,
    )
    expect(columns[1]).toEqual({ name: 'mood', type: 'mood' })
    expect(rows).toEqual([[1, 'sad']])
    await other.close()
  })

  test('gets type names and rows in one request', async () => {
    const before = server.texts.length
    const { columns } = await query(
      "select 'sad'::mood, 1::small, now(), '{}'::jsonb, '{}'::mood[]",
    )
    expect(columns.map(({ type }) => type)).toEqual([
      ...['mood', 'int4', 'timestamptz', 'jsonb', 'mood[]'],
    ])
    expect(server.texts.length).toBe(before + 1)
  })

  test('reports its role, and a note about the token', async () => {
    const {
      role,
      reader: statements,
      note,
    } = await inspectRole(open(server.url(reader), io), limits)
    expect([role, statements]).toEqual([reader, []])
    expect(note).toContain('database_read')
  })
})

const hexOf = (text: string) => Buffer.from(text).toString('hex')

describe('a Supabase URL', () => {
  const io = { fetch, bindings: {} }
  const opened = async (url: string) => locate(url, io).open()

  test('contains a token and a project', async () => {
    expect((await opened(`supabase://:sbp_${MARKER}@${REF}`)).dialect.title).toBe('PostgreSQL')
    expect((await opened(`supabase://:sbp_x@${REF}/`)).tls).toBe(true)
  })

  test.each([
    `supabase://:sbp_${MARKER}@abc`,
    `supabase://:sbp_${MARKER}@${REF}.supabase.co`,
    `supabase://:sbp_${MARKER}@db.${REF}`,
    `supabase://:sbp_${MARKER}@${REF.toUpperCase()}`,
    `supabase://:sbp_${MARKER}@${REF}:443`,
    `supabase://:sbp_${MARKER}@${REF}/postgres`,
    `supabase://:sbp_${MARKER}@${REF}?read_only=false`,
    `supabase://:sbp_${MARKER}@${REF}#x`,
    `supabase://sbp_${MARKER}@${REF}`,
    `supabase://postgres:sbp_${MARKER}@${REF}`,
    `supabase://${REF}`,
    `supabase://:@${REF}`,
    `supabase://:sbp%20${MARKER}@${REF}`,
    `supabase://:sbp%0d%0a${MARKER}@${REF}`,
    `supabase://:sbp%${MARKER}@${REF}`,
    `supabase:${REF}`,
  ])('is rejected unless it has exactly these parts: %s', async (url) => {
    const error = await failure(opened(url))
    expect(error.kind).toBe('config')
    expect(error.message).toMatch(
      /^(?:A Supabase URL has|The token in the Supabase URL|The database URL) /,
    )
  })
})

describe('the Supabase service', () => {
  const said = async (listener: RequestListener): Promise<DatabaseError> => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const database = open(`supabase://:sbp_${MARKER}@${REF}`, toSupabaseAt(port))
    const error = await failure(database.query({ sql: 'select 1' }, limits))
    server.closeAllConnections()
    server.close()
    return error
  }
  const json =
    (status: number, body: unknown, headers = {}): RequestListener =>
    (_, response) =>
      void response.writeHead(status, headers).end(JSON.stringify(body))
  const failed = (message: string) => json(400, { message: `Failed to run sql query: ${message}` })

  test.each<[string, RequestListener, Partial<DatabaseError>, RegExp]>([
    ['refuses a token', json(401, { message: MARKER }), { kind: 'auth' }, /refuses the token/],
    ['refuses a permission', json(403, { message: MARKER }), { kind: 'auth' }, /refuses the token/],
    [
      'has no such project',
      (_, it) => void it.writeHead(404).end(),
      { kind: 'config' },
      /no such project/,
    ],
    [
      'limits requests until a reset',
      json(429, { message: MARKER }, { 'x-ratelimit-limit': 120, 'x-ratelimit-reset': 12 }),
      { kind: 'network' },
      /Try again in 12 seconds\.$/,
    ],
    [
      'limits requests with Retry-After',
      json(429, {}, { 'retry-after': '7' }),
      { kind: 'network' },
      /in 7 seconds\.$/,
    ],
    [
      'limits requests without a valid time',
      json(429, {}, { 'retry-after': MARKER }),
      { kind: 'network' },
      /later\.$/,
    ],
    [
      'takes too long',
      json(544, { message: MARKER }),
      { kind: 'network' },
      /status 544\. Try again/,
    ],
    [
      'does not reach the database',
      failed(`Connection terminated due to connection timeout ${MARKER}`),
      { kind: 'network' },
      /status 400/,
    ],
    [
      'passes on an error from PostgreSQL',
      failed('ERROR:  42501: permission denied for language plpgsql\nCONTEXT:  x\n'),
      { kind: 'refused', code: '42501' },
      /^permission denied for language plpgsql$/,
    ],
    [
      'passes on a fatal error',
      failed(`FATAL:  28P01: password authentication failed for user "${MARKER}"\n`),
      { kind: 'auth', code: '28P01' },
      /refused the login/,
    ],
    [
      'reports a statement timeout',
      failed('ERROR:  57014: canceling\n'),
      { kind: 'timeout' },
      /stopped/,
    ],
    ['answers with no rows', json(201, []), { kind: 'network' }, /broke off/],
    ['answers with other rows', json(201, [{ a: 1 }]), { kind: 'network' }, /broke off/],
    [
      'answers with another header',
      json(201, [{ it: '{"names":["a"],"types":[]}' }]),
      { kind: 'network' },
      /broke off/,
    ],
    [
      'answers with a broken row',
      json(201, [{ it: '{"names":["a"],"types":[23]}' }, { it: '(1' }]),
      { kind: 'network' },
      /broke off/,
    ],
    ['answers with null', json(201, [null, { it: 7 }]), { kind: 'network' }, /broke off/],
    [
      'answers with too many bytes',
      (_, it) => void it.end(`["${'x'.repeat(17 << 20)}"]`),
      { kind: 'too_large' },
      /larger/,
    ],
  ])('%s', async (_, listener, error, message) => {
    const found = await said(listener)
    expect(found).toMatchObject(error)
    expect(found.message).toMatch(message)
  })

  test('gets the token in a header, at the read-only address of the project', async () => {
    const asked: unknown[] = []
    await said(async (request, response) => {
      const { method, url, headers } = request
      asked.push([method, url, headers.authorization, headers['content-type']])
      response.writeHead(500).end()
    })
    const url = `/v1/projects/${REF}/database/query/read-only`
    expect(asked).toEqual([['POST', url, `Bearer sbp_${MARKER}`, 'application/json']])
  })
})

import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { explain } from '../../../src/database/index.ts'
import { postgres as driver } from '../../../src/database/postgres/tcp/tcp.ts'
import type { QueryContext } from '../../../src/database/rows.ts'
import { Sessions } from '../../../src/database/sessions.ts'
import { startSwapping } from '../../servers/pooler.ts'
import { encrypt, passOn, report, startTcp, type TcpServer } from '../../servers/tcp.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { hyperdriveTo } from '../../support/hyperdrive.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

/** The code of a cancel request, in place of a protocol version. */
const CANCEL = 80_877_102

const servers: TcpServer[] = []
const serve = async (listener: (socket: Socket) => void) => {
  const server = await startTcp(listener)
  servers.push(server)
  return server
}
/** No test leaves a connection to its servers open. */
afterEach(async () => {
  for (const server of servers) await expect.poll(() => server.open).toBe(0)
})
afterAll(() => Promise.all(servers.map((it) => it.close())))

const setup = (reader: string) => `
  create table users (id integer, email text);
  insert into users select g, 'user' || g from generate_series(1, 100) g;
  create table secrets (id integer);
  create sequence counter;
  create function counts() returns bigint immutable language plpgsql
    as 'begin return nextval(''counter''); end';
  create type mood as enum ('sad', 'happy');
  revoke select on secrets from ${reader};
  create function exclaim(text) returns int language plpgsql as $$ begin
    raise exception '%', $1 using errcode = '23505', detail = 'Key (email)=(${MARKER}) is there.';
  end $$;
  create extension postgres_fdw;
  create server nowhere foreign data wrapper postgres_fdw
    options (host '127.0.0.1', port '9', dbname '${MARKER}');
  create user mapping for postgres server nowhere options (user '${MARKER}', password 'x');
  create foreign table elsewhere (id int) server nowhere;
`

await describePostgres('PostgreSQL over TCP', setup, (postgres) => {
  const database = open(postgres.tcp(), io)
  const unguarded = driver.open(new URL(postgres.tcp()), io)
  const port = postgres.config.port!
  const query = (sql: string, more: Partial<QueryContext> = {}) =>
    database.query({ sql }, { ...limits, ...more })
  const sessions = async (state = '%') => {
    const { rows } = await postgres.admin(
      `select query from pg_stat_activity
       where datname = current_database() and application_name = 'tidegate' and state like $1`,
      [state],
    )
    return rows.length
  }
  afterEach(() => expect.poll(() => sessions()).toBe(0))

  test.each([
    ['select id from users order by id limit 10', 10, false],
    ['select id from users order by id limit 11', 10, 'rows'],
    ['select id from users; -- all', 10, 'rows'],
    ['select id from users where false', 0, false],
    ["select repeat('é', 1000) from generate_series(1, 10)", 4, 'bytes'],
    ['show all', 10, 'rows'],
  ])('answers %s with %i rows, truncated: %s', async (sql, count, truncated) => {
    const answer = await query(sql)
    expect(answer.rows).toHaveLength(count)
    expect(answer.truncated).toBe(truncated)
  })

  test('runs SHOW and EXPLAIN, which cannot use a cursor', async () => {
    expect((await query('show standard_conforming_strings')).rows).toEqual([['on']])
    const { rows } = await query('/* why */ explain (format json) select * from users')
    expect(rows[0]![0]).toMatchObject([{ Plan: { 'Node Type': 'Seq Scan' } }])
  })

  test('explains the plan that runs, which is never parallel', async () => {
    await postgres.admin(`create table facts as
      select g as id, g % 1000 as ref, repeat('x', 50) as note from generate_series(1, 300000) g;
      create table refs as select g as id, repeat('y', 50) as name from generate_series(0, 999) g;
      create index on facts (ref); create index on refs (id); analyze facts, refs`)
    const nodes = (plan: unknown) =>
      [...JSON.stringify(plan).matchAll(/"Node Type":"([^"]+)"/g)].map(([, node]) => node)
    for (const sql of [
      'select * from facts f join refs r on r.id = f.ref',
      'select ref, count(*) from facts group by ref',
      '(select * from facts order by ref)',
      'with f as (select * from facts) select * from f where id > $1',
    ]) {
      const params = sql.includes('$1') ? [1] : []
      const { plan } = await explain(database, { sql, params }, limits)
      const { rows } = await database.query({ sql: `explain (format json) ${sql}`, params }, limits)
      expect(nodes(rows[0]![0])).toEqual(nodes(plan))
      // The server's own plan for such a cursor.
      const { rows: own } = await postgres
        .admin(
          `set cursor_tuple_fraction = 1;
         explain (format json) declare c no scroll cursor for ${sql.replace('$1', '1')}`,
        )
        .then((results) => (results as unknown as (typeof results)[])[1]!)
      expect(nodes(plan)).toEqual(nodes(own[0]['QUERY PLAN']))
      expect(nodes(plan)).not.toContain('Gather')
      expect(nodes(plan)).not.toContain('Nested Loop')
    }
  })

  test('computes no more rows than it returns', async () => {
    const answer = await query('select generate_series(1, 1e12)', { timeoutMs: 2_000 })
    expect(answer.rows).toHaveLength(10)
  })

  test('stops reading at the byte limit of an answer', async () => {
    const server = await serve((socket) => passOn(socket, port))
    const wide = open(postgres.tcp('postgres', server.port), io)
    const sql = `select 'happy'::mood, repeat('x', 50000) from generate_series(1, 5000)`
    const answer = await wide.query({ sql }, { maxRows: 5_000, maxBytes: 1e9, timeoutMs: 10_000 })
    expect(answer.truncated).toBe('bytes')
    expect(answer.columns.map(({ type }) => type)).toEqual(['mood', 'text'])
    expect(answer.rows.length).toBeGreaterThan(100)
    expect(answer.rows.every((row) => String(row[1]).length === 50_000)).toBe(true)
    expect(server.sent).toBeLessThan(50 * 1024 * 1024)
  })

  test('looks up type names when an answer ends near its byte limit', async () => {
    const room = 10 * 1024 * 1024
    const server = await serve((client) => {
      const upstream = connect(port, '127.0.0.1')
      let sent = 0
      let held = Buffer.alloc(0)
      upstream.on('data', (chunk: Buffer) => {
        const passed = chunk.subarray(0, room - sent)
        sent += passed.length
        if (passed.length > 0) client.write(passed)
        held = Buffer.concat([held, chunk.subarray(passed.length)])
        // Everything beyond the limit arrives at once, up to "ready for query".
        if (held.at(-6) !== 'Z'.charCodeAt(0)) return
        const rest = held
        held = Buffer.alloc(0)
        setTimeout(() => client.write(rest), 100)
      })
      client.on('data', (chunk) => upstream.write(chunk))
      for (const it of [client, upstream]) {
        it.on('error', () => {}).on('close', () => {
          client.destroy()
          upstream.destroy()
        })
      }
    })
    const count = 1_047
    const sql = `select 'happy'::mood, repeat('x', 10000) from generate_series(1, ${count})`
    const answer = await open(postgres.tcp('postgres', server.port), io).query(
      { sql },
      { maxRows: 5_000, maxBytes: 1e9, timeoutMs: 10_000 },
    )
    expect(answer.columns.map(({ type }) => type)).toEqual(['mood', 'text'])
    expect(answer.rows).toHaveLength(count)
    expect(answer.truncated).toBe(false)
  })

  describe('in one session', () => {
    const asked = async (server: TcpServer, sqls: readonly string[]) => {
      const sessions = new Sessions()
      const far = open(postgres.tcp('postgres', server.port), io)
      const room = { maxRows: 5_000, maxBytes: 1e9, timeoutMs: 10_000, sessions }
      const answers = await Promise.allSettled(sqls.map((sql) => far.query({ sql }, room)))
      await sessions.end()
      const late = await failure(far.query({ sql: 'select 1' }, room))
      expect(late.message).toBe('The query was cancelled by the client.')
      return answers.map((it) => (it.status === 'fulfilled' ? it.value.rows : it.reason.code))
    }
    const counted = async () => {
      let connections = 0
      const server = await serve((socket) => {
        connections++
        passOn(socket, port)
      })
      return { server, connections: () => connections }
    }

    test('answers concurrent queries separately when some of them fail', async () => {
      const { server, connections } = await counted()
      const sqls = ['select 1', 'select nope', "select 'happy'::mood", 'select 1 / 0', 'select 5']
      expect(await asked(server, sqls)).toEqual([[[1]], '42703', [['happy']], '22012', [[5]]])
      expect(connections()).toBe(1)
    })

    test('starts each statement with a clean state', async () => {
      const { server } = await counted()
      const setting = "set_config('my.note', 'left', false)"
      const sessions = new Sessions()
      const far = driver.open(new URL(postgres.tcp('postgres', server.port)), io)
      const ask = async (sql: string) => (await far.query({ sql }, { ...limits, sessions })).rows[0]
      expect(await ask(`select ${setting}`)).toEqual(['left'])
      const [note, path] = (await ask("select current_setting('my.note', true), pg_backend_pid()"))!
      expect(note || null).toBeNull()
      expect(await ask('select pg_backend_pid()')).toEqual([path])
      await sessions.end()
    })

    test('repeats queries that were queued behind an answer that was too long', async () => {
      const { server, connections } = await counted()
      const long = "select repeat('x', 50000) from generate_series(1, 5000)"
      const [first, ...rest] = await asked(server, [long, 'select 2', 'select 3'])
      expect(first.length).toBeGreaterThan(100)
      expect(rest).toEqual([[[2]], [[3]]])
      expect(connections()).toBe(2 + 1)
    })

    test('closes the connection in the background after the answer', async () => {
      // The server does not receive the Terminate message, so it does not close the connection.
      const terminate = Buffer.from([88, 0, 0, 0, 4])
      const server = await serve((socket) =>
        passOn(socket, port, (it) => (it.includes(terminate) ? Buffer.alloc(0) : it)),
      )
      const background: Promise<unknown>[] = []
      let ended = false
      const waitUntil = (work: Promise<unknown>) =>
        void background.push(
          work.then(() => {
            ended = true
          }),
        )
      const far = open(postgres.tcp('postgres', server.port), { ...io, waitUntil })
      expect((await far.query({ sql: 'select 1' }, limits)).rows).toEqual([[1]])
      expect([background.length, ended]).toEqual([1, false])
      await Promise.all(background)
    })
  })

  test('reports a single row beyond the byte limit', async () => {
    const error = await failure(query("select repeat('x', 20000000)"))
    expect(error).toMatchObject({
      kind: 'too_large',
      hint: expect.stringContaining('shorter pieces'),
    })
  })

  test.each([
    ['select nope from users', '42703', 8],
    ['/* é🐘 */ select nope from users', '42703', 17],
    ['select id from users where', '42601', 27],
    ['select 1 / (id - id) from users', '22012', undefined],
    ['show nothing_like_it', '42704', undefined],
    ['explain select nope from users', '42703', 16],
    ['explain (costs off) ((select nope from users))', '42703', 30],
    ['explain verbose values (nope)', '42703', 25],
  ])('reports the position in the original statement: %s', async (sql, code, position) => {
    expect(await failure(query(sql))).toMatchObject({ kind: 'sql', code, position })
  })

  test('passes on the hint from the database', async () => {
    expect((await failure(query('select emial from users'))).hint).toContain('users.email')
  })

  const ways = [database, open(postgres.url(), io)]

  test.each([
    [
      "select has_database_privilege('nodb', 'connect')",
      '3D000',
      /^database "nodb" does not exist$/,
    ],
    ['select * from elsewhere', '08001', /^could not connect to server "nowhere"$/],
    [
      `select '{"a" "b"}'::json`,
      '22P02',
      /^invalid input syntax for type json: Expected ":", but found ""b""\.$/,
    ],
    [`select '{1,2'::int[]`, '22P02', /: Unexpected end of input\.$/],
    ["select repeat('x', 5000)::json", '22P02', /^.*: Token "x{293}$/],
    ["select exclaim('boom')", '23505', /^boom$/],
  ])(
    'classifies an error in the statement, and keeps its details: %s',
    async (sql, code, message) => {
      for (const way of ways) {
        const error = await failure(way.query({ sql }, limits))
        expect(error).toMatchObject({ kind: 'sql', code, message: expect.stringMatching(message) })
      }
    },
  )

  test.each([
    ['select $1', [], 'There is no value for $1: params contains 0 values.'],
    ['select $1::int, $3::int', [1, 2], 'There is no value for $3: params contains 2 values.'],
    ['select $2::int', [1, 2], 'Nothing in the statement uses the value of $1.'],
    ['select 1', [1], undefined],
  ])('reports a missing or unused parameter: %s with %j', async (sql, params, message) => {
    for (const way of ways) {
      const error = await failure(way.query({ sql, params }, limits))
      expect(error.kind).toBe('sql')
      if (message) expect(error.message).toBe(message)
    }
  })

  test('ignores text that only looks like a placeholder', async () => {
    const sql = `select '$1', "a$2", $q$ $3 $q$, $1::int /* $4 */ from (values (1)) v ("a$2") -- $5`
    for (const way of ways) {
      expect((await way.query({ sql, params: [7] }, limits)).rows).toEqual([['$1', 1, ' $3 ', 7]])
    }
  })

  test('cannot write even without the guard', async () => {
    for (const [sql, code] of [
      ["select nextval('counter')", '25006'],
      ['with d as (delete from users returning id) select * from d', '0A000'],
      ['select * from users for update', '25006'],
      ['delete from users', '42601'],
      ['select 1; delete from users', '42601'],
      ['select 1; commit; delete from users', '42601'],
      ['commit; delete from users; begin', '42601'],
    ]) {
      const kind = code === '42601' ? 'sql' : 'refused'
      expect(await failure(unguarded.query({ sql: sql! }, limits))).toMatchObject({ kind, code })
    }
    const { rows } = await postgres.admin('select count(*)::integer as users from users')
    expect(rows).toEqual([{ users: 100 }])
  })

  describe('with a server that does not run the requested transaction', () => {
    /** A database behind a proxy that replaces a statement with another one, padded to the same length. */
    const behind = async (replaced: string, by: string) => {
      let count = 0
      const server = await serve((socket) =>
        passOn(socket, port, (chunk) => {
          const said = chunk.toString('latin1')
          if (said.includes(replaced)) count++
          return Buffer.from(said.replaceAll(replaced, by.padEnd(replaced.length)), 'latin1')
        }),
      )
      const url = new URL(postgres.tcp('postgres', server.port))
      return { lax: driver.open(url, io), replaced: () => count }
    }
    const counter = async () => (await postgres.admin('table counter')).rows
    const check = "select pg_catalog.set_config('transaction_read_only',"
    const message = 'The database did not begin a read-only transaction.'

    test.each([
      ['begins a read-write transaction', 'begin read only', 'begin', { message }],
      ['begins no transaction', 'begin read only', 'select 1', { message }],
      ['runs another command instead', 'begin read only', 'listen x', { message }],
      ['rolls it back in the middle', 'select pg_catalog.set_config(name,', 'rollback --', {}],
      ['commits it in the middle', 'select pg_catalog.set_config(name,', 'commit --', {}],
      ['reports a read-write transaction', check, "select 'off' where 'x' <> concat(", { message }],
      ['fails the check', check, "select 1 / 0 where 'x' <> concat(", { code: '22012' }],
    ])('writes nothing if the server %s', async (_, replaced, by, expected) => {
      const before = await counter()
      const sql = "select nextval('counter')"
      const statements = [
        { sql },
        { sql, internal: true },
        // The function runs while the statement is planned.
        { sql: 'explain select counts()' },
      ]
      for (const it of statements) {
        const { lax, replaced: times } = await behind(replaced, by)
        const error = await failure(lax.query(it, limits))
        expect(error).toMatchObject(expected)
        expect(times()).toBe(1)
      }
      expect(await counter()).toEqual(before)
    })

    test('writes nothing if a pooler swaps the session, after any statement', async () => {
      const before = await counter()
      const { database: name } = postgres.config
      const kinds: string[] = []
      for (let statements = 1; statements < 12; statements++) {
        const pooler = await startSwapping(port, 'postgres', name, statements)
        servers.push(pooler)
        const swapped = driver.open(new URL(postgres.tcp('postgres', pooler.port)), io)
        const sql = "select nextval('counter')"
        const error = await failure(swapped.query({ sql, internal: statements % 2 > 0 }, limits))
        kinds.push(error.kind)
      }
      expect(await counter()).toEqual(before)
      expect(kinds).toEqual(expect.arrayContaining(['network', 'sql', 'refused']))
    })

    test('runs SHOW only after the read-only check', async () => {
      let said = ''
      const server = await serve((socket) =>
        passOn(socket, port, (chunk) => {
          said += chunk.toString('latin1')
          return Buffer.from(
            chunk.toString('latin1').replace('begin read only', 'begin          '),
            'latin1',
          )
        }),
      )
      const lax = open(postgres.tcp('postgres', server.port), io)
      const error = await failure(lax.query({ sql: 'show server_version' }, limits))
      expect(error.message).toBe(message)
      expect(said).toContain('begin read only')
      expect(said).not.toContain('show server_version')
    })
  })

  test('reports a table that the role may not read', async () => {
    const reader = open(postgres.tcp(postgres.reader), io)
    expect(await failure(reader.query({ sql: 'table secrets' }, limits))).toMatchObject({
      kind: 'refused',
      code: '42501',
      message: 'permission denied for table secrets',
    })
  })

  test('reports a wrong login and an unknown database without their names', async () => {
    const wrong = open(postgres.tcp(`nobody:${MARKER}`), io)
    const login = await failure(wrong.query({ sql: 'select 1' }, limits))
    expect(login).toMatchObject({ kind: 'auth', code: expect.stringMatching(/^28/) })
    expect(login.message).not.toContain('nobody')
    const missing = open(`${postgres.tcp()}_${MARKER}`, io)
    const error = await failure(missing.query({ sql: 'select 1' }, limits))
    expect(error).toMatchObject({ kind: 'config', code: '3D000' })
  })

  const endless = 'select count(*) from users a, users b, users c, users d, users e, users f'

  test('has the database stop a query at the time limit', async () => {
    const error = await failure(query(endless, { timeoutMs: 300 }))
    expect(error).toMatchObject({
      kind: 'timeout',
      code: '57014',
      message: 'The query was stopped after 0.3 seconds.',
    })
  })

  test('does not wait long for a lock', async () => {
    const locking = postgres.admin('begin; lock table secrets; select pg_sleep(1)')
    const held = "select from pg_locks where relation = 'secrets'::regclass and granted"
    await expect.poll(async () => (await postgres.admin(held)).rows.length).toBe(1)
    const error = await failure(query('table secrets', { timeoutMs: 300 }))
    expect(error).toMatchObject({ kind: 'timeout' })
    await locking
  })

  test('cancels a query in the database when the caller aborts', async () => {
    let cancelled = 0
    const server = await serve((socket) =>
      passOn(socket, port, (chunk) => {
        if (chunk.length === 16 && chunk.readInt32BE(4) === CANCEL) cancelled++
        return chunk
      }),
    )
    const caller = new AbortController()
    const distant = open(postgres.tcp('postgres', server.port), io)
    const work = failure(distant.query({ sql: endless }, { ...limits, signal: caller.signal }))
    await expect.poll(() => sessions('active')).toBe(1)
    caller.abort()
    expect(await work).toMatchObject({
      kind: 'timeout',
      message: 'The query was cancelled by the client.',
    })
    expect(cancelled).toBeGreaterThan(0)
    await expect.poll(() => sessions('active')).toBe(0)
  })

  test.each([
    ['during login', 'application_name', 'begin', endless],
    ['before SHOW', 'begin', 'show server_version', 'show server_version'],
  ])('sends nothing more after the caller aborts %s', async (_, at, never, sql) => {
    const caller = new AbortController()
    let said = ''
    const server = await serve((socket) =>
      passOn(socket, port, (chunk) => {
        said += chunk.toString('latin1')
        if (chunk.includes(at)) caller.abort()
        return chunk
      }),
    )
    const distant = open(postgres.tcp('postgres', server.port), io)
    await failure(distant.query({ sql }, { ...limits, signal: caller.signal }))
    expect(said).toContain(at)
    expect(said).not.toContain(never)
  })

  test('does not run a query for a caller that has already aborted', async () => {
    const error = await failure(query('select 1', { signal: AbortSignal.abort() }))
    expect(error.message).toBe('The query was cancelled by the client.')
  })

  test('serves 50 concurrent callers while a fifth of them abort', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        if (i % 5 > 0) return (await query(`select ${i}, count(*) from users`)).rows
        const caller = new AbortController()
        const work = failure(query(endless, { signal: caller.signal }))
        setTimeout(() => caller.abort(), i * 10)
        return (await work).message
      }),
    )
    expect(outcomes).toEqual(
      outcomes.map((_, i) => (i % 5 > 0 ? [[i, 100]] : 'The query was cancelled by the client.')),
    )
  })

  test('reports a connection that breaks during a query', async () => {
    const server = await serve((socket) =>
      passOn(socket, port, (chunk) => (chunk.includes('declare') ? undefined : chunk)),
    )
    const error = await failure(
      open(postgres.tcp('postgres', server.port), io).query({ sql: 'select 1' }, limits),
    )
    expect(error.kind).toBe('network')
  })

  test('times out when the server goes silent during a query', async () => {
    const server = await serve((socket) =>
      passOn(socket, port, (chunk) => (chunk.includes('declare') ? Buffer.alloc(0) : chunk)),
    )
    const silent = open(postgres.tcp('postgres', server.port), io)
    const error = await failure(silent.query({ sql: 'select 1' }, { ...limits, timeoutMs: 1_000 }))
    expect(error.kind).toBe('timeout')
  })

  test('connects through the Hyperdrive binding in the URL', async () => {
    const bindings = { STORE: hyperdriveTo(postgres.tcp()), OTHER: {} }
    const bound = open('hyperdrive:STORE', { fetch, bindings })
    expect((await bound.query({ sql: 'select 1' }, limits)).rows).toEqual([[1]])
    for (const name of ['OTHER', 'NONE']) {
      expect(() => open(`hyperdrive:${name}`, { fetch, bindings })).toThrow(
        `This deployment has no Hyperdrive binding called "${name}".`,
      )
    }
  })

  describe('behind TLS', () => {
    const certificate = makeCertificate()
    const at = (host: string, port: number, mode?: string) => {
      const url = new URL(postgres.tcp(`postgres:${MARKER}`, port))
      url.host = `${host}:${port}`
      if (mode) url.searchParams.set('sslmode', mode)
      return open(url.href, io).query({ sql: 'select 1' }, limits)
    }

    test('refuses an unencrypted connection unless the URL allows it', async () => {
      const server = await serve((socket) => passOn(socket, port))
      for (const [host, mode] of [
        ['127.0.0.1', 'require'],
        ['127.0.0.1', 'verify-ca'],
        ['127.0.0.1', 'verify-full'],
        // The same machine, but the URL does not show that.
        ['127.1', undefined],
      ] as const) {
        expect(await failure(at(host, server.port, mode))).toMatchObject({
          kind: 'config',
          message: 'The database does not support TLS.',
        })
      }
      for (const mode of [undefined, 'disable', 'allow', 'prefer']) {
        expect((await at('127.0.0.1', server.port, mode)).rows).toEqual([[1]])
      }
    })

    test.skipIf(!certificate)('rejects an untrusted certificate', async () => {
      const server = await serve((socket) => encrypt(socket, certificate!, port))
      for (const mode of ['prefer', 'require', 'verify-full']) {
        expect(await failure(at('localhost', server.port, mode))).toMatchObject({
          kind: 'config',
          message: expect.stringMatching(/^The database certificate/),
        })
      }
    })
  })
})

describe('the PostgreSQL driver with a failing server', () => {
  const ask = (port: number, timeoutMs = 5_000) =>
    failure(
      open(`postgres://app:${MARKER}@127.0.0.1:${port}/shop`, io).query(
        { sql: 'select 1' },
        { ...limits, timeoutMs },
      ),
    )
  const unreachable = {
    kind: 'network',
    message: 'The database cannot be reached. Try again later.',
  }

  test('reports a refused connection', async () => {
    expect(await ask(9)).toMatchObject(unreachable)
  })

  test('reports an unknown host', async () => {
    for (const mode of ['disable', 'require']) {
      const url = `postgres://app:${MARKER}@nowhere.invalid/shop?sslmode=${mode}`
      const work = open(url, io).query({ sql: 'select 1' }, limits)
      expect(await failure(work)).toMatchObject(unreachable)
    }
  })

  test('reports a server that never answers', async () => {
    const server = await serve(() => {})
    expect(await ask(server.port, 200)).toMatchObject(unreachable)
  })

  test('reports a server that hangs up at once', async () => {
    const server = await serve((socket) => socket.end())
    expect(await ask(server.port)).toMatchObject(unreachable)
  })

  test('reports a server that is not PostgreSQL', async () => {
    const server = await serve((socket) => socket.end(`HTTP/1.1 400 ${MARKER}\r\n\r\n`))
    expect(await ask(server.port)).toMatchObject(unreachable)
  })

  test.each([
    ['a wrong password', '28P01', 'auth'],
    ['a tenant unknown to the pooler', 'XX000', 'auth'],
    ['too many connections', '53300', 'network'],
    ['a server that is starting up', '57P03', 'network'],
  ])('classifies %s without repeating the message', async (_, code, kind) => {
    const server = await serve((socket) =>
      socket.once('data', () => socket.end(report(code, MARKER))),
    )
    expect((await ask(server.port)).kind).toBe(kind)
  })
})

describe('a PostgreSQL URL', () => {
  test.each([
    ['postgres://db.example.com/secret', 'needs a user and a host'],
    ['postgres:///secret', 'needs a user and a host'],
    ['postgres://app:sec%ret@db.example.com/shop', 'does not begin a percent-encoding'],
    ['postgres://app:secret@db.example.com/shop?sslmode=secret', 'The sslmode'],
  ])('that is invalid is not repeated in the error: %s', async (url, sentence) => {
    const error = await failure(() => open(url, io))
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(sentence) })
    expect(error.message).not.toContain('secret')
  })
})

import type { RequestListener } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { locate } from '../../../src/database/index.ts'
import { neon } from '../../../src/database/postgres/neon/neon.ts'
import type { QueryContext } from '../../../src/database/rows.ts'
import { startHttp } from '../../servers/http.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

const setup = (reader: string) => `
  create table users (id integer, email text);
  insert into users select g, 'user' || g from generate_series(1, 100) g;
  create table secrets (id integer);
  create sequence counter;
  revoke select on secrets from ${reader};
`

await describePostgres('PostgreSQL over HTTP', setup, (postgres) => {
  const database = open(postgres.url(), { fetch, bindings: {} })
  const unguarded = neon.open(new URL(postgres.url()), { fetch, bindings: {} })
  const query = (sql: string, more: Partial<QueryContext> = {}) =>
    database.query({ sql }, { ...limits, ...more })
  const running = async () => {
    const { rows } = await postgres.admin(
      `select query from pg_stat_activity where state = 'active' and datname = current_database()
       and query like 'fetch forward%'`,
    )
    return rows.length
  }

  test('sends one batch in one request: settings, cursor, rows', async () => {
    const before = postgres.neon.requests.length
    await query('select id from users; -- all')
    expect(postgres.neon.requests.slice(before)).toEqual([
      [
        expect.stringMatching(/^select pg_catalog\.set_config\('statement_timeout'/),
        'declare tidegate no scroll cursor for select id from users',
        'fetch forward 11 from tidegate',
      ],
    ])
  })

  test('caches the name of a type for ten minutes', async () => {
    await postgres.admin("create type mood as enum ('sad')")
    const read = async (name: string) => {
      const before = postgres.neon.requests.length
      const { columns } = await query(`select 'sad'::${name}`)
      return [columns[0]?.type, postgres.neon.requests.length - before]
    }
    try {
      expect(await read('mood')).toEqual(['mood', 2])
      await postgres.admin('alter type mood rename to humour')
      expect(await read('humour')).toEqual(['mood', 1])
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
      expect(await read('humour')).toEqual(['humour', 2])
      expect(await read('humour')).toEqual(['humour', 1])
    } finally {
      vi.useRealTimers()
      await postgres.admin('drop type humour')
    }
  })

  test.each([
    ['select id from users order by id limit 10', 10, false],
    ['select id from users order by id limit 11', 10, 'rows'],
    ['select id from users', 10, 'rows'],
    ['select id from users where false', 0, false],
  ])('answers %s with %i rows, truncated: %s', async (sql, count, truncated) => {
    const answer = await query(sql)
    expect(answer.rows).toHaveLength(count)
    expect(answer.truncated).toBe(truncated)
  })

  test('omits whole rows beyond the byte limit', async () => {
    const sql = "select repeat('é', 100) from generate_series(1, 10)"
    const row = 2 * 100 + 4
    const answer = await query(sql, { maxBytes: 3 * (row + 1) })
    expect(answer.truncated).toBe('bytes')
    expect(answer.rows).toHaveLength(3)
    expect(await query(sql, { maxBytes: 10 * (row + 1) })).toMatchObject({ truncated: false })
    expect((await query(sql, { maxBytes: 10 * (row + 1) - 1 })).rows).toHaveLength(9)
  })

  test('reports a single row beyond the byte limit', async () => {
    const error = await failure(query("select repeat('x', 200)", { maxBytes: 100 }))
    expect(error).toMatchObject({
      kind: 'too_large',
      hint: expect.stringContaining('shorter pieces'),
    })
  })

  test('computes no more rows than it returns', async () => {
    const answer = await query('select generate_series(1, 1e12)', { timeoutMs: 2_000 })
    expect(answer.rows).toHaveLength(10)
  })

  test('runs SHOW and EXPLAIN without a cursor, last in the batch', async () => {
    expect((await query('show standard_conforming_strings')).rows).toEqual([['on']])
    const before = postgres.neon.requests.length
    const { rows } = await query('/* why */ explain (format json) select * from users')
    expect(rows[0]![0]).toMatchObject([{ Plan: { 'Node Type': 'Seq Scan' } }])
    expect(postgres.neon.requests[before]).toHaveLength(2)
    expect((await query('show all', { maxRows: 3 })).truncated).toBe('rows')
  })

  test('refuses EXPLAIN ANALYZE of CREATE TABLE even without the guard', async () => {
    const sql = 'explain analyze create table made as select 1'
    expect(await failure(unguarded.query({ sql }, limits))).toMatchObject({ code: '42601' })
  })

  test('reads standard string literals regardless of the database setting', async () => {
    const name = postgres.config.database
    await postgres.admin(`alter database ${name} set standard_conforming_strings = off`)
    expect((await query("select '\\', 'a\\''b'")).rows).toEqual([['\\', "a\\'b"]])
    await postgres.admin(`alter database ${name} reset all`)
  })

  test.each([
    ['select nope from users', '42703', 8],
    ['/* é🐘 */ select nope from users', '42703', 17],
    ['select id from nowhere where 1 = 1; -- x', '42P01', 16],
    ['selec 1', undefined, undefined],
    ['select id frm users u', '42601', 15],
    ['select id from users where', '42601', 27],
    ["select 'x'::integer", '22P02', 8],
    ['select 1 / (id - id) from users', '22012', undefined],
    ['show nothing_like_it', '42704', undefined],
    ['explain select nope from users', '42703', 16],
  ])('reports the position in the original statement: %s', async (sql, code, position) => {
    const error = await failure(query(sql))
    expect(error).toMatchObject({ kind: code ? 'sql' : 'refused', code, position })
  })

  test('passes on the hint from the database', async () => {
    expect((await failure(query('select emial from users'))).hint).toContain('users.email')
    const unbound = database.query({ sql: 'select 1', params: [1] }, limits)
    expect(await failure(unbound)).toMatchObject({ kind: 'sql', code: '08P01' })
  })

  test('refuses a parameter with a NUL or half a surrogate pair', async () => {
    for (const value of ['a\0b', '\ud800']) {
      const work = database.query({ sql: 'select $1', params: [value] }, limits)
      expect((await failure(work)).message).toBe(
        'A parameter contains a NUL, or half of a surrogate pair: remove it.',
      )
    }
  })

  test('cannot write even without the guard', async () => {
    for (const [sql, code] of [
      ["select nextval('counter')", '25006'],
      ['with d as (delete from users returning id) select * from d', '0A000'],
      ['select * from users for update', '25006'],
      ['delete from users', '42601'],
      ['select 1; delete from users', '42601'],
    ]) {
      const kind = code === '42601' ? 'sql' : 'refused'
      expect(await failure(unguarded.query({ sql: sql! }, limits))).toMatchObject({ kind, code })
    }
  })

  test('reports a table that the role may not read', async () => {
    const reader = open(postgres.url(postgres.reader), { fetch, bindings: {} })
    expect(await failure(reader.query({ sql: 'table secrets' }, limits))).toMatchObject({
      kind: 'refused',
      code: '42501',
      message: 'permission denied for table secrets',
    })
  })

  test('reports a wrong login as an auth error without the user name', async () => {
    const url = postgres.url().replace('postgres@', `nobody:${MARKER}@`)
    const error = await failure(
      open(url, { fetch, bindings: {} }).query({ sql: 'select 1' }, limits),
    )
    expect(error).toMatchObject({ kind: 'auth', code: expect.stringMatching(/^28/) })
    expect(error.message).not.toContain('nobody')
  })

  test('reports an unknown database as a configuration error', async () => {
    const url = `${postgres.url()}_not`
    const error = await failure(
      open(url, { fetch, bindings: {} }).query({ sql: 'select 1' }, limits),
    )
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
    // The list of running queries is updated after the answer.
    await expect.poll(running, { timeout: 2_000 }).toBe(0)
  })

  test('keeps the time limit if the statement changes statement_timeout', async () => {
    const sql = `select set_config('statement_timeout', '0', true), (${endless})`
    const error = await failure(unguarded.query({ sql }, { ...limits, timeoutMs: 300 }))
    expect(error).toMatchObject({ kind: 'timeout', code: '57014' })
  })

  test('does not wait long for a lock', async () => {
    const sql = `begin; lock table secrets; select pg_sleep(2)`
    const locking = postgres.admin(sql)
    await expect
      .poll(async () => {
        const { rows } = await postgres.admin(
          "select from pg_locks where relation = 'secrets'::regclass and granted",
        )
        return rows.length
      })
      .toBe(1)
    const error = await failure(query('table secrets', { timeoutMs: 300 }))
    expect(error).toMatchObject({ kind: 'timeout' })
    await locking
  })

  test('stops a query in the database when the caller aborts', async () => {
    const caller = new AbortController()
    const work = failure(query(endless, { signal: caller.signal }))
    await expect.poll(running).toBe(1)
    caller.abort()
    expect(await work).toMatchObject({
      kind: 'timeout',
      message: 'The query was cancelled by the client.',
    })
    await expect.poll(running, { timeout: 5_000 }).toBe(0)
  })

  test('suggests a smaller query for an answer over 10 MiB', async () => {
    const sql = "select repeat('x', 1000000) from generate_series(1, 20)"
    const error = await failure(query(sql, { maxRows: 20, maxBytes: 1e9 }))
    expect(error).toMatchObject({
      kind: 'too_large',
      hint: expect.stringMatching(/fewer columns.*fewer rows/),
    })
  })
})

describe('the Neon driver with a failing service', () => {
  /** Opens a database on a service with this listener. */
  const serve = async (listener: RequestListener) => {
    const port = await startHttp(listener)
    return open(`neon://app:${MARKER}@127.0.0.1:${port}/shop`, { fetch, bindings: {} })
  }
  const ask = async (listener: RequestListener, more: Partial<QueryContext> = {}) =>
    failure((await serve(listener)).query({ sql: 'select 1' }, { ...limits, ...more }))

  const report = (code: string, message: string) =>
    JSON.stringify({ message, code, severity: 'ERROR' })

  test.each([
    ['a wrong password', 400, report('28P01', `no ${MARKER}`), 'auth'],
    ['too many connections', 400, report('53300', `no ${MARKER}`), 'network'],
    ['a database that shuts down', 400, report('57P01', `no ${MARKER}`), 'network'],
    ['an error without a code', 400, report('', `no ${MARKER}`), 'network'],
    ['a proxy page', 502, `<html>${MARKER}</html>`, 'network'],
    ['too many requests', 429, MARKER, 'network'],
    ['a service that requires a login', 401, `{"msg":"${MARKER}"}`, 'auth'],
    ['an answer that is too large', 507, report('', `no ${MARKER}`), 'too_large'],
    ['a success with a web page', 200, '<html></html>', 'network'],
    ['a success without results', 200, 'null', 'network'],
    ['a success with too few results', 200, '{"results":[{}]}', 'network'],
    ['a failure with results', 500, '{"results":[{},{},{"fields":[],"rows":[]}]}', 'network'],
    ['a redirect', 302, '', 'network'],
  ])('classifies %s', async (_, status, body, kind) => {
    const error = await ask((_request, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end(body)
    })
    expect(error.kind).toBe(kind)
    expect(error.message).toMatch(/^[A-Z].*\.$/)
  })

  test('reports a refused connection', async () => {
    const database = open(`neon://app:${MARKER}@127.0.0.1:9/shop`, { fetch, bindings: {} })
    const error = await failure(database.query({ sql: 'select 1' }, limits))
    expect(error).toMatchObject({
      kind: 'network',
      message: 'The database cannot be reached. Try again later.',
    })
  })

  test.each<[string, RequestListener]>([
    ['before the first byte', () => {}],
    [
      'in the middle',
      (_request, response) => void response.writeHead(200).write('{"results":[{"fields":'),
    ],
  ])('times out when the service goes silent %s', async (_, listener) => {
    expect((await ask(listener, { timeoutMs: 50 })).kind).toBe('timeout')
  })

  test('reports an answer that breaks off', async () => {
    const error = await ask((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"results":[')
      setTimeout(() => response.destroy(), 50)
    })
    expect(error.kind).toBe('network')
  })

  test('stops reading an endless answer', async () => {
    let sent = 0
    const chunk = Buffer.alloc(64 * 1024, ' ')
    const error = await ask((_request, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      response.writeHead(200)
      more()
    })
    expect(error.kind).toBe('too_large')
    expect(sent).toBeLessThan(100 * 1024 * 1024)
  })

  test('sends the password only in a header', async () => {
    const seen: Request[] = []
    const io = {
      bindings: {},
      fetch: async (url: RequestInfo, init?: RequestInit) => {
        seen.push(new Request(url, init))
        return Response.json({ results: [{}, {}, { fields: [], rows: [] }] })
      },
    }
    const pooled = 'ep-cool-123-pooler.eu-central-1.aws.neon.tech'
    for (const url of [
      `postgres://app:p%40${MARKER}@${pooled}:5432/shop?sslmode=require#x`,
      `postgresql://app:${MARKER}@EP-1.us-east-2.aws.Neon.Tech/shop`,
      `neon://app:${MARKER}@${pooled}/shop`,
      `neon://app:${MARKER}@gate.example.com:8443/shop`,
      `neon://app:${MARKER}@localhost:4444/shop`,
      `neon://app:${MARKER}@[::1]:4444/shop`,
    ]) {
      await open(url, io as never).query({ sql: 'select 1' }, limits)
    }
    expect(seen.map(({ url }) => url)).toEqual([
      'https://api.eu-central-1.aws.neon.tech/sql',
      'https://api.us-east-2.aws.neon.tech/sql',
      'https://api.eu-central-1.aws.neon.tech/sql',
      'https://gate.example.com:8443/sql',
      'http://localhost:4444/sql',
      'http://[::1]:4444/sql',
    ])
    expect(seen[0]!.headers.get('neon-connection-string')).toBe(
      `postgresql://app:p%40${MARKER}@${pooled}:5432/shop?sslmode=require`,
    )
    for (const request of seen) {
      expect(request.headers.get('neon-batch-read-only')).toBe('true')
      expect(request.redirect).toBe('manual')
      expect(await request.text()).not.toContain(MARKER)
    }
  })
})

describe('a database URL', () => {
  test.each([
    ['oracle://app:secret@db.example.com/shop', 'No driver can open this database URL.'],
    ['app:secret@db.example.com', 'No driver can open this database URL.'],
    ['secret', 'The database URL is not a URL'],
    ['postgres://app:sec#ret@x.neon.tech:port/shop', 'The database URL is not a URL'],
    ['neon://x.neon.tech/secret', 'A Neon URL needs a user and a database'],
    ['neon://app:secret@x.neon.tech', 'A Neon URL needs a user and a database'],
  ])('that is invalid is not repeated in the error: %s', async (url, sentence) => {
    const error = await failure(() => locate(url, { fetch, bindings: {} }).open())
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(sentence) })
    expect(error.message).not.toContain('secret')
  })
})

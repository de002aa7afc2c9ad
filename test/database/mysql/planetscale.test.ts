import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import mysql2 from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTable, Sessions } from '../../../src/database/index.ts'
import { planetscale } from '../../../src/database/mysql/planetscale/planetscale.ts'
import { inlineParams, literal } from '../../../src/database/mysql/quote.ts'
import type { Cell, Param, QueryContext } from '../../../src/database/rows.ts'
import { startHttp } from '../../servers/http.ts'
import { type PlanetScaleServer, startPlanetScale } from '../../servers/planetscale.ts'
import { attacks, exhausting } from '../../support/attacks.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 100_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

describe('a parameter written into a statement', () => {
  test.each<[Param, string]>([
    [null, 'null'],
    [true, 'true'],
    [false, 'false'],
    [-1.5, '-1.5'],
    [1e21, '1e+21'],
    ['', "''"],
    ["O'Neil", "'O\\'Neil'"],
    ['a\\', "'a\\\\'"],
    ["\\' or 1=1 -- ", "'\\\\\\' or 1=1 -- '"],
    ['"\n\r\u001a\0', "'\\\"\\n\\r\\Z\\0'"],
    ['?', "'?'"],
    ['😕', "'😕'"],
  ])('with the value %j becomes %s', (value, text) => {
    expect(literal(value)).toBe(text)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('cannot have the value %j', (value) => {
    expect(() => literal(value)).toThrow('not a valid MySQL number')
  })

  test.each<[string, Param[], string]>([
    ['select ?', [1], 'select  1 '],
    ['select \'?\', `?`, "?", ? -- ?', ['?'], "select '?', `?`, \"?\",  '?'  -- ?"],
    ["select 'it\\'s ?', ? # ?\n, ?", [1, 2], "select 'it\\'s ?',  1  # ?\n,  2 "],
    ['select /* ? */ ?-?', [-1, -1], 'select /* ? */  -1 - -1 '],
    ['select 1', [], 'select 1'],
  ])('replaces the placeholder in %s', (sql, params, text) => {
    expect(inlineParams({ sql, params })).toBe(text)
  })

  test.each<[string, Param[]]>([
    ['select ?', []],
    ['select 1', [1]],
    ["select '?'", [1]],
  ])('must match a placeholder, unlike in %s with %j', (sql, params) => {
    expect(() => inlineParams({ sql, params })).toThrow('a value for each placeholder')
  })
})

const setup = (reader: string) => `
  create table users (id integer, email varchar(80));
  insert into users select seq, concat('user', seq) from seq_1_to_50;
  create table orders (id integer primary key, user_id integer);
  create table held (a bigint unsigned, b decimal(20,2), c datetime(6), d tinyint(1), e json,
    f varbinary(9), g bit(9), h enum('x'), i double, j date, k time(3), l point, m text, n float);
  set sql_mode = '';
  insert into held values (18446744073709551615, 1.50, '2024-01-02 03:04:05.000100', 1, '[1]',
    x'00ff', b'1', 'x', 0.1, '0000-00-00', '-01:00:00.5', point(1, 2), 'é😕', 0.5);
  insert into held (m) values ('');
  create function counted() returns integer reads sql data
  begin
    declare n, id integer default 0;
    declare done boolean default false;
    declare c cursor for select u.id from users u;
    declare continue handler for not found set done = true;
    open c;
    fetch c into id;
    while not done do set n = n + 1; fetch c into id; end while;
    return n;
  end;
  grant execute on function counted to ${reader}@'%';
`

await describeMariaDb('MySQL over the PlanetScale HTTP protocol', setup, (mariadb) => {
  let server: PlanetScaleServer
  beforeAll(async () => {
    server = await startPlanetScale(mariadb)
  })
  afterAll(() => server.close())
  const query = (sql: string, more: Partial<QueryContext> = {}, params: Param[] = []) =>
    open(server.url(mariadb.reader), io).query({ sql, params }, { ...limits, ...more })

  test('runs a statement in a read-only transaction and rolls it back', async () => {
    const before = server.queries.length
    await query('select id from users; -- all')
    expect(server.queries.slice(before)).toEqual([
      'set session transaction read only',
      'set query_timeout = 10000',
      'select @@sql_mode',
      'start transaction read only',
      'select id from users\nlimit 11',
      'rollback',
    ])
    await failure(query('select nope'))
    expect(server.queries.at(-1)).toBe('rollback')
  })

  test('uses one session until the first statement from the caller', async () => {
    const database = open(server.url(mariadb.reader), io)
    const sessions = new Sessions()
    const ask = (n: number, internal = false) =>
      database.query({ sql: `select ${n} limit 1`, internal }, { ...limits, sessions })
    const before = server.queries.length
    await Promise.all([ask(1, true), ask(2, true)])
    await ask(3)
    await ask(4)
    await sessions.end()
    const begun = ['set session transaction read only', 'set query_timeout = 10000']
    const checked = [...begun, 'select @@sql_mode', 'start transaction read only']
    expect(server.queries.slice(before)).toEqual([
      ...checked,
      ...['select 1 limit 1', 'select 2 limit 1', 'select 3 limit 1', 'rollback'],
      ...checked,
      ...['select 4 limit 1', 'rollback'],
    ])
  })

  test('rolls back in the background after the answer', async () => {
    const background: Promise<unknown>[] = []
    const held = Promise.withResolvers<void>()
    const late: typeof fetch = async (url, init) => {
      if (String(init?.body).includes('"rollback"')) await held.promise
      return fetch(url, init)
    }
    const waitUntil = (work: Promise<unknown>) => void background.push(work)
    const database = open(server.url(mariadb.reader), { fetch: late, bindings: {}, waitUntil })
    const sessions = new Sessions()
    expect((await database.query({ sql: 'select 1' }, limits)).rows).toEqual([[1]])
    await database.query({ sql: 'select 2', internal: true }, { ...limits, sessions })
    await sessions.end()
    const before = server.queries.length
    held.resolve()
    await Promise.all(background)
    expect(server.queries.slice(before)).toEqual(['rollback', 'rollback'])
  })

  test.each([
    ['select id from users', 10, 'rows'],
    ['select id from users limit 50', 10, 'rows'],
    ['select id from users limit 10', 10, false],
    ['select id from users where false', 0, false],
  ])('answers %s with %i rows, truncated: %s', async (sql, count, truncated) => {
    const answer = await query(sql)
    expect(answer.rows).toHaveLength(count)
    expect(answer).toMatchObject({ truncated, columns: [{ name: 'id', type: 'int' }] })
  })

  test('limits the rows of the statement, not of its subqueries and functions', async () => {
    const before = server.queries.length
    const sql = `select count(*), (select count(*) from users), counted() from (select id from users) u`
    expect((await query(sql)).rows).toEqual([[50, 50, 50]])
    // Vitess would apply it to every subquery.
    expect(server.queries.slice(before).join()).not.toContain('sql_select_limit')
  })

  test('returns exact values', async () => {
    const { rows, columns } = await query('select * from held')
    const first: Cell[] = [
      ...['18446744073709551615', '1.50', '2024-01-02 03:04:05.000100', true, '[1]', '0x00ff'],
      ...['0x0001', 'x', 0.1, '0000-00-00', '-01:00:00.500'],
      ...['0x000000000101000000000000000000f03f0000000000000040', 'é😕', 0.5],
    ]
    expect(rows).toEqual([first, first.map((_, i) => (i === 12 ? '' : null))])
    expect(columns.map(({ type }) => type)).toEqual([
      ...['bigint unsigned', 'decimal(20,2)', 'datetime(6)', 'tinyint(1)', 'text', 'varbinary'],
      ...['bit', 'enum', 'double', 'date', 'time(3)', 'geometry', 'text', 'float'],
    ])
  })

  test('returns every value as it was sent', async () => {
    const values = [
      ...["O'Neil", 'a\\', "\\'; drop table users; -- ", '"', '\u001a\t\r\n', '%_?', '😕', ''],
      ...[null, 1.5, -7, '9007199254740993'],
    ]
    const { rows } = await query(`select ${values.map(() => '?').join(', ')}`, {}, values)
    expect(rows).toEqual([values.map((it) => (it === 1.5 ? '1.5' : it))])
  })

  test('quotes random text as the server reads it', async () => {
    const client = await mysql2.createConnection({
      ...{ host: mariadb.host, port: mariadb.port, user: mariadb.reader, charset: 'utf8mb4' },
    })
    const random = generator(20261121)
    const letters = [
      "'",
      '\\',
      '"',
      '`',
      '\n',
      '\r',
      '\u001a',
      '-- ',
      '/*',
      '*/',
      ';',
      'é',
      '😕',
      '%',
      'a',
      '?',
    ]
    for (let i = 0; i < 500; i++) {
      const length = Math.floor(random() * 9)
      const text = Array.from(
        { length },
        () => letters[Math.floor(random() * letters.length)],
      ).join('')
      const [rows] = await client.query({ sql: `select ${literal(text)}`, rowsAsArray: true })
      expect(rows, JSON.stringify(text)).toEqual([[text]])
    }
    await client.end()
  })

  test('describes a table', async () => {
    const table = await findTable(open(server.url(mariadb.reader), io), 'orders', limits)
    expect(table).toMatchObject({ name: 'orders', primaryKey: ['id'] })
  })

  test.each([
    ['select nope from users', 'sql', '1054'],
    ['select id frm users u', 'sql', '1064'],
    ['select * from performance_schema.hosts', 'refused', '1142'],
  ])('explains the error in %s without the user and Vitess details', async (sql, kind, code) => {
    const error = await failure(query(sql))
    expect(error).toMatchObject({ kind, code })
    expect(error.message).not.toMatch(/target|vttablet|CallerID|Sql:|tidegate_\w+_reader/)
  })

  test('does not report a database in the statement as a configuration error', async () => {
    const url = `${server.url(mariadb.reader)}`
    const error = await failure(open(url, io).query({ sql: 'show tables from nowhere' }, limits))
    expect(error).toMatchObject({ kind: expect.stringMatching(/^(?:sql|refused)$/) })
    expect(error.message).toContain('nowhere')
  })

  test('reports a wrong password as an auth error', async () => {
    const url = server.url(mariadb.reader).replace('@', `:${MARKER}@`)
    const error = await failure(open(url, io).query({ sql: 'select 1' }, limits))
    expect(error).toMatchObject({ kind: 'auth', code: '1045' })
  })

  const endless = 'select count(*) from users a, users b, users c, users d, users e, users f'
  const running = async () => {
    const sql = 'select id from information_schema.processlist where user = ? and info like ?'
    return (await mariadb.admin(sql, [mariadb.reader, 'select count%'])).length
  }

  test('stops a query at the time limit and when the caller aborts', async () => {
    expect(await failure(query(endless, { timeoutMs: 300 }))).toMatchObject({ kind: 'timeout' })
    await expect.poll(running).toBe(0)
    const caller = new AbortController()
    const work = failure(query(endless, { signal: caller.signal }))
    await expect.poll(running).toBe(1)
    caller.abort()
    expect(await work).toMatchObject({
      message: 'The query was cancelled by the client.',
    })
    await expect.poll(running).toBe(0)
  })

  test('has the server stop a query if the abort does not arrive', async () => {
    const deaf: typeof fetch = (url, { signal, ...init } = {}) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
        fetch(url, init).then(resolve, reject)
      })
    const database = open(server.url(mariadb.reader), { fetch: deaf, bindings: {} })
    const query = database.query({ sql: endless }, { ...limits, timeoutMs: 1_000 })
    await expect.poll(running).toBe(1)
    expect(await failure(query)).toMatchObject({ kind: 'timeout' })
    await expect.poll(running, { timeout: 2_000 }).toBe(0)
  })

  test('does not send refused statements, and cannot write without the guard', async () => {
    const before = server.queries.length
    const corpus = attacks('mysql').filter(
      (it) => it.expect === 'rejected' && !exhausting.has(it.name),
    )
    for (const { sql } of corpus)
      expect(await failure(query(sql))).toMatchObject({ kind: 'refused' })
    expect(server.queries.length).toBe(before)

    const unguarded = planetscale.open(new URL(server.url(mariadb.owner)), io)
    for (const sql of ['delete from users', 'drop table users', 'create table made (id integer)']) {
      expect(await failure(unguarded.query({ sql }, limits))).toMatchObject({ code: '1792' })
    }
    expect(await mariadb.admin('select count(*) as n from users')).toEqual([{ n: '50' }])
  })
})

describe('the PlanetScale driver with a failing service', () => {
  const ask = async (listener: RequestListener, more: Partial<QueryContext> = {}) => {
    const port = await startHttp(listener)
    const database = open(`planetscale://app:${MARKER}@127.0.0.1:${port}/shop`, io)
    return failure(database.query({ sql: 'select 1' }, { ...limits, ...more }))
  }
  const error = (code: string, message = MARKER) => JSON.stringify({ error: { code, message } })

  test.each([
    ['a wrong password', 401, error('UNAUTHENTICATED'), 'auth'],
    ['a missing privilege', 200, error('PERMISSION_DENIED'), 'auth'],
    ['an error without an error number', 200, error('UNKNOWN'), 'network'],
    ['an exceeded deadline', 200, error('DEADLINE_EXCEEDED'), 'timeout'],
    ['an answer that is too large', 200, error('RESOURCE_EXHAUSTED'), 'too_large'],
    ['an unsupported statement', 200, error('UNIMPLEMENTED'), 'sql'],
    ['a proxy page', 502, `<html>${MARKER}</html>`, 'network'],
    ['a success without an answer', 200, 'null', 'network'],
    ['a success without a session', 200, '{"result":{}}', 'network'],
    ['a redirect', 302, '', 'network'],
  ])('classifies %s', async (_, status, body, kind) => {
    const found = await ask((_request, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end(body)
    })
    expect(found.kind).toBe(kind)
    expect(found.message).toMatch(/^[A-Z].*\.$/)
  })

  test.each([
    [1049, 'config'],
    [1044, 'auth'],
    [1317, 'timeout'],
    [10001, 'too_large'],
  ])('classifies error number %i as %s', async (errno, kind) => {
    const message = `target: shop: ${MARKER} desc = It said no (errno ${errno}) (sqlstate HY000)`
    const found = await ask((_request, response) => {
      response.end(error('UNKNOWN', message))
    })
    expect(found).toMatchObject({ kind, code: String(errno) })
  })

  test('times out when the service is silent', async () => {
    expect((await ask(() => {}, { timeoutMs: 50 })).kind).toBe('timeout')
  })

  test('reports an answer that breaks off', async () => {
    const found = await ask((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"session":')
      setTimeout(() => response.destroy(), 50)
    })
    expect(found.kind).toBe('network')
  })

  test('rejects the SQL mode ANSI_QUOTES', async () => {
    const values = btoa('ANSI_QUOTES')
    const found = await ask((_request, response) => {
      const result = { rows: [{ lengths: ['11'], values }] }
      response.end(JSON.stringify({ session: {}, result }))
    })
    expect(found.kind).toBe('config')
  })

  test('accepts a plain MySQL server, which has no query_timeout', async () => {
    const asked: string[] = []
    const found = await ask(async (request, response) => {
      const { query } = JSON.parse(await text(request))
      asked.push(query)
      const message = `No. (errno ${/timeout/.test(query) ? 1193 : 1146}) (sqlstate 42S02)`
      const error = { code: 'UNKNOWN', message }
      const fails = /timeout|^select 1/.test(query)
      response.end(JSON.stringify(fails ? { error } : { session: {}, result: {} }))
    })
    expect(found).toMatchObject({ kind: 'sql', code: '1146' })
    expect(asked.slice(1)).toEqual([
      'set query_timeout = 10000',
      'select @@sql_mode',
      'start transaction read only',
      'select 1\nlimit 11',
      'select 1',
      'rollback',
    ])
  })

  test('runs no statement if the transaction does not begin', async () => {
    const asked: string[] = []
    const port = await startHttp(async (request, response) => {
      const { query } = JSON.parse(await text(request))
      asked.push(query)
      const error = { code: 'UNKNOWN', message: 'No. (errno 1568) (sqlstate 25001)' }
      response.end(JSON.stringify(/^start/.test(query) ? { error } : { session: {}, result: {} }))
    })
    const database = open(`planetscale://app:x@127.0.0.1:${port}/shop`, io)
    const own = { ...limits, sessions: new Sessions() }
    const all = [true, true, false, true].map((internal) =>
      failure(database.query({ sql: 'select 1', internal }, own)),
    )
    for (const error of await Promise.all(all)) expect(error.code).toBe('1568')
    await own.sessions.end()
    expect(asked).not.toContain('select 1\nlimit 11')
    expect(asked).toContain('start transaction read only')
  })

  test('sends the password only in a header', async () => {
    const seen: Request[] = []
    const fake = {
      bindings: {},
      fetch: async (url: RequestInfo, init?: RequestInit) => {
        seen.push(new Request(url, init))
        return Response.json({ session: {}, result: {} })
      },
    }
    for (const url of [
      `mysql://app:p%40${MARKER}é@aws.connect.psdb.cloud/shop?sslaccept=strict`,
      `mysql://app:${MARKER}@AWS.connect.psdb.cloud:3306/shop`,
      `planetscale://app:${MARKER}@gate.example.com/shop`,
    ]) {
      await open(url, fake as never).query({ sql: 'select 1' }, limits)
    }
    expect(new Set(seen.map(({ url }) => url))).toEqual(
      new Set([
        'https://aws.connect.psdb.cloud/psdb.v1alpha1.Database/Execute',
        'https://gate.example.com/psdb.v1alpha1.Database/Execute',
      ]),
    )
    const [, basic] = /^Basic (.*)$/.exec(seen[0]!.headers.get('authorization')!)!
    expect(Buffer.from(basic!, 'base64').toString()).toBe(`app:p@${MARKER}é`)
    for (const request of seen) {
      expect(request.redirect).toBe('manual')
      expect(await request.text()).not.toContain(MARKER)
    }
  })
})

/** Numbers from 0 to 1 (xorshift32). */
function generator(seed: number) {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

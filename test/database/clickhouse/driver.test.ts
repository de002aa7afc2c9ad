import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { QueryContext } from '../../../src/database/rows.ts'
import { startHttp } from '../../servers/http.ts'
import { describeClickHouse, PASSWORD } from '../../support/clickhouse.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { open } from '../../support/open.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

const setup = [
  'create table users (id UInt32, email String) engine = MergeTree order by id',
  "insert into users select number, concat('user', toString(number)) from numbers(100000)",
]

await describeClickHouse('the ClickHouse driver', setup, (server) => {
  const io = { fetch, bindings: {} }
  const database = open(server.url('reader'), io)
  const query = (sql: string, more: Partial<QueryContext> = {}) =>
    database.query({ sql }, { ...limits, ...more })
  /** The number of running queries, other than this one. */
  const running = async () => Number(await server.admin('select count() - 1 from system.processes'))

  test.each([
    ['select id from users order by id limit 10', 10, false],
    ['select id from users order by id limit 11', 10, 'rows'],
    ['select id from users order by email', 10, 'rows'],
    ['select id from users where id < 0; -- none', 0, false],
    ['select number from system.numbers', 10, 'rows'],
    ['show tables', 1, false],
    ['describe table users', 2, false],
    ['exists table users', 1, false],
  ])('answers %s with %i rows, truncated: %s', async (sql, count, truncated) => {
    const answer = await query(sql)
    expect(answer.rows).toHaveLength(count)
    expect(answer.truncated).toBe(truncated)
  })

  test('omits whole rows beyond the byte limit', async () => {
    const text = `concat(toString(number), '${'é'.repeat(99)}')`
    const sql = `select ${text} from system.numbers limit 10`
    const row = 1 + 2 * 99 + 4
    const answer = await query(sql, { maxBytes: 3 * (row + 1) })
    expect(answer.truncated).toBe('bytes')
    expect(answer.rows).toHaveLength(3)
    expect(await query(sql, { maxBytes: 10 * (row + 1) })).toMatchObject({ truncated: false })
    expect((await query(sql, { maxBytes: 10 * (row + 1) - 1 })).rows).toHaveLength(9)
  })

  test('counts the bytes of decoded rows, not of their TSV form', async () => {
    const quotes = `concat(toString(number), '${"''".repeat(5_000)}')`
    const answer = await query(`select ${quotes} from system.numbers limit 2`)
    expect(answer).toMatchObject({ truncated: 'bytes', rows: [[`0${"'".repeat(5_000)}`]] })
  })

  test('reports a single row beyond the byte limit', async () => {
    const error = await failure(query('select range(10000)'))
    expect(error).toMatchObject({
      kind: 'too_large',
      hint: expect.stringContaining('shorter pieces'),
    })
  })

  test.each([
    ['select nope from users', '47', 'sql', undefined],
    ['select id from nowhere', '60', 'sql', undefined],
    ['select id from nowhere.users', '81', 'sql', undefined],
    ["select toUInt8('x')", '6', 'sql', undefined],
    ['select sum(throwIf(id = 50000)) from users', '395', 'sql', undefined],
    ['select frobnicate(1)', '46', 'sql', undefined],
    ['select id frm users u', '62', 'sql', 15],
    ["select 'é🐘' from users where", '62', 'sql', 30],
    ['exists table users users', '62', 'sql', 20],
  ])('explains the error in %s', async (sql, code, kind, position) => {
    const error = await failure(query(sql))
    expect(error).toMatchObject({ code, kind, position })
    expect(error.message).not.toMatch(/DB::|e\.what|e\.displayText|version|Stack|Expected one of/)
    expect(error.message.length).toBeGreaterThan(10)
  })

  test.each(['select ?', 'select :p', 'select {p:String}', 'select 1 where 1 = %s', 'select @p'])(
    'explains parameters when a placeholder has no value: %s',
    async (sql) => {
      expect(await failure(query(sql))).toMatchObject({
        kind: 'sql',
        hint: 'Write $1 for the first value and $2 for the next, and send the values in params.',
      })
    },
  )

  test('passes on an error from a server library', async () => {
    expect(await failure(query("select toTimeZone(now(), 'nowhere')"))).toMatchObject({
      kind: 'sql',
      code: server.isCurrent ? '36' : '1000',
      message: expect.stringContaining('Cannot load time zone nowhere'),
    })
  })

  test('passes on the reason when a query is below the minimum speed', async () => {
    const slow = server.url('slow')
    const sql = 'select count() from system.numbers where number % 7 = 1'
    const error = await failure(open(slow, io).query({ sql }, limits))
    expect(error).toMatchObject({ kind: 'timeout', code: '160', hint: expect.any(String) })
    expect(error.message).toMatch(/^Query is executing too slow: .*minimum: /)
  })

  test('reports no position in a statement with bound parameters', async () => {
    const work = database.query({ sql: 'select {p1} frm users u', params: ['a'] }, limits)
    expect(await failure(work)).toMatchObject({ position: undefined })
  })

  test('cannot do more than read, even without the guard', async () => {
    const { clickhouse } = await import('../../../src/database/clickhouse/driver.ts')
    const unguarded = clickhouse.open(new URL(server.url('reader')), io)
    for (const [sql, code] of [
      ['drop table users', '164'],
      ["insert into users values (1, 'x')", '164'],
      ['select 1 settings max_execution_time = 0', '164'],
      ["select * from url('http://127.0.0.1:1/', 'TSV', 'a String')", '164'],
      ['select 1; drop table users', '62'],
    ]) {
      const kind = code === '62' ? 'sql' : 'refused'
      expect(await failure(unguarded.query({ sql: sql! }, limits))).toMatchObject({ kind, code })
    }
  })

  test.each([
    ['a wrong password', 'reader:wrong-hunter2-marker@'],
    ['no password', 'reader@'],
    ['an unknown user', 'hunter2-marker:hunter2-marker@'],
  ])('reports %s as an auth error without the user name', async (_, login) => {
    const url = server.url().replace('default@', login)
    const error = await failure(open(url, io).query({ sql: 'select 1' }, limits))
    expect(error).toMatchObject({ kind: 'auth', code: expect.stringMatching(/^(?:19[234]|516)$/) })
    expect(error.message).not.toContain('reader')
  })

  test('reports an unknown database as a configuration error', async () => {
    const url = server.url('default', 'nowhere')
    const error = await failure(open(url, io).query({ sql: 'select 1' }, limits))
    expect(error).toMatchObject({ kind: 'config', code: '81' })
  })

  // In a current version these are grants, which the npm build does not have.
  test.skipIf(server.isCurrent)('reports a table that the user may not read', async () => {
    const narrow = open(server.url('narrow'), io)
    expect((await narrow.query({ sql: 'select 1 from users' }, limits)).rows).toHaveLength(10)
    const error = await failure(narrow.query({ sql: 'select 1 from default.users' }, limits))
    expect(error).toMatchObject({ kind: 'refused', code: '291' })
  })

  test('applies the limits for a user with a read-only profile', async () => {
    const fixed = open(server.url('fixed'), io)
    const numbers = await fixed.query({ sql: 'select number from system.numbers' }, limits)
    expect(numbers).toMatchObject({ truncated: 'rows' })
    const late = 'select throwIf(number = 70000) from system.numbers limit 100000'
    expect(
      await failure(fixed.query({ sql: late }, { ...limits, maxRows: 90_000, maxBytes: 1e7 })),
    ).toMatchObject({ kind: 'sql', code: '395' })
    expect(
      await failure(fixed.query({ sql: 'select count() from system.numbers' }, short)),
    ).toMatchObject({ kind: 'timeout' })
    await expect.poll(running, { timeout: 5_000 }).toBe(0)
  })

  test('rejects a user with readonly = 2', async () => {
    const halfway = open(server.url('halfway'), io)
    expect(await failure(halfway.query({ sql: 'select 1' }, limits))).toMatchObject({
      kind: 'config',
      message: expect.stringContaining('readonly = 2'),
    })
  })

  const endless = 'select count() from system.numbers'
  const short = { ...limits, timeoutMs: 300 }

  test('stops a query in the database at the time limit', async () => {
    const error = await failure(query(endless, short))
    expect(error).toMatchObject({
      kind: 'timeout',
      message: 'The query was stopped after 0.3 seconds.',
    })
    await expect.poll(running, { timeout: 5_000 }).toBe(0)
  })

  test('leaves no query running when KILL QUERY does not arrive', async () => {
    // This client drops every KILL statement and abort signal.
    const io = {
      bindings: {},
      fetch: (url: RequestInfo, { signal, ...init }: RequestInit = {}) =>
        String(init.body).startsWith('KILL') ? Promise.reject() : fetch(url, init),
    }
    const deaf = open(server.url('reader'), io as never)
    const error = await failure(deaf.query({ sql: endless }, { ...limits, timeoutMs: 1_000 }))
    expect(error).toMatchObject({ kind: 'timeout' })
    await expect.poll(running, { timeout: 10_000 }).toBe(0)
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

  test('sends one request, with only the settings that the user may change', async () => {
    const seen: string[] = []
    const watched = {
      bindings: {},
      fetch: (url: RequestInfo, init?: RequestInit) => {
        seen.push(String(url))
        return fetch(url, init)
      },
    }
    await open(server.url('reader'), watched as never).query({ sql: 'select 1' }, limits)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toContain('readonly=1&max_execution_time=10&timeout_overflow_mode=throw')
    expect(seen[0]!.includes('cancel_http')).toBe(server.isCurrent)
    expect(seen[0]).not.toContain(encodeURIComponent(PASSWORD))
    await open(server.url('fixed'), watched as never).query({ sql: 'select 1' }, limits)
    expect(seen.at(-1)).toContain('readonly=1')
    expect(seen.at(-1)).not.toContain('max_execution_time')
  })
})

describe('the ClickHouse driver with a failing server', () => {
  /** The failure of a query to a server with this listener. */
  const ask = async (listener: RequestListener, more: Partial<QueryContext> = {}) => {
    const port = await startHttp(listener)
    const database = open(`clickhouse://app:${MARKER}@127.0.0.1:${port}/shop`, {
      fetch,
      bindings: {},
    })
    return failure(database.query({ sql: 'select 1' }, { ...limits, ...more }))
  }

  const report = (code: number, message: string) =>
    `Code: ${code}. DB::Exception: ${message}. (NAME) (version 26.7.2.5 (official build))\n`
  const table = 'id\ttext\nUInt8\tString\n1\ta\n'

  test.each([
    ['a wrong password', 403, report(516, `app: no ${MARKER}`), 'auth', '516'],
    ['a login page', 401, `<html>${MARKER}</html>`, 'auth', undefined],
    ['a 403 from a proxy', 403, MARKER, 'auth', undefined],
    ['an unknown database', 404, report(81, 'Database shop does not exist'), 'config', '81'],
    ['another unknown database', 404, report(81, 'Database shopping does not exist'), 'sql', '81'],
    ['an unknown table', 404, report(60, 'Unknown table nope'), 'sql', '60'],
    ['an unknown page', 404, MARKER, 'network', undefined],
    ['too many queries', 500, report(202, `no ${MARKER}`), 'network', '202'],
    ['a server it cannot reach', 500, report(279, `no ${MARKER}`), 'network', '279'],
    [
      'a slow query',
      500,
      report(160, 'Estimated query execution time is too long'),
      'timeout',
      '160',
    ],
    [
      'an internal error',
      500,
      'std::exception. Code: 1001, type: std::out_of_range, e.what() = vector (version 26.7.2.5 (official build))',
      'sql',
      '1001',
    ],
    [
      'an internal error in an old version',
      500,
      'std::exception. Code: 1001, e.what() = vector::_M_range_check\n',
      'sql',
      '1001',
    ],
    [
      'a library error',
      500,
      'Poco::Exception. Code: 1000, e.code() = 0, Cannot load it (version 26.7.2.5 (official build))',
      'sql',
      '1000',
    ],
    ['an unbound parameter', 400, report(456, 'Substitution `p` is not set'), 'sql', '456'],
    ['a memory limit', 500, report(241, 'Memory limit exceeded'), 'too_large', '241'],
    ['a time limit', 500, report(159, 'Timeout exceeded'), 'timeout', '159'],
    ['a missing privilege', 500, report(497, 'Not enough privileges'), 'refused', '497'],
    ['a proxy page', 502, `<html>${MARKER}</html>`, 'network', undefined],
    ['a redirect', 302, '', 'network', undefined],
    ['an empty answer', 200, '', 'network', undefined],
    ['names without types', 200, 'id\n', 'network', undefined],
    ['a page with status 200', 200, `<html>\n${MARKER}\n</html>`, 'network', undefined],
    ['a truncated row', 200, `${table}2\tb`, 'network', undefined],
    ['a row without its last cell', 200, `${table}2\n`, 'network', undefined],
    ['an error instead of rows', 200, report(159, 'Timeout exceeded'), 'timeout', '159'],
    ['an error after rows', 200, table + report(241, 'Memory limit'), 'too_large', '241'],
    ['an error after numbers', 200, `a\nUInt8\n1\n${report(60, 'No table')}`, 'sql', '60'],
  ])('classifies %s', async (_, status, body, kind, code) => {
    const error = await ask((_request, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end(body)
    })
    expect(error).toMatchObject({ kind, code })
    expect(error.message).not.toMatch(/version|26\.7|Code:|DB::/)
  })

  test('reports a refused connection', async () => {
    const database = open(`clickhouse://app:${MARKER}@127.0.0.1:9/shop`, { fetch, bindings: {} })
    expect(await failure(database.query({ sql: 'select 1' }, limits))).toMatchObject({
      kind: 'network',
      message: 'The database cannot be reached. Try again later.',
    })
  })

  test.each<[string, RequestListener]>([
    ['before the first byte', () => {}],
    ['in the middle', (_, response) => void response.writeHead(200).write(table)],
  ])('times out when the server goes silent %s', async (_, listener) => {
    expect((await ask(listener, { timeoutMs: 50 })).kind).toBe('timeout')
  })

  test('reports an answer that breaks off', async () => {
    const error = await ask((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write(table)
      setTimeout(() => response.destroy(), 50)
    })
    expect(error.kind).toBe('network')
  })

  test.each([
    ['column names', ''],
    ['column types', 'a\n'],
    ['one cell', 'a\nString\n'],
  ])('stops reading an endless answer: %s', async (_, head) => {
    let sent = 0
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const error = await ask((_request, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      response.writeHead(200).write(head)
      more()
    })
    expect(error.kind).toBe(head.includes('String') ? 'too_large' : 'network')
    expect(sent).toBeLessThan(50 * 1024 * 1024)
  })

  test('sends each query to the right port, with the password only in a header', async () => {
    const seen: Request[] = []
    const io = {
      bindings: {},
      fetch: async (url: RequestInfo, init?: RequestInit) => {
        seen.push(new Request(url, init))
        return new Response('a\nUInt8\n1\n')
      },
    }
    const urls = [
      `clickhouse://app:p%40${MARKER}@db.example.com/shop`,
      `clickhouses://app:p%40${MARKER}@db.example.com/shop`,
      `clickhouses://app:${MARKER}@db.example.com:443/a%2Fb`,
      `clickhouse://[::1]`,
    ]
    for (const url of urls) await open(url, io as never).query({ sql: 'select 1' }, limits)
    expect(seen.map(({ url }) => new URL(url).origin)).toEqual([
      'http://db.example.com:8123',
      'https://db.example.com:8443',
      'https://db.example.com',
      'http://[::1]:8123',
    ])
    expect(new URL(seen[2]!.url).searchParams.get('database')).toBe('a/b')
    expect(seen[0]!.headers.get('authorization')).toBe(`Basic ${btoa(`app:p@${MARKER}`)}`)
    expect(seen[3]!.headers.get('authorization')).toBe(`Basic ${btoa('default:')}`)
    for (const request of seen) {
      expect(Object.fromEntries(new URL(request.url).searchParams)).toMatchObject({
        readonly: '1',
        max_execution_time: '10',
        max_result_rows: '11',
        result_overflow_mode: 'break',
        wait_end_of_query: '1',
        cancel_http_readonly_queries_on_client_close: '1',
      })
      expect(request.url).not.toContain('max_block_size')
      expect(request.method).toBe('POST')
      expect(request.redirect).toBe('manual')
      expect(await request.text()).toBe('select 1')
      expect(request.url).not.toContain(MARKER)
    }
  })

  test.each([
    ['clickhouse:secret', 'A ClickHouse URL has a host and a database'],
    ['clickhouse://app:secret@db.example.com/shop/users', 'A ClickHouse URL has a host'],
    ['clickhouse://app:sec%ret@db.example.com/shop', 'percent-encoding'],
  ])('rejects the invalid URL %s', async (url, sentence) => {
    const error = await failure(() => open(url, { fetch, bindings: {} }))
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(sentence) })
    expect(error.message).not.toContain('secret')
  })
})

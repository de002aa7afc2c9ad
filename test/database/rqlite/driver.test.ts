import type { RequestListener } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import type { Param, QueryContext } from '../../../src/database/rows.ts'
import { rqlite } from '../../../src/database/rqlite/driver.ts'
import { startHttp } from '../../servers/http.ts'
import { startRqlite } from '../../servers/rqlite.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { open } from '../../support/open.ts'
import { outlivesCosts, withstandsAttacks } from '../../support/sqlite-attacks.ts'
import { shop, speaksSqlite } from '../../support/sqlite-shop.ts'
import { callTool, startWorker } from '../../support/worker.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

function* more(): Generator<string> {
  yield* shop()
  yield `create table odd (day date, at datetime, stamp timestamp, yes boolean, code char(3),
    bytes text, words blob)`
  yield "insert into odd values ('2024-02-29', 'tomorrow', 7, 5, 'abc', x'ff00', 'a text')"
}

const server = await startRqlite(more())
afterAll(() => server.close())
const urlOf = (port: number, login = `reader:${TOKEN}`) => `rqlite://${login}@127.0.0.1:${port}`
const url = urlOf(server.port)

describe('rqlite', () => {
  const database = open(url, io)
  const unguarded = rqlite.open(new URL(url), io)
  const query = (sql: string, params: readonly Param[] = [], more: Partial<QueryContext> = {}) =>
    database.query({ sql, params }, { ...limits, ...more })

  describe('with the data of the shop', async () => {
    const shopOnly = await startRqlite(shop())
    afterAll(() => shopOnly.close())
    speaksSqlite(open(urlOf(shopOnly.port), io), { places: false })
  })

  test('runs a query only after EXPLAIN shows that it cannot write', async () => {
    const before = server.requests.length
    await query('select id from users where id = ?; -- x', [7])
    const [probe, program, run, ...others] = server.requests.slice(before)
    expect(others).toEqual([])
    expect(probe.body).toEqual([
      [
        expect.stringMatching(
          /^explain select '[-\da-f]{36}' from \(select id from users where id = \?\n\)$/,
        ),
        7,
      ],
    ])
    expect(program.body).toEqual([['explain select id from users where id = ?', 7]])
    expect(run.body).toEqual([
      ['select id from users where id = ?\nlimit iif(?1 is null, 0, 0)', 7],
      [expect.stringContaining('select * from (select id from users where id = ?\n) limit 11'), 7],
    ])
    expect(new URL(run.path, 'http://x').searchParams.toString()).toBe(
      'level=weak&db_timeout=10000ms&timeout=10000ms&linearizable_timeout=10000ms&noparse=&norwrandom=&norwtime=',
    )
  })

  test.each([
    'select 1; delete from users',
    'select 1); delete from users; select * from (select 1',
    // Its answer would look like the program of a query.
    `select 1); delete from users; select * from (select 0 as addr, 'Init' as opcode, 0 as p1,
      0 as p2, 0 as p3, null as p4, 0 as p5, null as comment`,
    'select 1) union select 2 -- ',
    'delete from users returning id',
    'delete from users',
    'vacuum',
    'reindex',
    'pragma user_version = 7',
    "attach '/tmp/sl_x' as x",
    'explain delete from users',
    '',
  ])('runs only a single query, even without the guard: %s', async (sql) => {
    const [before, asked] = [server.snapshot(), server.requests.length]
    expect((await failure(unguarded.query({ sql }, limits))).kind).toMatch(/^(?:refused|sql)$/)
    expect(server.requests.length - asked).toBeLessThanOrEqual(2)
    expect(server.requests.slice(asked).every(({ body }) => /^explain/.test(body[0][0]))).toBe(true)
    expect(server.snapshot()).toBe(before)
  })

  test.each([
    'select 1); delete from users; select * from (select 1',
    `select 1); select * from (select 0 as addr, 'Init' as opcode, 0 as p1, 0 as p2`,
  ])('detects several statements from the first answer: %s', async (sql) => {
    const asked = server.requests.length
    expect(await failure(unguarded.query({ sql }, limits))).toMatchObject({
      kind: 'refused',
      message: 'Send one statement at a time, with no semicolon inside.',
    })
    expect(server.requests.length - asked).toBe(1)
  })

  test('is not confused by a table named like a statement', async () => {
    const refused = { kind: 'refused', message: expect.stringContaining('would write') }
    expect(await failure(unguarded.query({ sql: 'reindex' }, limits))).toMatchObject(refused)
    expect((await query('select * from reindex')).rows).toEqual([])
  })

  test('returns as many columns as SQLite allows', async () => {
    const numbers = Array.from({ length: 2000 }, (_, i) => i)
    expect((await query(`select ${numbers}`, [], { maxBytes: 100_000 })).rows).toEqual([numbers])
  })

  test('returns column names and declared types', async () => {
    const { columns } = await query('select price, ean, true, 1.0, id, id from products limit 1')
    expect(columns).toEqual([
      { name: 'price', type: 'decimal(12,2)' },
      { name: 'ean', type: 'integer' },
      { name: 'true', type: 'integer' },
      // In JSON, a whole real number looks like an integer.
      { name: '1.0', type: 'integer' },
      { name: 'id', type: 'integer' },
      { name: 'id', type: 'integer' },
    ])
  })

  test('returns the stored values regardless of the declared types', async () => {
    const { columns, rows } = await query('select * from odd')
    expect(rows).toEqual([['2024-02-29', 'tomorrow', 7, 5, 'abc', "x'ff00'", 'a text']])
    expect(columns.map(({ type }) => type)).toEqual([
      ...['date', 'datetime', 'timestamp', 'boolean', 'char(3)', 'text', 'blob'],
    ])
  })

  test.each([
    'select 1 where 0',
    'values (1, 2), (3, 4)',
    'with t(x) as (select 1) select x, x from t',
    'select 1 union select 2',
    'select * from users join reindex',
    'select count(*) from users',
    'select 1 limit 0',
  ])('returns the right number of columns: %s', async (sql) => {
    const { columns, rows } = await query(sql)
    for (const row of rows) expect(row).toHaveLength(columns.length)
    expect(columns.length).toBeGreaterThan(0)
  })

  test('refuses only string parameters that rqlite would read as bytes', async () => {
    for (const text of ["x'00ff'", " X'AB' ", "x''"]) {
      expect(await failure(query('select $1', [text]))).toMatchObject({ kind: 'sql' })
      const { rows } = await query(`select '${text.replaceAll("'", "''")}'`)
      expect(rows).toEqual([[text]])
    }
    for (const text of ["x'0'", "x'zz'", "x'00'x", 'x', '']) {
      expect((await query('select $1', [text])).rows).toEqual([[text]])
    }
  })

  test.each(['select count(*,) from users', 'select (1', 'select 1)', 'select abs() from users'])(
    'explains an error with parentheses: %s',
    async (sql) => {
      const error = await failure(query(sql))
      expect(error.kind).toBe('sql')
      expect(error.message).not.toContain('"]"')
    },
  )

  test('limits the bytes that the node sends', async () => {
    const lengths: number[] = []
    const measured: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      lengths.push((await response.clone().text()).length)
      return response
    }
    const sql = 'select hex(randomblob(50000)) from order_items'
    const answer = await open(url, { bindings: {}, fetch: measured }).query(
      { sql },
      { ...limits, maxRows: 100, maxBytes: 250_000 },
    )
    expect(answer).toMatchObject({ truncated: 'bytes', rows: { length: 2 } })
    expect(Math.max(...lengths)).toBeLessThan(800_000)
  })

  test('stops waiting at the time limit', async () => {
    const endless = await startRqlite(shop())
    const sql = 'select count(*) from order_items a, order_items b, order_items c, order_items d'
    const work = open(urlOf(endless.port), io).query({ sql }, { ...limits, timeoutMs: 300 })
    expect(await failure(work)).toMatchObject({
      kind: 'timeout',
      message: 'The query was stopped after 0.3 seconds.',
    })
    endless.close()
  })

  test('reports a wrong login without details', async () => {
    for (const login of [`reader:${MARKER}`, `${MARKER}:${TOKEN}`]) {
      const wrong = open(urlOf(server.port, login), io)
      expect(await failure(wrong.query({ sql: 'select 1' }, limits))).toMatchObject({
        kind: 'auth',
        message: 'The rqlite server refused the login.',
      })
    }
    const none = open(`rqlite://127.0.0.1:${server.port}`, io)
    expect(await failure(none.query({ sql: 'select 1' }, limits))).toMatchObject({ kind: 'auth' })
  })

  test('supports the role check, with a note about permissions', async () => {
    const found = await inspectRole(database, limits)
    expect(found).toMatchObject({ version: expect.stringMatching(/^SQLite 3\./), findings: [] })
    expect(found.note).toContain('only the permission query')
  })

  test('works in a Worker, and does not show a refused password', async () => {
    const key = { authorization: 'Bearer a-key' }
    const sql = 'select ean, 9e999 as far from products order by id limit 1'
    const worker = await startWorker({ DATABASE_URL: url, TIDEGATE_KEY: 'a-key' })
    const result = await callTool(`${worker.url}/mcp`, 'query', { sql }, key)
    expect(JSON.stringify(result)).toContain('9007199255425787')
    expect(JSON.stringify(result)).toContain('Infinity')
    await worker.close()
    const other = await startWorker({
      DATABASE_URL: url.replace(TOKEN, MARKER),
      TIDEGATE_KEY: 'a-key',
    })
    const refused = await callTool(`${other.url}/mcp`, 'query', { sql }, key)
    expect(JSON.stringify(refused)).toContain('refused the login')
    expect(JSON.stringify(refused)).not.toContain(MARKER)
    await other.close()
  })

  describe('under attack', async () => {
    const victim = await startRqlite(shop())
    afterAll(() => victim.close())
    const at = urlOf(victim.port)
    withstandsAttacks(victim, open(at, io), rqlite.open(new URL(at), io))
  })
  outlivesCosts(
    () => startRqlite(shop()),
    ({ port }) => rqlite.open(new URL(urlOf(port)), io),
  )
})

describe('an rqlite URL', () => {
  const seen: Request[] = []
  const recording = {
    bindings: {},
    fetch: async (url: RequestInfo, init?: RequestInit) => {
      seen.push(new Request(url, init))
      throw new Error(MARKER)
    },
  } as never

  test.each([
    ['rqlite://db.example.com', 'http://db.example.com:4001/db/query?level=weak&'],
    ['rqlites://db.example.com', 'https://db.example.com:4001/db/query?level=weak&'],
    ['rqlites://db.example.com:443/?level=strong', 'https://db.example.com/db/query?level=strong&'],
    ['rqlite://[::1]:8080?level=linearizable', 'http://[::1]:8080/db/query?level=linearizable&'],
    [
      'rqlite://localhost?level=none&freshness=1m30s&freshness_strict',
      'http://localhost:4001/db/query?level=none&freshness=1m30s&freshness_strict=&',
    ],
  ])('specifies a node and a consistency level: %s', async (url, asked) => {
    await failure(open(url, recording).query({ sql: 'select 1' }, limits))
    const request = seen.at(-1)!
    expect(request.url.slice(0, asked.length)).toBe(asked)
    expect(request.redirect).toBe('manual')
    expect(request.headers.get('authorization')).toBe(null)
  })

  test('contains a login that is sent only in a header', async () => {
    const url = `rqlites://us%C3%A9r:${MARKER}%40@db.example.com`
    await failure(open(url, recording).query({ sql: 'select 1' }, limits))
    const request = seen.at(-1)!
    const [, login = ''] = request.headers.get('authorization')!.split(' ')
    expect(Buffer.from(login, 'base64').toString()).toBe(`usér:${MARKER}@`)
    expect(request.url + (await request.text())).not.toContain(MARKER)
  })

  test.each([
    ['?level=eventual', 'one of none, weak, linearizable, strong, auto'],
    ['?level=', 'one of none, weak'],
    ['?freshness=5s', 'requires level=none'],
    ['?level=strong&freshness=5s', 'requires level=none'],
    ['?level=none&freshness=soon', 'must be a duration such as'],
    ['?level=none&freshness_strict', 'also requires freshness'],
    ['?timings', 'and no others'],
    ['/db/query', 'has a host and nothing after it'],
  ])('is refused if it ends with %s', async (end, words) => {
    const outcome = await failure((async () => open(`rqlite://a:${MARKER}@h${end}`, io))())
    expect(outcome).toMatchObject({ kind: 'config', message: expect.stringContaining(words) })
  })
})

/** Opens a database on a node with this listener. */
async function serve(listener: RequestListener): Promise<Database> {
  const port = await startHttp(listener)
  return open(urlOf(port, `reader:${MARKER}`), io)
}

describe('the rqlite driver with a failing node', () => {
  const ask = async (listener: RequestListener, more: Partial<QueryContext> = {}) =>
    failure((await serve(listener)).query({ sql: 'select 1' }, { ...limits, ...more }))

  test.each([
    [401, '', 'auth'],
    [401, 'remote query not authorized\n', 'auth'],
    [404, '404 page not found\n', 'config'],
    [400, `invalid ${MARKER}`, 'network'],
    [500, `json: ${MARKER}`, 'network'],
    [503, 'leader not found\n', 'network'],
    [503, MARKER, 'network'],
    [301, '', 'network'],
    [200, '<html></html>', 'network'],
    [200, 'null', 'network'],
    [200, '{}', 'network'],
    [200, '{"results":[]}', 'network'],
    [200, '{"results":[{}]}', 'network'],
    [200, '{"results":[null]}', 'network'],
    [200, '{"results":[{"columns":["x"],', 'network'],
    [200, `{"results":[],"error":"leadership lost ${MARKER}"}`, 'network'],
    [200, '{"results":[],"error":"stale read"}', 'network'],
    [200, '{"results":[{"error":"query timeout"}]}', 'timeout'],
    [200, '{"results":[{"error":"interrupted"}]}', 'timeout'],
    [200, '{"results":[{"error":"database is locked"}]}', 'network'],
    [200, '{"results":[{"error":"disk I/O error: no such device"}]}', 'network'],
    [200, '{"results":[{"error":"string or blob too big"}]}', 'too_large'],
    [200, '{"results":[{"error":"attempt to change database via query operation"}]}', 'refused'],
    [200, '{"results":[{"error":"no such table: x"}]}', 'sql'],
    [200, '{"results":[{"columns":["x"],"types":["integer"],"values":[[1]]}]}', 'refused'],
  ])('classifies the answer %i %s', async (status, body, kind) => {
    const error = await ask((_request, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end(body),
    )
    expect(error.kind).toBe(kind)
    if (kind !== 'sql') expect(error.message).toMatch(/^[A-Z].*\.$/)
  })

  test('reports a missing leader and a stale read', async () => {
    const leaderless = await ask((_request, response) =>
      response.writeHead(503).end('leader not found\n'),
    )
    expect(leaderless.message).toBe('The rqlite cluster has no leader. Try again later.')
    const stale = await ask((_request, response) => response.end('{"error":"stale read"}'))
    expect(stale.message).toContain('longer than freshness allows')
  })

  test('stops waiting for a silent node, and if the caller aborts', async () => {
    expect((await ask(() => {}, { timeoutMs: 50 })).kind).toBe('timeout')
    const caller = new AbortController()
    const left = await ask(() => caller.abort(), { signal: caller.signal })
    expect(left.message).toBe('The query was cancelled by the client.')
  })

  test('stops reading an endless answer', async () => {
    let sent = 0
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const error = await ask((_request, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      more()
    })
    expect(error.kind).toBe('too_large')
    expect(sent).toBeLessThan(200 * 1024 * 1024)
  })
})

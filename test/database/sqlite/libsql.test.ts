import type { RequestListener } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import type { UnguardedDatabase } from '../../../src/database/database.ts'
import type { Limits } from '../../../src/database/rows.ts'
import { libsql } from '../../../src/database/sqlite/libsql.ts'
import { startHrana } from '../../servers/hrana.ts'
import { startHttp } from '../../servers/http.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { open } from '../../support/open.ts'
import { outlivesCosts, withstandsAttacks } from '../../support/sqlite-attacks.ts'
import { shop, speaksSqlite } from '../../support/sqlite-shop.ts'
import { callTool, startWorker } from '../../support/worker.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const server = await startHrana(shop())
afterAll(() => server.close())
const url = `libsql://127.0.0.1:${server.port}?authToken=${TOKEN}`

describe('libSQL over Hrana', () => {
  const database = open(url, io)
  const unguarded = libsql.open(new URL(url), io)
  const query = (sql: string, more: Partial<Limits> = {}) =>
    database.query({ sql }, { ...limits, ...more })

  speaksSqlite(database)

  test('is not deceived by a table that is named like a statement', async () => {
    const refused = { kind: 'refused', message: expect.stringContaining('would write') }
    expect(await failure(unguarded.query({ sql: 'reindex' }, limits))).toMatchObject(refused)
    expect((await database.query({ sql: 'select * from reindex' }, limits)).rows).toEqual([])
  })

  test('asks what a statement is before it runs, and then rolls back', async () => {
    const before = server.requests.length
    await query('select id from users; -- all')
    expect(server.requests.slice(before, before + 2)).toMatchObject([
      {
        path: '/v3/pipeline',
        body: {
          requests: [
            { type: 'describe', sql: 'select ?1 from (select id from users\n)' },
            { type: 'describe', sql: 'select id from users' },
            { type: 'describe', sql: 'select id from users\nlimit 11' },
            { type: 'close' },
          ],
        },
      },
      {
        path: '/v3/cursor',
        body: {
          batch: {
            steps: [
              { stmt: { sql: 'begin' } },
              { stmt: { sql: 'select id from users\nlimit 11' } },
              { stmt: { sql: 'rollback' } },
            ],
          },
        },
      },
    ])
  })

  test('names columns and types as they were declared', async () => {
    const { columns } = await query('select price, ean, true, 1.0, id, id from products limit 1')
    expect(columns).toEqual([
      { name: 'price', type: 'decimal(12,2)' },
      { name: 'ean', type: 'integer' },
      { name: 'true', type: 'integer' },
      { name: '1.0', type: 'real' },
      { name: 'id', type: 'integer' },
      { name: 'id', type: 'integer' },
    ])
  })

  test('cuts an answer while it comes, and the server stops sending', async () => {
    const wide = 'select hex(randomblob(50000)) from order_items'
    const before = server.requests.length
    const answer = await query(wide, { maxRows: 10_000, maxBytes: 250_000 })
    expect(answer).toMatchObject({ truncated: 'bytes', rows: { length: 2 } })
    const last = () => server.requests.slice(before).at(-1)
    await expect.poll(last).toEqual({ path: 'done', gone: true })
  })

  test('is given up when its time is over, though the server goes on', async () => {
    const endless = await startHrana(shop())
    const url = `libsql://127.0.0.1:${endless.port}?authToken=${TOKEN}`
    const sql = 'select count(*) from order_items a, order_items b, order_items c, order_items d'
    const error = await failure(open(url, io).query({ sql }, { ...limits, timeoutMs: 300 }))
    expect(error).toMatchObject({
      kind: 'timeout',
      message: 'The query was stopped after 0.3 seconds.',
    })
    endless.close()
  })

  test('is given up when the caller leaves', async () => {
    const caller = new AbortController()
    const silent = await serve(() => caller.abort())
    const error = await failure(
      silent.query({ sql: 'select 1' }, { ...limits, signal: caller.signal }),
    )
    expect(error).toMatchObject({ message: 'The query was cancelled by the client.' })
  })

  test('is told that a token is wrong, and not which', async () => {
    const wrong = open(url.replace(TOKEN, MARKER), io)
    expect(await failure(wrong.query({ sql: 'select 1' }, limits))).toMatchObject({
      kind: 'auth',
      message: 'The database refuses the token.',
    })
    const none = open(url.replace(/\?.*/, ''), io)
    expect(await failure(none.query({ sql: 'select 1' }, limits))).toMatchObject({ kind: 'auth' })
  })

  test('is reached from a Worker, and a refused token never shows', async () => {
    const worker = await startWorker({ DATABASE_URL: url, TIDEGATE_KEY: 'a-key' })
    const key = { authorization: 'Bearer a-key' }
    const sql = 'select ean, 9e999 as far from products order by id limit 1'
    const result = await callTool(`${worker.url}/mcp`, 'query', { sql }, key)
    expect(JSON.stringify(result)).toContain('9007199255425787')
    expect(JSON.stringify(result)).toContain('Infinity')
    const many = 'select hex(randomblob(2000)) from order_items'
    const cut = await callTool(`${worker.url}/mcp`, 'query', { sql: many }, key)
    expect(cut).toMatchObject({ structuredContent: { truncated: expect.anything() } })
    await worker.close()

    const other = await startWorker({
      DATABASE_URL: url.replace(TOKEN, MARKER),
      TIDEGATE_KEY: 'a-key',
    })
    const refused = await callTool(`${other.url}/mcp`, 'query', { sql }, key)
    expect(JSON.stringify(refused)).toContain('refuses the token')
    expect(JSON.stringify(refused)).not.toContain(MARKER)
    await other.close()
  })

  withstandsAttacks(server, database, unguarded)
  outlivesCosts(
    () => startHrana(shop()),
    ({ port }) => libsql.open(new URL(`libsql://127.0.0.1:${port}?authToken=${TOKEN}`), io),
  )
})

/** Opens a database behind a service that answers like this. */
async function serve(listener: RequestListener): Promise<UnguardedDatabase> {
  const port = await startHttp(listener)
  return open(`libsql://127.0.0.1:${port}?authToken=${MARKER}`, io)
}

/** A service that describes what it is asked, and then answers like this. */
const thatRuns = (run: RequestListener): RequestListener => {
  const result = { cols: [{ name: 'x' }], is_readonly: true }
  const described = { type: 'ok', response: { type: 'describe', result } }
  const results = [described, described, described, { type: 'ok' }]
  return (request, response) =>
    request.url === '/v3/pipeline'
      ? response.end(JSON.stringify({ baton: null, results }))
      : run(request, response)
}

describe('a service that fails', () => {
  const ask = async (listener: RequestListener, more: Partial<Limits> = {}) =>
    failure((await serve(listener)).query({ sql: 'select 1' }, { ...limits, ...more }))
  const ndjson = (...entries: unknown[]): RequestListener =>
    thatRuns((_request, response) =>
      response.end(entries.map((it) => `${JSON.stringify(it)}\n`).join('')),
    )
  const told = (code: string) => ({ message: `no ${MARKER}`, code })
  const head = { baton: null, base_url: null }
  const begun = [
    { type: 'step_begin', step: 0, cols: [] },
    { type: 'step_end', affected_row_count: 0 },
    { type: 'step_begin', step: 1, cols: [{ name: 'x' }] },
  ]
  const row = { type: 'row', row: [{ type: 'integer', value: '1' }] }

  test.each([
    [401, '{"error":"…"}', 'auth'],
    [403, MARKER, 'auth'],
    [404, `{"error":"Namespace ${MARKER} doesn't exist"}`, 'config'],
    [400, JSON.stringify(told('STREAM_EXPIRED')), 'network'],
    [429, MARKER, 'network'],
    [500, `{"error":"${MARKER}"}`, 'network'],
    [502, `<html>${MARKER}</html>`, 'network'],
    [302, '', 'network'],
    [200, '<html></html>', 'network'],
    [200, 'null', 'network'],
    [200, '{"results":[]}', 'network'],
    [200, '{"results":[{"type":"ok"},', 'network'],
  ])('is told as what it is: %i %s', async (status, body, kind) => {
    const error = await ask((_request, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end(body),
    )
    expect(error.kind).toBe(kind)
    expect(error.message).toMatch(/^[A-Z].*\.$/)
  })

  test.each([
    ['AUTH_JWT_EXPIRED', 'auth'],
    ['SQL_MANY_STATEMENTS', 'refused'],
    ['TRANSACTION_TIMEOUT', 'timeout'],
    ['SQLITE_INTERRUPT', 'timeout'],
    ['RESPONSE_TOO_LARGE', 'too_large'],
    ['SQLITE_TOOBIG', 'too_large'],
    ['SQLITE_BUSY', 'network'],
    ['SQLITE_IOERR', 'network'],
    ['BLOCKED', 'network'],
    ['STREAM_EXPIRED', 'network'],
    ['ARGS_INVALID', 'sql'],
    ['SOMETHING_NEW', 'network'],
    ['', 'network'],
  ])('is told by its code, within a success: %s', async (code, kind) => {
    const step = await ask(
      ndjson(head, ...begun, { type: 'step_error', step: 1, error: told(code) }),
    )
    const batch = await ask(ndjson(head, { type: 'error', error: told(code) }))
    const described = await ask((_request, response) => {
      const results = [{ type: 'error', error: told(code) }, {}, {}, {}]
      response.end(JSON.stringify({ baton: null, results }))
    })
    expect([step, batch, described].map((error) => error.kind)).toEqual([kind, kind, kind])
    expect(step.message).toMatch(/^[A-Z].*\.$/)
  })

  test.each([
    ['SQLITE_READONLY', 'SQLite error: attempt to write a readonly database', 'refused'],
    ['SQLITE_UNKNOWN', 'SQLite error: integer overflow', 'sql'],
    ['SQL_INPUT_ERROR', 'SQL input error: no such function: nope (at offset 7)', 'sql'],
  ])('is told in the words of SQLite: %s', async (code, message, kind) => {
    const error = { message, code }
    const said = await ask(ndjson(head, ...begun, row, { type: 'step_error', step: 1, error }))
    expect(said).toMatchObject({ kind, code })
    expect(message).toContain(said.message)
    expect(said.message).not.toMatch(/SQL|offset/)
  })

  test.each([
    ['nothing', []],
    ['its head', [head]],
    ['a beginning', [head, ...begun]],
    ['some rows', [head, ...begun, row, row]],
    ['all rows but no rollback', [head, ...begun, row, { type: 'step_end' }]],
  ])('is not believed when its answer ends after %s', async (_, entries) => {
    expect(await ask(ndjson(...entries))).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('broke off'),
    })
  })

  test('is not believed when its answer breaks off within a line, or is cut', async () => {
    const text = [head, ...begun, row].map((it) => JSON.stringify(it)).join('\n')
    const half = thatRuns((_request, response) => response.end(text.slice(0, -9)))
    const cut = thatRuns((_request, response) => {
      response.write(text)
      setTimeout(() => response.destroy(), 20)
    })
    for (const listener of [half, cut]) {
      expect(await ask(listener)).toMatchObject({ kind: 'network' })
    }
  })

  test.each<[string, RequestListener]>([
    ['before the first byte', () => {}],
    ['before it answers', thatRuns(() => {})],
    ['in the middle', thatRuns((_, response) => void response.write('{"baton":null}\n'))],
  ])('is not waited for when it goes silent %s', async (_, listener) => {
    expect((await ask(listener, { timeoutMs: 50 })).kind).toBe('timeout')
  })

  test('is told when nothing listens', async () => {
    const database = open(`libsql://127.0.0.1:9?authToken=${MARKER}`, io)
    expect(await failure(database.query({ sql: 'select 1' }, limits))).toMatchObject({
      kind: 'network',
      message: 'The database cannot be reached. Try again later.',
    })
  })

  test('is not read to the end of a line that does not end', async () => {
    let sent = 0
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const endless: RequestListener = (_request, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      more()
    }
    expect((await ask(thatRuns(endless))).kind).toBe('too_large')
    expect(sent).toBeLessThan(200 * 1024 * 1024)
  })

  test('is not asked with the token in anything but one header', async () => {
    const seen: Request[] = []
    const recording = {
      bindings: {},
      fetch: async (url: RequestInfo, init?: RequestInit) => {
        seen.push(new Request(url, init))
        throw new Error(MARKER)
      },
    }
    for (const url of [
      `libsql://shop-me.turso.io?authToken=${MARKER}`,
      `turso://shop-me.aws-eu-west-1.turso.io/?authToken=${MARKER}#x`,
      `libsql://db.example.com:8443/dev/shop/?authToken=${MARKER}`,
      `libsql://db.example.com:8080?tls=0&authToken=${MARKER}`,
      `libsql://localhost:8080?authToken=${MARKER}`,
      `libsql://[::1]:8080?authToken=${MARKER}`,
    ]) {
      await failure(open(url, recording as never).query({ sql: 'select 1' }, limits))
    }
    expect(seen.map(({ url }) => url)).toEqual([
      'https://shop-me.turso.io/v3/pipeline',
      'https://shop-me.aws-eu-west-1.turso.io/v3/pipeline',
      'https://db.example.com:8443/dev/shop/v3/pipeline',
      'http://db.example.com:8080/v3/pipeline',
      'http://localhost:8080/v3/pipeline',
      'http://[::1]:8080/v3/pipeline',
    ])
    for (const request of seen) {
      expect(request.headers.get('authorization')).toBe(`Bearer ${MARKER}`)
      expect(request.redirect).toBe('manual')
      expect(await request.text()).not.toContain(MARKER)
    }
  })
})

import type { RequestListener } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import type { UnguardedDatabase } from '../../../src/database/database.ts'
import type { QueryContext } from '../../../src/database/rows.ts'
import { d1 } from '../../../src/database/sqlite/d1.ts'
import { readEndpoints } from '../../../src/gateway/index.ts'
import { startD1 } from '../../servers/d1.ts'
import { startHttp } from '../../servers/http.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { open } from '../../support/open.ts'
import { outlivesCosts, withstandsAttacks } from '../../support/sqlite-attacks.ts'
import { shop, speaksSqlite } from '../../support/sqlite-shop.ts'

const limits: QueryContext = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }

/** The way out, but for Cloudflare's API: that is on this port. */
const towards = (port: number) => ({
  bindings: {},
  fetch: (url: RequestInfo | URL, init?: RequestInit) =>
    fetch(String(url).replace('https://api.cloudflare.com', `http://127.0.0.1:${port}`), init),
})

const server = await startD1(shop())
afterAll(() => server.close())
const url = `d1://:${TOKEN}@an-account/a-database`

describe('D1 by the API of Cloudflare', () => {
  const database = open(url, towards(server.port))
  const unguarded = d1.open(new URL(url), towards(server.port))

  speaksSqlite(database)

  test('is not deceived by a table that is named like a statement', async () => {
    const refused = { kind: 'refused', message: expect.stringContaining('would write') }
    expect(await failure(unguarded.query({ sql: 'reindex' }, limits))).toMatchObject(refused)
    expect((await database.query({ sql: 'select * from reindex' }, limits)).rows).toEqual([])
  })

  test('runs nothing before SQLite has shown that it is one query that writes nothing', async () => {
    const before = server.requests.length
    await database.query({ sql: 'select id from users where id = ?; -- x', params: [7] }, limits)
    const bodies = server.requests.slice(before).map(({ body }) => body)
    expect(bodies.slice(0, 2)).toEqual([
      { sql: 'select ?1 from (select id from users where id = ?\n)', params: [] },
      { sql: 'explain select id from users where id = ?', params: [7] },
    ])
    expect(bodies.slice(2).map(({ sql }) => sql)).toEqual([
      'select id from users where id = ?\nlimit iif(?1 is null, 0, 0)',
      expect.stringContaining('select * from (select id from users where id = ?\n) limit 11'),
    ])
    const refused = server.requests.length
    await failure(unguarded.query({ sql: 'select 1; delete from users' }, limits))
    await failure(unguarded.query({ sql: 'delete from users' }, limits))
    expect(server.requests).toHaveLength(refused + 2)
  })

  test('is sent no more than fits, but for what one row needs', async () => {
    const lengths: number[] = []
    const { fetch: send, bindings } = towards(server.port)
    const measured: typeof fetch = async (...request) => {
      const response = await send(...request)
      lengths.push((await response.clone().text()).length)
      return response
    }
    const measuring = { bindings, fetch: measured }
    const sql = 'select hex(randomblob(50000)) from order_items'
    const answer = await open(url, measuring).query(
      { sql },
      { ...limits, maxRows: 100, maxBytes: 250_000 },
    )
    expect(answer).toMatchObject({ truncated: 'bytes', rows: { length: 2 } })
    expect(Math.max(...lengths)).toBeLessThan(800_000)
  })

  test('is given up when its time is over, though D1 goes on', async () => {
    const endless = await startD1(shop())
    const sql = 'select count(*) from order_items a, order_items b, order_items c, order_items d'
    const work = open(url, towards(endless.port)).query({ sql }, { ...limits, timeoutMs: 300 })
    expect(await failure(work)).toMatchObject({
      kind: 'timeout',
      message: 'The query was stopped after 0.3 seconds.',
    })
    endless.close()
  })

  test('is told that a token is wrong, and not which', async () => {
    const wrong = open(url.replace(TOKEN, MARKER), towards(server.port))
    expect(await failure(wrong.query({ sql: 'select 1' }, limits))).toMatchObject({
      kind: 'auth',
      message: 'Cloudflare refuses the token for this database.',
    })
  })

  test('is told of a database that is not there', async () => {
    const other = open(`${url}-not`, towards(server.port))
    expect(await failure(other.query({ sql: 'select 1' }, limits))).toMatchObject({
      kind: 'config',
    })
  })

  withstandsAttacks(server, database, unguarded)
  outlivesCosts(
    () => startD1(shop()),
    ({ port }) => d1.open(new URL(url), towards(port)),
  )
})

describe('an API that fails', () => {
  /** Opens a database behind an API that answers like this. */
  const serve = async (listener: RequestListener): Promise<UnguardedDatabase> => {
    const port = await startHttp(listener)
    return open(`d1://:${MARKER}@an-account/a-database`, towards(port))
  }
  const ask = async (listener: RequestListener, more: Partial<QueryContext> = {}) =>
    failure((await serve(listener)).query({ sql: 'select 1' }, { ...limits, ...more }))
  const errors = (code: number, message: string) =>
    JSON.stringify({ success: false, errors: [{ code, message }], result: [] })

  test.each([
    [403, errors(10000, `Authentication error ${MARKER}`), 'auth'],
    [401, MARKER, 'auth'],
    [400, errors(6003, `Invalid request headers ${MARKER}`), 'auth'],
    [404, errors(7404, `The database ${MARKER} could not be found`), 'config'],
    [400, errors(7400, MARKER), 'network'],
    [429, errors(971, MARKER), 'network'],
    [500, errors(7500, `internal error; reference = ${MARKER}`), 'network'],
    [500, errors(7500, 'D1 DB storage operation exceeded timeout which …'), 'timeout'],
    [500, errors(7500, 'D1 DB exceeded its CPU time limit and was reset.'), 'timeout'],
    [500, errors(7500, 'D1 DB exceeded its memory limit and was reset.'), 'too_large'],
    [500, errors(7500, 'not authorized'), 'sql'],
    [400, errors(7500, 'parser stack overflow'), 'sql'],
    [400, errors(7500, 'no such table: x: SQLITE_ERROR'), 'sql'],
    [200, errors(7500, 'no such table: x: SQLITE_ERROR'), 'sql'],
    [502, `<html>${MARKER}</html>`, 'network'],
    [302, '', 'network'],
    [200, '<html></html>', 'network'],
    [200, 'null', 'network'],
    [200, '{"success":true,"result":[{"results":{"columns":["a"]}}]}', 'network'],
    [200, '{"success":true,"result":[{"results":{"columns":["a"],"rows":[[', 'network'],
  ])('is told as what it is: %i %s', async (status, body, kind) => {
    const error = await ask((_request, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end(body),
    )
    expect(error.kind).toBe(kind)
  })

  test('is not believed when a probe succeeds, which cannot be', async () => {
    const results = { columns: ['?1'], rows: [[null]] }
    const asked: string[] = []
    const error = await ask((request, response) => {
      asked.push(String(request.url))
      response.end(JSON.stringify({ success: true, result: [{ results }] }))
    })
    expect(error).toMatchObject({ kind: 'refused' })
    expect(asked).toHaveLength(1)
  })

  test.each<[string, RequestListener]>([
    ['before the first byte', () => {}],
    ['in the middle', (_request, response) => void response.writeHead(200).write('{"success":')],
  ])('is not waited for when it goes silent %s', async (_, listener) => {
    expect((await ask(listener, { timeoutMs: 50 })).kind).toBe('timeout')
  })

  test('is told when its answer breaks off, or when nothing listens', async () => {
    const cut = await ask((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"success":')
      setTimeout(() => response.destroy(), 20)
    })
    const nobody = open(`d1://:${MARKER}@an-account/a-database`, towards(9))
    const none = await failure(nobody.query({ sql: 'select 1' }, limits))
    expect([cut.kind, none.kind]).toEqual(['network', 'network'])
  })

  test('is given up when the caller leaves', async () => {
    const caller = new AbortController()
    const error = await ask(() => caller.abort(), { signal: caller.signal })
    expect(error).toMatchObject({ message: 'The query was cancelled by the client.' })
  })

  test('is not read past what a Worker can hold, however much it sends', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ')
    const error = await ask((_request, response) => {
      const more = () => {
        while (!response.destroyed) {
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      more()
    })
    expect(error.kind).toBe('too_large')
  })

  test('is asked with the token in one header and nowhere else', async () => {
    const seen: Request[] = []
    const recording = {
      bindings: {},
      fetch: async (url: RequestInfo, init?: RequestInit) => {
        seen.push(new Request(url, init))
        throw new Error(MARKER)
      },
    }
    for (const login of [`:${MARKER}%2B`, `${MARKER}%2B`]) {
      const database = open(`d1://${login}@ABC123/0b8c-11`, recording as never)
      await failure(database.query({ sql: 'select 1' }, limits))
    }
    for (const request of seen) {
      expect(request.url).toBe(
        'https://api.cloudflare.com/client/v4/accounts/ABC123/d1/database/0b8c-11/raw',
      )
      expect(request.headers.get('authorization')).toBe(`Bearer ${MARKER}+`)
      expect(request.redirect).toBe('manual')
      expect(await request.text()).not.toContain(MARKER)
    }
  })
})

describe('a D1 URL', () => {
  test.each([
    [`d1://an-account/${MARKER}`, 'A D1 URL needs a token, an account and a database'],
    [`d1://:${MARKER}@an-account`, 'A D1 URL needs a token, an account and a database'],
    [`d1://:${MARKER}@an-account/a/b`, 'A D1 URL needs a token, an account and a database'],
    [`d1://:${MARKER}%zz@an-account/a`, 'a % that does not begin a percent-encoding'],
  ])('that does not open says why: %s', (url, message) => {
    let thrown: unknown
    try {
      open(url, { fetch, bindings: {} })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ kind: 'config', message: expect.stringContaining(message) })
    expect(String(thrown)).not.toContain(MARKER)
  })

  test.each(['NOWHERE', 'SECRET'])('that names no database says so: d1:%s', async (name) => {
    const database = open(`d1:${name}`, { fetch, bindings: { SECRET: MARKER } })
    expect(await failure(database.query({ sql: 'select 1' }, limits))).toMatchObject({
      kind: 'config',
      message: `This deployment has no D1 database bound as "${name}".`,
    })
  })

  test('may stand in ENDPOINTS if it is the name of a binding, and has no token', () => {
    const endpoints = (url: string) =>
      readEndpoints({
        ENDPOINTS: JSON.stringify([{ name: 'shop', title: 'Shop', databases: { shop: { url } } }]),
      })
    expect(endpoints('d1:SHOP')[0]?.databases.shop?.url).toBe('d1:SHOP')
    expect(() => endpoints(`d1://:${MARKER}@an-account/a-database`)).toThrow(
      'must be "secret:NAME"',
    )
  })
})

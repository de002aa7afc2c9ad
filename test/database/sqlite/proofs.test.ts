import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { Io } from '../../../src/database/database.ts'
import { rqlite } from '../../../src/database/rqlite/driver.ts'
import { d1 } from '../../../src/database/sqlite/d1.ts'
import { libsql } from '../../../src/database/sqlite/libsql.ts'
import { startD1 } from '../../servers/d1.ts'
import { startHrana } from '../../servers/hrana.ts'
import { startRqlite } from '../../servers/rqlite.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { failure } from '../../support/failure.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const setup = ['create table pets (id integer, name text)', "insert into pets values (1, 'Rex')"]

const servers = await Promise.all([startD1(setup), startHrana(setup), startRqlite(setup)])
const [onD1, onHrana, onRqlite] = servers
afterAll(() => {
  for (const it of servers) it.close()
})
afterEach(() => {
  vi.useRealTimers()
})

const account = 'https://api.cloudflare.com/'
let requests = 0
const io: Io = {
  bindings: {},
  fetch: (url, init) => {
    requests++
    return fetch(String(url).replace(account, `http://127.0.0.1:${onD1.port}/`), init)
  },
}
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
const post = (url: string, body: object) =>
  io.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })

const api = `${account}client/v4/accounts/an-account/d1/database/a-database/raw`
const ways = [
  {
    name: 'D1',
    server: onD1,
    cold: 4,
    warm: 2,
    open: () => d1.open(new URL(`d1://:${TOKEN}@an-account/a-database`), io),
    admin: (sql: string) => post(api, { sql, params: [] }),
  },
  {
    name: 'libSQL',
    server: onHrana,
    cold: 2,
    warm: 1,
    open: () => libsql.open(new URL(`libsql://127.0.0.1:${onHrana.port}?authToken=${TOKEN}`), io),
    admin: (sql: string) =>
      post(`http://127.0.0.1:${onHrana.port}/v3/pipeline`, {
        baton: null,
        requests: [{ type: 'execute', stmt: { sql } }, { type: 'close' }],
      }),
  },
  {
    name: 'rqlite',
    server: onRqlite,
    cold: 3,
    warm: 1,
    open: () => rqlite.open(new URL(`rqlite://reader:${TOKEN}@127.0.0.1:${onRqlite.port}`), io),
    admin: undefined,
  },
]

/** How many requests some work sends. */
async function requestsOf(work: () => Promise<unknown>): Promise<number> {
  requests = 0
  await work()
  return requests
}

describe.each(ways)('a text that was proved, on $name', ({ server, cold, warm, open, admin }) => {
  test('is run at once when it comes again, for a minute', async () => {
    const database = open()
    const ask = (id: number) => () =>
      database.query({ sql: 'select name from pets where id = ?1', params: [id] }, limits)
    expect((await ask(1)()).rows).toEqual([['Rex']])
    expect(await requestsOf(ask(1))).toBe(warm)
    expect((await ask(2)()).rows).toEqual([])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expect(await requestsOf(ask(1))).toBe(cold)
    expect(await requestsOf(ask(1))).toBe(warm)
  })

  test('proves no other text, with whatever behind it', async () => {
    const database = open()
    const sql = 'select id from pets'
    await database.query({ sql }, limits)
    const before = server.snapshot()
    for (const more of ['; delete from pets', ') ; delete from pets; select (1', '; commit']) {
      expect(await failure(database.query({ sql: sql + more }, limits))).toMatchObject({
        kind: expect.stringMatching(/refused|sql/),
      })
    }
    expect(server.snapshot()).toBe(before)
  })

  test.runIf(admin)('is answered as its tables are then', async () => {
    const database = open()
    const ask = () => database.query({ sql: 'select * from changing' }, limits)
    const shown = async () => {
      const { columns, rows } = await ask()
      return [columns.map(({ name }) => name), ...rows]
    }
    await admin!('create table changing (id integer)')
    await admin!('insert into changing values (1)')
    expect(await shown()).toEqual([['id'], [1]])
    await admin!('alter table changing rename id to number')
    expect(await shown()).toEqual([['number'], [1]])
    await admin!("alter table changing add name text default 'x'")
    expect(await shown()).toEqual([
      ['number', 'name'],
      [1, 'x'],
    ])
    await admin!('drop table changing')
    expect(await failure(ask())).toMatchObject({ kind: 'sql', message: 'no such table: changing' })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_KEPT } from '../src/database/transport/pool.ts'
import { startMariaDb } from './support/mariadb.ts'
import { onNode } from './support/node-worker.ts'
import { startPostgres } from './support/postgres.ts'
import { connectionsTo, tellsOfProcesses } from './support/runtime.ts'
import { callTool, openSession, type RunningWorker, startWorker } from './support/worker.ts'

const key = { authorization: 'Bearer k' }

/** The time limit of an endless statement: long enough to cancel it, and short enough to wait for. */
const TIMEOUT_MS = 9_000

/** The connection limit of PostgreSQL, because other tests use the server too. MariaDB has none here. */
const ROOM = 60

const [postgres, mariadb] = await Promise.all([
  startPostgres(
    (reader) => `
      create table users (id integer);
      insert into users select generate_series(1, 100);
      alter role ${reader} connection limit ${ROOM}`,
  ),
  startMariaDb('create table users (id integer); insert into users select seq from seq_1_to_100'),
])
afterAll(async () => {
  await postgres?.drop()
  await mariadb?.drop()
})

interface Engine {
  readonly url: string
  readonly port: number
  /** The minimum number of answers to 80 queries while 20 others are running. */
  readonly answers: number
  /** The number of sessions: those that are running a statement, or all. */
  sessions(which: 'working' | 'all'): Promise<number>
}

const engines: Record<string, Engine> = {}
if (postgres) {
  engines.postgres = {
    url: postgres.tcp(postgres.reader),
    port: postgres.config.port!,
    answers: ROOM - 20,
    async sessions(which) {
      const { rows } = await postgres.admin(
        `select from pg_stat_activity where usename = $1 and ($2 = 'all' or state = 'active')`,
        [postgres.reader, which],
      )
      return rows.length
    },
  }
}
if (mariadb) {
  engines.mariadb = {
    url: mariadb.url(mariadb.reader),
    port: mariadb.port,
    answers: 80,
    async sessions(which) {
      const rows = await mariadb.admin(
        `select 1 from information_schema.processlist
         where user = ? and (? = 'all' or command in ('Execute', 'Query'))`,
        [mariadb.reader, which],
      )
      return rows.length
    },
  }
}

const endless = 'select count(*) from users a, users b, users c, users d, users e, users f'

describe.each(Object.entries(engines))('one endpoint in front of %s', (_, engine) => {
  const { url, port, answers, sessions } = engine
  let worker: RunningWorker
  let mcp: string
  beforeAll(async () => {
    const databases = { shop: { url: 'secret:SHOP' } }
    const endpoint = { name: 'shop', title: 'Shop', databases, caps: { timeoutMs: TIMEOUT_MS } }
    const ENDPOINTS = JSON.stringify([endpoint])
    worker = await startWorker({ SHOP: url, ENDPOINTS, TIDEGATE_KEY: 'k' })
    mcp = `${worker.url}/mcp`
  })
  afterAll(() => worker.close())

  test('serves a hundred calls at once, cancels a fifth, and leaves nothing behind', async () => {
    const send = await openSession(mcp, key)
    const body = (id: number) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'query', arguments: { sql: endless } },
    })
    const ids = Array.from({ length: 10 }, (_, i) => i + 1)
    const cancelled = ids.map((id) => send(body(id)))
    // Half of them send a cancellation, and the other half hang up.
    const hangUp = new AbortController()
    const abandoned = ids.map((id) =>
      fetch(mcp, {
        ...{ method: 'POST', body: JSON.stringify(body(id)), signal: hangUp.signal },
        headers: { 'content-type': 'application/json', ...key },
      }).then(
        () => 'answered',
        () => 'left',
      ),
    )
    await expect.poll(() => sessions('working'), { timeout: 10_000 }).toBe(20)
    if (tellsOfProcesses) expect(connectionsTo(port)).toBe(20)
    const others = Array.from({ length: 80 }, async (_, i) => {
      const sql = `select ${i}, count(*) from users`
      const { structuredContent, content } = await callTool(mcp, 'query', { sql }, key)
      return structuredContent?.rows ?? content[0].text
    })
    hangUp.abort()
    await Promise.all(
      ids.map((requestId) => send({ method: 'notifications/cancelled', params: { requestId } })),
    )

    const told = await Promise.all(others)
    const isRight = (it: unknown, i: number) => JSON.stringify(it) === `[[${i},100]]`
    expect(told.filter(isRight).length).toBeGreaterThanOrEqual(answers)
    for (const it of told.filter((it, i) => !isRight(it, i))) {
      expect(it).toMatch(/^The database has no connection to spare/)
    }
    for (const { text } of await Promise.all(cancelled)) expect(text).not.toContain('"result"')
    expect(new Set(await Promise.all(abandoned))).toEqual(new Set(['left']))
    // `wrangler dev` does not tell a Worker that a client has hung up: then the time limit ends the query.
    const timeout = TIMEOUT_MS + 5_000
    await expect.poll(() => sessions('working'), { timeout }).toBe(0)
    // On Node, the pool keeps some connections for later calls.
    const kept = onNode ? MOST_KEPT : 0
    await expect.poll(() => sessions('all'), { timeout }).toBeLessThanOrEqual(kept)
    if (tellsOfProcesses) await expect.poll(() => connectionsTo(port)).toBeLessThanOrEqual(kept)
    const { structuredContent } = await callTool(mcp, 'query', { sql: 'select 42' }, key)
    expect(structuredContent.rows).toEqual([[42]])
  })
})

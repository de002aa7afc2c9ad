import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_KEPT } from '../src/database/transport/pool.ts'
import { startMariaDb } from './support/mariadb.ts'
import { leftOutOnNode, onNode } from './support/node-worker.ts'
import { startPostgres } from './support/postgres.ts'
import { callTool, type RunningWorker, startWorker } from './support/worker.ts'

const key = { authorization: 'Bearer k' }

/** The connection limit of the servers, and the number of concurrent calls. */
const ROOM = 20
const CROWD = 200

const SENTENCE =
  /^The database has no connection to spare\. Try again later\. \(\w+\)\nHint: The operator can [^\n]+\.$/

const [postgres, mariadb] = await Promise.all([
  startPostgres(
    (reader) => `
      create table users (id integer);
      insert into users select generate_series(1, 100);
      alter role ${reader} connection limit ${ROOM}`,
  ),
  startMariaDb(
    (reader) => `
      create table users (id integer);
      insert into users select seq from seq_1_to_100;
      grant usage on *.* to ${reader}@'%' identified by 'x' with max_user_connections ${ROOM}`,
  ),
])
afterAll(async () => {
  await postgres?.drop()
  await mariadb?.drop()
})

/** True if Hyperdrive is between the Worker and the server. */
const isBound = (url: string) => url.startsWith('hyperdrive:')
const lacksBindings = leftOutOnNode('Hyperdrive is a binding, and only a Worker has bindings.')

const ways: [endpoint: string, url: string, sessions: () => Promise<number>][] = []
if (postgres) {
  const sessions = async () => {
    const sql = 'select from pg_stat_activity where usename = $1'
    return (await postgres.admin(sql, [postgres.reader])).rows.length
  }
  ways.push(['postgres', 'secret:POSTGRES', sessions], ['hyperdrive', 'hyperdrive:SHOP', sessions])
}
if (mariadb) {
  const sessions = async () => {
    const sql = 'select id from information_schema.processlist where user = ?'
    return (await mariadb.admin(sql, [mariadb.reader])).length
  }
  ways.push(['mariadb', 'secret:MARIADB', sessions])
  ways.push(['hyperdrive-mariadb', 'hyperdrive:MARIA', sessions])
}

describe(`a server with a limit of ${ROOM} connections`, () => {
  let worker: RunningWorker
  beforeAll(async () => {
    const endpoints = ways.map(([name, url]) => ({
      name,
      title: name,
      databases: { main: { url } },
      // Longer than any call waits, even on a busy machine.
      caps: { timeoutMs: 55_000 },
    }))
    const direct = postgres?.tcp(postgres.reader)
    const other = mariadb?.url(mariadb.reader).replace('@', ':x@')
    worker = await startWorker(
      {
        ...{ POSTGRES: direct ?? '', MARIADB: other ?? '', TIDEGATE_KEY: 'k' },
        ENDPOINTS: JSON.stringify(endpoints),
      },
      undefined,
      [],
      // The local version of Hyperdrive needs a password.
      {
        ...(direct && { SHOP: direct.replace('@', ':x@') }),
        ...(other && { MARIA: other }),
      },
    )
  })
  afterAll(() => worker?.close())

  const withBinding = ways.filter(([, url]) => isBound(url))
  const direct = ways.filter(([, url]) => !isBound(url))
  const title = 'answers each of many concurrent calls, or explains why not: %s'
  test.each(direct)(title, answersEach)
  test.skipIf(lacksBindings).each(withBinding)(title, answersEach)

  async function answersEach(name: string, url: string, sessions: () => Promise<number>) {
    const mcp = `${worker.url}/mcp/${name}`
    const told = await Promise.all(
      Array.from({ length: CROWD }, async (_, i) => {
        const sql = `select ${i}, count(*) from users`
        const { structuredContent, content } = await callTool(mcp, 'query', { sql }, key)
        if (!structuredContent) return content[0].text as string
        expect(structuredContent.rows).toEqual([[i, 100]])
        return undefined
      }),
    )
    const refused = told.filter((it) => it !== undefined)
    for (const it of new Set(refused)) expect(it).toMatch(SENTENCE)
    // A call that finds no free connection waits for one.
    if (isBound(url)) expect(CROWD - refused.length).toBeGreaterThan(2 * ROOM)
    else expect(refused).toEqual([])
    // On Node, the pool keeps some connections for later calls.
    const kept = onNode ? MOST_KEPT : 0
    await expect.poll(sessions, { timeout: 15_000 }).toBeLessThanOrEqual(kept)
    const { structuredContent } = await callTool(mcp, 'query', { sql: 'select 42' }, key)
    expect(structuredContent.rows).toEqual([[42]])
  }
})

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { clickhouse as clickhouseDriver } from '../src/database/clickhouse/driver.ts'
import type { Driver } from '../src/database/database.ts'
import { planetscale as planetscaleDriver } from '../src/database/mysql/planetscale/planetscale.ts'
import { mysql as mysqlDriver } from '../src/database/mysql/tcp/tcp.ts'
import { neon as neonDriver } from '../src/database/postgres/neon/neon.ts'
import { postgres as postgresDriver } from '../src/database/postgres/tcp/tcp.ts'
import { startCancellingHrana } from './servers/hrana-cancelling.ts'
import { startPlanetScale } from './servers/planetscale.ts'
import { TOKEN } from './servers/sqlite-child.ts'
import { startClickHouse } from './support/clickhouse.ts'
import { startDirectWorker } from './support/direct-worker.ts'
import { startMariaDb } from './support/mariadb.ts'
import { startPostgres } from './support/postgres.ts'
import { forgetPeak, memory, peakMemory, tellsOfProcesses } from './support/runtime.ts'
import { callTool } from './support/worker.ts'

/** The time limit of every endpoint here, and the tolerance. */
const TIMEOUT_MS = 1_000
const MARGIN_MS = 2_000

/** The time in which a server on a busy machine notices that a statement was cancelled. */
const SETTLED_MS = 10_000

/**
 * The limit in MiB for the growth of the runtime's peak memory after it is warm. It is twice the limit of
 * a Worker, because the runtime collects garbage late and also has wrangler's own Workers in it. Without
 * the limits of the drivers, the growth is three times as much.
 */
const GROWTH = 256

const stopped = /^The query was stopped after 1 seconds\./
const cut = /^Answered: Only the first 200 rows: aggregate/
const full = /^Answered: The answer is full after 1 rows: select fewer columns/
const shortened = /^Answered: Cells longer than 1000 characters are cut/
const memoryLimit = /^Memory limit \(for query\) exceeded/
const tooLarge = /^A single row is larger than /
// MariaDB may return the normal value of a benchmark() that it has stopped.
const benchmarked = /^The query was stopped after 1 seconds\.|^Answered: \[\[0\]\]$/
const sized = /The answer is (?:full|larger) |A single row is /
const sizedOrStopped = new RegExp(`${sized.source}|${stopped.source}`)
const refused = /\w+\(\) is not allowed here\.$/

interface Engine {
  readonly url: string
  /** The number of statements that its user is running. */
  working(): number | Promise<number>
  /** Statements, each with its error or with the hint of a truncated answer. */
  readonly statements: Readonly<Record<string, readonly [sql: string, said: RegExp]>>
  /** Statements that reach the server's own memory limit, if they have enough time. */
  readonly heavy?: Readonly<Record<string, string>>
  /** Statements whose answer is as large as the limit, or larger. */
  readonly large: readonly string[]
  /** Statements that only wait, which the guard refuses. */
  readonly idle?: readonly string[]
  /** The driver, which opens the database without the guard. */
  readonly driver?: Driver
}

const engines: Record<string, Engine> = {}
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const recursion = (what: string, limit = '') =>
  `with recursive r(n) as (select 1 union all select n + 1 from r ${limit}) select ${what} from r`

const [postgres, mariadb, clickhouse, libsql] = await Promise.all([
  startPostgres(''),
  startMariaDb('select 1'),
  startClickHouse([]),
  startCancellingHrana([`create table products as ${recursion('n as id', 'limit 1000')}`]),
])
if (postgres) {
  closing.push(() => postgres.drop())
  const n = 'with n as (select generate_series(1, 1000) i)'
  const common = {
    working: async () => {
      const { rows } = await postgres.admin(
        "select from pg_stat_activity where usename = $1 and state <> 'idle'",
        [postgres.reader],
      )
      return rows.length
    },
    statements: {
      'an endless recursion': [recursion('count(*)'), stopped],
      'an endless recursion, row by row': [recursion('n'), cut],
      'one huge value': ["select repeat('x', 900000000)", stopped],
      // The server collects all rows of a fetch before it sends any of them.
      'many huge rows': [
        "select repeat('x', 1000000) from generate_series(1, 1e5)",
        sizedOrStopped,
      ],
    },
    idle: ['select pg_sleep(60)'],
  } satisfies Partial<Engine>
  const large = (rows: number) => `select repeat('x', 1000000) from generate_series(1, ${rows})`
  const { reader } = postgres
  engines.postgres = {
    ...common,
    url: postgres.tcp(reader),
    statements: {
      ...common.statements,
      'a cross join': [`${n} select count(*) from n a, n b, n c, n d, n e, n f`, stopped],
      'a trillion rows': ['select i from generate_series(1, 1e12) i', stopped],
      'a trillion rows, one by one': ['select generate_series(1, 1e12)', cut],
    },
    large: [large(30), "select repeat('x', 20000000)"],
    driver: postgresDriver,
  }
  engines.neon = {
    ...common,
    url: postgres.url(reader),
    large: [large(9), large(30)],
    driver: neonDriver,
  }
}

if (mariadb) {
  const planetscale = await startPlanetScale(mariadb)
  closing.push(
    () => mariadb.drop(),
    () => planetscale.close(),
  )
  // MariaDB stops a recursion after a thousand steps, so each step doubles the rows.
  const twice = 'from r, (select 1 union all select 2) two'
  const endless = `with recursive r as (select 1 n union all select n + 1 ${twice})`
  const n = 'seq_1_to_1000'
  const common = {
    working: async () => {
      const rows = await mariadb.admin(
        `select 1 from information_schema.processlist
         where user = ? and command in ('Execute', 'Query')`,
        [mariadb.reader],
      )
      return rows.length
    },
    statements: {
      'an endless recursion': [`${endless} select count(*) from r`, stopped],
      // Longer than max_allowed_packet, so it is NULL, with a warning.
      'one huge value': ["select repeat('x', 900000000)", /^Answered: \[\[null\]\]$/],
      'a trillion rows': ['select seq from seq_1_to_1000000000000', cut],
    },
    idle: ['select sleep(60)', "select benchmark(1000000000000, sha2('x', 512))"],
  } satisfies Partial<Engine>
  engines.mariadb = {
    ...common,
    url: mariadb.url(mariadb.reader),
    statements: {
      ...common.statements,
      'a cross join': [`select count(*) from ${n} a, ${n} b, ${n} c, ${n} d, ${n} e`, stopped],
      'the sum over a trillion rows': ['select sum(seq % 7) from seq_1_to_1000000000000', stopped],
      'a trillion rows with an explicit limit': [
        'select seq from seq_1_to_1000000000000 limit 1000000000000',
        cut,
      ],
      'many huge rows': ["select repeat('x', 15000000) from seq_1_to_100000", tooLarge],
    },
    large: [`select repeat('x', 300000) from ${n}`, "select repeat('x', 15000000)"],
    driver: mysqlDriver,
  }
  engines.planetscale = {
    ...common,
    url: planetscale.url(mariadb.reader),
    large: [
      `select repeat('x', 300000) from ${n} limit 38`,
      `select repeat('x', 300000) from ${n} limit 60`,
    ],
    driver: planetscaleDriver,
  }
}

if (clickhouse) {
  closing.push(() => clickhouse.stop())
  const n = (name: string, rows: string) =>
    `(select number as ${name} from system.numbers limit ${rows})`
  const x = (length: number) => `arrayStringConcat(arrayMap(x -> 'xxxxxxxxxx', range(${length})))`
  const heavy = {
    'a cross join of large blocks': `select count() from ${n('a', '1000000000')} cross join ${n('b', '1000000')}`,
    'one huge value': `select ${x(90_000_000)}`,
    'many huge rows': `select ${x(30_000)} from system.numbers`,
  }
  const heavyOrStopped = new RegExp(`${memoryLimit.source}|${stopped.source}`)
  engines.clickhouse = {
    url: clickhouse.url('reader'),
    working: async () =>
      Number(await clickhouse.admin("select count() from system.processes where user = 'reader'")),
    // This version has neither recursion nor repeat().
    statements: {
      'a cross join': [
        `select count() from ${n('a', '1000000000')} cross join ${n('b', '100')}`,
        stopped,
      ],
      // On a busy machine, the time limit comes first.
      ...Object.fromEntries(Object.entries(heavy).map(([it, sql]) => [it, [sql, heavyOrStopped]])),
      'endless rows': ['select number from system.numbers', cut],
      'the sum over endless rows': ['select sum(number) from system.numbers', stopped],
    },
    heavy,
    large: [`select ${x(5_000_000)}`, `select ${x(10_000)} from ${n('a', '100')}`],
    // This version cannot interrupt a sleep, which takes three seconds at most.
    idle: ['select sleep(2)'],
    driver: clickhouseDriver,
  }
}

const MANY = '1000000000000'
closing.push(() => libsql.close())
const products = (...names: string[]) => names.map((name) => `products ${name}`).join(', ')
const cross = `select count(*) from ${products(...'abcdefg')}`
const hex = (length: number) => `select hex(zeroblob(${length / 2}))`
engines.libsql = {
  url: `libsql://127.0.0.1:${libsql.port}?authToken=${TOKEN}`,
  working: libsql.working,
  statements: {
    'an endless recursion': [recursion('count(*)'), stopped],
    'an endless recursion, row by row': [recursion('n'), cut],
    'a cross join': [cross, stopped],
    'one huge value': [hex(900_000_000), stopped],
    'many huge rows': [`${hex(1_000_000)} from ${products('a', 'b')}`, full],
    'a trillion rows': [recursion('n', `limit ${MANY}`), cut],
  },
  large: [hex(15_000_000), hex(20_000_000)],
}

const unbounded = /^The demo does not run recursive queries\./
const tooMuch =
  /^This query is too expensive for the demo, where each query can take up to a second\./
engines.demo = {
  url: 'demo:',
  working: () => 0,
  statements: {
    'an endless recursion': [recursion('count(*)'), unbounded],
    'an endless recursion, row by row': [recursion('n'), unbounded],
    'a cross join': [cross, tooMuch],
    'one huge value': [hex(900_000_000), /^string or blob too big \(SQLITE_TOOBIG\)$/],
    'many huge rows': [`${hex(1_000_000)} from ${products('a', 'b')}`, tooMuch],
    'some large rows': [`${hex(400_000)} from products limit 3`, shortened],
    'a trillion rows': [`select 1 from ${products(...'abcdefg')}`, tooMuch],
  },
  large: [`${hex(1_900_000)} from products limit 20`],
}

let worker: Awaited<ReturnType<typeof startDirectWorker>>
beforeAll(async () => {
  const secrets: Record<string, string> = {}
  const endpoints = Object.entries(engines).flatMap(([name, { url }]) => {
    secrets[name] = url
    const databases = { it: { url: url === 'demo:' ? url : `secret:${name}` } }
    const endpoint = { name, title: name, databases, caps: { timeoutMs: TIMEOUT_MS } }
    return [endpoint, { ...endpoint, name: `patient-${name}`, caps: {} }]
  })
  const ENDPOINTS = JSON.stringify(endpoints)
  worker = await startDirectWorker({ ...secrets, ENDPOINTS, TIDEGATE_KEY: 'k' })
  closing.push(() => worker.close())
})

/** The text of an error, or the hint of an answer, or else its rows. */
async function ask(endpoint: string, sql: string): Promise<string> {
  const url = `${worker.url}/mcp/${endpoint}`
  const key = { authorization: 'Bearer k' }
  const { isError, content, structuredContent } = await callTool(url, 'query', { sql }, key)
  if (isError) return content[0].text
  return answered(structuredContent.hint ?? structuredContent.rows)
}

const answered = (it: unknown) => `Answered: ${typeof it === 'string' ? it : JSON.stringify(it)}`

const timed = async <T>(work: Promise<T>): Promise<readonly [T, ms: number]> => {
  const began = performance.now()
  return [await work, performance.now() - began]
}

describe.each(Object.entries(engines))('%s', (name, engine) => {
  const { statements, working, heavy = {}, large, idle = [], driver } = engine

  // The check of the role starts after the first answer. It has to be over before the tests.
  beforeAll(async () => {
    await ask(name, 'select 1')
    await vi.waitUntil(async () => (await working()) === 0, { timeout: 5_000 })
  })

  test.each(Object.entries(statements))(
    'ends %s in time, and runs the next statement',
    async (_, it) => {
      const [sql, said] = it
      const [told, ms] = await timed(ask(name, sql))
      expect(told).toMatch(said)
      expect(ms).toBeLessThan(TIMEOUT_MS + MARGIN_MS)
      expect(await ask(name, 'select 42')).toBe(answered([[42]]))
      await expect.poll(working, { timeout: SETTLED_MS }).toBe(0)
    },
  )

  test.each(Object.entries(heavy))(
    'returns the memory limit error of the server for %s',
    async (_, sql) => {
      expect(await ask(`patient-${name}`, sql)).toMatch(memoryLimit)
      expect(await ask(name, 'select 42')).toBe(answered([[42]]))
      await expect.poll(working, { timeout: SETTLED_MS }).toBe(0)
    },
  )

  test.skipIf(!tellsOfProcesses)('limits memory growth with large answers', async () => {
    const take = async (sql: string) =>
      // With more time, the size limit applies first.
      expect(await ask(`patient-${name}`, sql)).toMatch(sized)
    forgetPeak()
    const warm = memory()
    for (let i = 0; i < 3; i++) for (const sql of large) await take(sql)
    expect(peakMemory() - warm).toBeLessThan(GROWTH)
    expect(await ask(name, 'select 42')).toBe(answered([[42]]))
  })

  test.each(idle)('refuses %s', async (sql) => {
    expect(await ask(name, sql)).toMatch(refused)
  })

  test.each(idle)('ends %s in time without the guard', async (sql) => {
    const database = driver!.open(new URL(engine.url), { fetch, bindings: {} })
    const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: TIMEOUT_MS }
    const query = database.query({ sql }, limits).then(
      ({ rows }) => answered(rows),
      ({ message }) => message,
    )
    const [told, ms] = await timed(query)
    expect(told).toMatch(sql.includes('benchmark') ? benchmarked : stopped)
    expect(ms).toBeLessThan(TIMEOUT_MS + MARGIN_MS)
    await expect.poll(working, { timeout: SETTLED_MS }).toBe(0)
  })
})

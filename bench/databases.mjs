// Measures the processor time of one query of 1,000 rows and 10 columns: with Tidegate's driver, with
// the vendor's client, and, if the protocol is HTTP and JSON, with a bare fetch and JSON.parse.
import { flags } from './build.mjs'
import { drive } from './load.mjs'
import { bytesOf } from './requests.mjs'
import { inRounds, prepared } from './rounds.mjs'
import { earlier } from './targets.mjs'
import { start } from './workerd.mjs'

const ROWS = 1_000
const CONNECTIONS = 8
const request = { headers: {}, body: '' }
const QUERY = 'select a, b, c, d, e, f, g, h, i, j from wide'

/** The same table in each database: integers, decimals, a date, words, and some NULLs. */
const columns = (n, text, day) => [
  n,
  `${n} * 1000003`,
  `${n} * 0.25`,
  text("'name-'", n),
  text("'user'", n, "'@example.com'"),
  "'Oslo'",
  day,
  `${n} % 2`,
  'null',
  text("'A sentence of some length, number '", n, "', as they stand in tables.'"),
]

const concat = (...parts) => `concat(${parts.join(', ')})`
const NAMES = 'abcdefghij'.split('')
const aliased = (values) => values.map((it, i) => `${it} as ${NAMES[i]}`).join(', ')

/** Starts a database with that table. @returns its URL and a function that ends it */
export const starts = {
  async neon() {
    const { startPostgres } = await import('../test/support/postgres.ts')
    const values = columns('n', concat, "date '2026-01-01'")
    const postgres = await startPostgres(
      `create table wide as select ${aliased(values)} from generate_series(1, ${ROWS}) n`,
    )
    return postgres && { url: postgres.url(), tcp: postgres.tcp(), end: () => postgres.drop() }
  },
  async libsql() {
    const { startHrana } = await import('../test/servers/hrana.ts')
    const { TOKEN } = await import('../test/servers/sqlite-child.ts')
    const values = columns('value', (...parts) => parts.join(' || '), "'2026-01-01'")
    const series = `with recursive it(value) as (select 1 union all select value + 1 from it where value < ${ROWS})`
    const server = await startHrana([
      `create table wide as ${series} select ${aliased(values)} from it`,
    ])
    const url = `libsql://127.0.0.1:${server.port}?authToken=${TOKEN}`
    return { url, end: () => server.close() }
  },
  async planetscale() {
    const { startMariaDb } = await import('../test/support/mariadb.ts')
    const { startPlanetScale } = await import('../test/servers/planetscale.ts')
    const values = columns('seq', concat, "date '2026-01-01'")
    const mariadb = await startMariaDb(
      `create table wide as select ${aliased(values)} from seq_1_to_${ROWS}`,
    )
    if (!mariadb) return undefined
    const server = await startPlanetScale(mariadb)
    const end = async () => {
      await server.close()
      await mariadb.drop()
    }
    return { url: server.url(mariadb.reader), end }
  },
  async clickhouse() {
    const { startClickHouse } = await import('../test/support/clickhouse.ts')
    const text = (...parts) =>
      concat(...parts.map((it) => (it === 'number' ? `toString(${it})` : it)))
    const values = columns('number', text, "toDate('2026-01-01')")
    const server = await startClickHouse([
      `create table wide engine = Memory as select ${aliased(values).replace('null', 'cast(null as Nullable(String))')} from numbers(${ROWS})`,
    ])
    return server && { url: server.url(), end: () => server.stop() }
  },
}

const tidegate = { entry: 'database-tidegate.mjs', name: 'tidegate', flags }

/** Each database, and the clients that query it. The last client is Tidegate. */
const asked = {
  'Neon over HTTP': {
    by: 'neon',
    floor: { entry: 'neon-floor.mjs', name: 'fetch and JSON.parse' },
    clients: [{ entry: 'neon-client.mjs', name: '@neondatabase/serverless' }],
  },
  'PostgreSQL over TCP': {
    by: 'neon',
    tcp: true,
    clients: [{ entry: 'pg-client.mjs', name: 'pg' }],
  },
  'libSQL over Hrana': {
    by: 'libsql',
    clients: [{ entry: 'libsql-client.mjs', name: '@libsql/client' }],
  },
  'PlanetScale over HTTP': {
    by: 'planetscale',
    clients: [{ entry: 'planetscale-client.mjs', name: '@planetscale/database' }],
  },
  'ClickHouse over HTTP': {
    by: 'clickhouse',
    clients: [{ entry: 'clickhouse-client.mjs', name: '@clickhouse/client-web' }],
  },
}

/**
 * Measures every database that is available here.
 * @param before Tidegate at another commit, if it is compared
 * @returns a row for each measurement; databases that are not available are missing
 */
export async function databases({ rounds, warm, seconds, before }) {
  const rows = []
  const started = new Map()
  const versions = [tidegate, ...(before ? [earlier(tidegate, before)] : [])]
  try {
    for (const [what, { by, tcp, floor, clients }] of Object.entries(asked)) {
      if (!started.has(by)) started.set(by, await starts[by]())
      const server = started.get(by)
      if (!server) {
        console.log(`${what} is left out: this machine has no server for it.\n`)
        continue
      }
      const vars = { URL: tcp ? server.tcp : server.url, QUERY }
      const targets = [...(floor ? [floor] : []), ...clients, ...versions]
      const list = await prepared(targets.map((it) => ({ ...it, vars })))
      const measured = await inRounds(list, rounds, async ({ name, place }) => [
        { what, name, ...(await one(name, place, { warm, seconds })) },
      ])
      rows.push(...measured)
    }
  } finally {
    for (const it of started.values()) await it?.end()
  }
  return rows
}

async function one(name, place, { warm, seconds }) {
  const server = await start(place)
  const { port, pid } = server
  try {
    const answer = await (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })).text()
    if (answer !== `${ROWS} × 10`) throw new Error(answer.slice(0, 300))
    const work = { port, requests: [bytesOf(request, '/')], connections: CONNECTIONS }
    await drive(pid, { ...work, seconds: warm })
    return await drive(pid, { ...work, seconds })
  } catch (error) {
    throw new Error(`${name}: ${error.message}\n${server.log().slice(-1_500)}`)
  } finally {
    await server.stop()
  }
}

// Counts what DBHub needs for the same questions, through the same proxy. Like Tidegate, it only reads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDbhub } from './dbhub.mjs'
import { ask, LEGACY } from './requests.mjs'

const table = { object_type: 'table', detail_level: 'full' }

/** The calls to DBHub, by the Tidegate tool that answers the same question. */
const calls = [
  ['query', 'execute_sql', { sql: 'select id, customer from orders' }],
  ['query_table', 'execute_sql', { sql: 'select id from orders limit 200' }],
  ['describe_table', 'search_objects', { ...table, pattern: 'orders' }],
  ['list_tables', 'search_objects', { ...table, pattern: '%' }],
  ['explain_query', 'explain_sql', { sql: 'select id from orders' }],
  ['search', 'execute_sql', { sql: "select id from orders where customer like '%ada%' limit 10" }],
  ['fetch', 'execute_sql', { sql: 'select * from orders where id = 1' }],
]

/** Time to wait for the connections that its pool opens. */
const SETTLED_MS = 1_500

/**
 * Calls DBHub's tools on a database over TCP, after its pool has opened the connections that it keeps.
 * @returns the cost of each call; nothing if DBHub is not installed
 */
export async function dbhubCosts({ approach }) {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-dbhub-'))
  const way = await approach()
  const config = join(folder, 'dbhub.toml')
  writeFileSync(config, configOf(way.url))
  const server = await startDbhub(`--config=${config}`)
  try {
    if (!server) return undefined
    const url = `http://127.0.0.1:${server.port}/mcp`
    const costs = []
    for (const [tool, name, args] of calls) {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
      const { trips, turns } = way.counts
      const call = { method: 'tools/call', params: { name, arguments: args } }
      const { result, text } = await ask(url, { era: 'legacy', version: LEGACY }, call)
      if (!result || result.isError) throw new Error(`${name}: ${text.slice(0, 300)}`)
      const { counts } = way
      const cost = { trips: counts.trips - trips, turns: counts.turns - turns }
      costs.push({ tool, cold: cost, warm: cost })
    }
    return costs
  } finally {
    await server?.stop()
    await way.close()
    rmSync(folder, { recursive: true })
  }
}

/** DBHub's configuration for one database. */
const configOf = (url) => `
[[sources]]
id = "shop"
dsn = "${url.replace('mysql:', 'mariadb:')}?sslmode=disable"

[[tools]]
name = "execute_sql"
source = "shop"
readonly = true

[[tools]]
name = "search_objects"
source = "shop"

[[tools]]
name = "explain_sql"
source = "shop"
`

// Measures the cost of a request with more tools, endpoints or tables.
import { bundle } from './build.mjs'
import { drive } from './load.mjs'
import { bytesOf, cases, request } from './requests.mjs'
import { inRounds } from './rounds.mjs'
import { gateway, targets } from './targets.mjs'
import { configure, start } from './workerd.mjs'

const KEY = 'tg_bench'
const modern = { era: 'modern' }

/** The things that grow, their number, and the Worker, request and path to use. */
async function steps(postgres) {
  const core = targets.find(({ name }) => name === 'tidegate')
  const made = []
  for (const count of [3, 100, 500]) {
    const place = configure(core, await bundle(core, { tools: count - 3 }))
    const at = { place, path: '/mcp', count }
    made.push({ ...at, what: 'tools: tools/call', asked: request(modern, cases.small) })
    if (count > 3) {
      made.push({
        ...at,
        what: 'tools: tools/list, a page of 100',
        asked: request(modern, cases.list),
      })
    }
  }
  const whole = await bundle(gateway)
  // More than 100 endpoints are refused.
  for (const count of [1, 100]) {
    const names = Array.from({ length: count }, (_, i) => `e${i}`)
    const databases = { demo: { url: 'demo:' } }
    const ENDPOINTS = JSON.stringify(
      names.map((name) => ({ name, title: name, databases, access: 'public' })),
    )
    const place = configure({ ...gateway, vars: { ENDPOINTS } }, whole)
    const asked = request(modern, cases.list)
    made.push({
      what: 'endpoints: tools/list of the last',
      count,
      place,
      asked,
      path: `/mcp/${names.at(-1)}`,
    })
  }
  for (const { count, url } of postgres) {
    const vars = { DATABASE_URL: url, TIDEGATE_KEY: KEY }
    const place = configure({ ...gateway, vars }, whole)
    const call = { method: 'tools/call', params: { name: 'list_tables', arguments: {} } }
    const asked = request(modern, call)
    asked.headers.authorization = `Bearer ${KEY}`
    made.push({
      what: 'tables: list_tables, a page of 100',
      count,
      place,
      asked,
      path: '/mcp',
      connections: 4,
    })
  }
  return made
}

/** Databases with 100 and with 10,000 tables, if there is a PostgreSQL. */
async function tables() {
  const { startPostgres } = await import('../test/support/postgres.ts')
  const made = []
  for (const count of [100, 10_000]) {
    const postgres = await startPostgres('select 1')
    if (!postgres) {
      console.log('Tables are left out: this machine has no PostgreSQL.\n')
      return made
    }
    // Each new table holds a lock until its transaction ends, and the number of locks is limited.
    for (let from = 1; from <= count; from += 1_000) {
      const to = Math.min(count, from + 999)
      await postgres.admin(`do $$ begin for i in ${from}..${to} loop
        execute format('create table t%s (id int)', i); end loop; end $$`)
    }
    await postgres.admin('analyze pg_catalog.pg_class')
    made.push({ count, url: postgres.url(), end: () => postgres.drop() })
  }
  return made
}

/** @returns a row for each measurement */
export async function growth({ rounds, warm, seconds }) {
  const databases = await tables()
  try {
    return await inRounds(await steps(databases), rounds, async (it) => [
      { what: it.what, name: String(it.count), ...(await one(it, { warm, seconds })) },
    ])
  } finally {
    for (const it of databases) await it.end()
  }
}

async function one({ what, count, place, asked, path, connections }, { warm, seconds }) {
  const server = await start(place)
  const { pid, port } = server
  try {
    const init = { method: 'POST', ...asked }
    const text = await (await fetch(`http://127.0.0.1:${port}${path}`, init)).text()
    if (!text.includes('"result"') || text.includes('"isError":true')) {
      throw new Error(`${what}, ${count}: ${text.slice(0, 300)}\n${server.log().slice(-500)}`)
    }
    const work = { port, requests: [bytesOf(asked, path)], ...(connections && { connections }) }
    await drive(pid, { ...work, seconds: warm })
    return await drive(pid, { ...work, seconds })
  } finally {
    await server.stop()
  }
}

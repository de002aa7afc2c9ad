// Sends mixed traffic to the whole gateway for some minutes, and measures what it leaves behind: both
// eras, sessions that are used, ended or abandoned, streams, calls that are cancelled, a slow database,
// and one wrong request in twenty.
import { readdirSync, readlinkSync } from 'node:fs'
import { startPostgres } from '../test/support/postgres.ts'
import { bundle } from './build.mjs'
import { LEGACY, request } from './requests.mjs'
import { digits, print } from './table.mjs'
import { gateway } from './targets.mjs'
import { configure, memory, processorTime, start } from './workerd.mjs'

const AT_ONCE = 12
const KEY = 'tg_soak'
const LOOKS = 10

/**
 * A local workerd does not notice when a client that waits for plain JSON disconnects: its query runs until
 * the time limit. So the limit is short here. Otherwise PostgreSQL would run out of connections.
 */
const settings = {
  ENDPOINTS: JSON.stringify([
    {
      ...{ name: 'main', title: 'Soak', caps: { timeoutMs: 5_000 } },
      databases: { main: { url: 'secret:DATABASE_URL' } },
    },
  ]),
}

/** A pause this long shows whether timers are left: streams write every 15 s. */
const SILENCE_MS = 20_000

/** Runs for some minutes. @returns the exit code: 1 if a valid request failed */
export async function soak(minutes) {
  if (!(minutes > 0)) throw new Error('Say how many minutes: --soak 10')
  const postgres = await startPostgres(
    `create table items as select n as id, md5(n::text) as name from generate_series(1, 500) n;
     create view slow as select 1 as row, pg_sleep(0.5)::text as slept;
     create view slower as select 1 as row, pg_sleep(20)::text as slept`,
  )
  if (!postgres) throw new Error('The soak needs a PostgreSQL on this machine.')
  try {
    const vars = { ...settings, DATABASE_URL: postgres.url(), TIDEGATE_KEY: KEY }
    const server = await start(configure({ ...gateway, vars }, await bundle(gateway)))
    try {
      return await run(server, postgres, minutes * 60_000)
    } finally {
      await server.stop()
    }
  } finally {
    await postgres.drop()
  }
}

async function run({ pid, port }, postgres, duration) {
  const url = `http://127.0.0.1:${port}/mcp`
  const counts = new Map()
  const failures = []
  const looks = []
  const look = async (at) => {
    const { rows } = await postgres.admin(
      'select count(*)::int - 1 as open from pg_stat_activity where datname = current_database()',
    )
    looks.push({ at, memory: memory(pid), sockets: sockets(pid), sessions: rows[0].open })
  }
  const began = Date.now()
  let over = false
  const work = async () => {
    while (!over) {
      const [name, act] = chosen()
      const found = counts.get(name) ?? { done: 0, failed: 0 }
      counts.set(name, found)
      try {
        await act(url)
        found.done++
      } catch (error) {
        found.failed++
        const why = error.cause?.code ?? error.cause?.message ?? ''
        if (failures.length < 20) failures.push(`${name}: ${error.message} ${why}`)
      }
    }
  }
  const working = Array.from({ length: AT_ONCE }, work)
  for (let i = 1; i <= LOOKS; i++) {
    await sleep(began + (duration * i) / LOOKS - Date.now())
    await look(`${Math.round((i * duration) / LOOKS / 1_000)} s`)
  }
  over = true
  await Promise.all(working)
  await sleep(SILENCE_MS)
  const before = processorTime(pid)
  await sleep(SILENCE_MS)
  const ticking = (processorTime(pid) - before) / 1_000
  await look('after a silence')

  print(
    ['at', 'memory MB', 'sockets', 'database sessions'],
    looks.map((it) => [it.at, it.memory, it.sockets, it.sessions]),
  )
  console.log()
  print(
    ['traffic', 'as it should be', 'not'],
    [...counts].map(([name, { done, failed }]) => [name, done, failed]),
  )
  console.log(`\nProcessor time in ${SILENCE_MS / 1_000} s of silence: ${digits(ticking, 1)} ms`)
  for (const it of failures) console.log(it)
  return failures.length > 0 ? 1 : 0
}

const authorization = `Bearer ${KEY}`

/** Sends a message and reads its answer to the end. */
async function send(url, how, message, init = {}) {
  const made = request(how, message)
  const headers = { ...made.headers, authorization, ...init.headers }
  const response = await fetch(url, { method: 'POST', ...made, ...init, headers })
  return { response, text: await response.text() }
}

const query = (sql, _meta = {}) => ({
  method: 'tools/call',
  params: { name: 'query', arguments: { sql }, _meta },
})

async function givenUp(url, message) {
  const giving = AbortSignal.timeout(150)
  const left = await send(url, modern, message, { signal: giving }).then(
    () => false,
    () => giving.aborted,
  )
  if (!left) throw new Error('It was answered.')
}

async function answered(url, how, message, expected) {
  const { response, text } = await send(url, how, message)
  if (response.status !== 200 || !expected.test(text) || text.includes('"isError":true')) {
    throw new Error(`${response.status} ${text.slice(0, 200)}`)
  }
}

async function opened(url) {
  const params = {
    protocolVersion: LEGACY,
    capabilities: {},
    clientInfo: { name: 'soak', version: '1.0.0' },
  }
  const { response, text } = await send(url, { era: 'session' }, { method: 'initialize', params })
  const session = response.headers.get('mcp-session-id')
  if (!session) throw new Error(`no session: ${response.status} ${text.slice(0, 200)}`)
  return { era: 'session', version: LEGACY, session }
}

const named = ({ session, version }) => ({
  authorization,
  'mcp-session-id': session,
  'mcp-protocol-version': version,
})

const modern = { era: 'modern' }
const legacy = { era: 'legacy', version: LEGACY }
const ROWS = /"rowCount":\s*\d|"rows"|row/

/** The requests, each with its share in percent. */
const traffic = [
  [
    20,
    'modern: tools/list',
    (url) => answered(url, modern, { method: 'tools/list', params: {} }, /list_tables/),
  ],
  [
    20,
    'modern: query',
    (url) => answered(url, modern, query('select id, name from items limit 20'), ROWS),
  ],
  [
    10,
    'legacy: query',
    (url) => answered(url, legacy, query('select count(*) as row from items'), ROWS),
  ],
  [10, 'a slow query', (url) => answered(url, modern, query('select * from slow'), ROWS)],
  [4, 'a call given up in the middle', (url) => givenUp(url, query('select * from slower'))],
  [
    4,
    'the same, with progress in a stream',
    (url) => givenUp(url, query('select * from slower', { progressToken: 1 })),
  ],
  [
    12,
    'a session, used and ended',
    async (url) => {
      const how = await opened(url)
      await answered(url, how, query('select id from items limit 3'), ROWS)
      const { status } = await fetch(url, { method: 'DELETE', headers: named(how) })
      if (status !== 204) throw new Error(`DELETE: ${status}`)
    },
  ],
  [
    8,
    'a session, used and abandoned',
    async (url) => {
      const how = await opened(url)
      await answered(url, how, { method: 'tools/list', params: {} }, /list_tables/)
    },
  ],
  [
    7,
    'a session with a stream that breaks',
    async (url) => {
      const how = await opened(url)
      const leaving = new AbortController()
      const headers = { ...named(how), accept: 'text/event-stream' }
      const { status, body } = await fetch(url, { headers, signal: leaving.signal })
      if (status !== 200) throw new Error(`GET: ${status}`)
      const reader = body.getReader()
      await reader.read()
      await sleep(300)
      leaving.abort()
      await reader.closed.catch(() => {})
    },
  ],
  [
    5,
    'bad input',
    async (url) => {
      const wrong = wrongs[Math.floor(Math.random() * wrongs.length)]
      const { response, text } = await wrong(url)
      if (response.status >= 500 || !/"error"|"isError":true/.test(text)) {
        throw new Error(`${response.status} ${text.slice(0, 200)}`)
      }
    },
  ],
]

const wrongs = [
  (url) => send(url, modern, query('delete from items')),
  (url) => send(url, modern, query('select nothing from nowhere')),
  (url) => send(url, legacy, { method: 'tools/call', params: { name: 'none', arguments: {} } }),
  (url) => send(url, legacy, { method: 'none', params: {} }),
  (url) => send(url, legacy, query(''), { body: '{"jsonrpc":' }),
  (url) => send(url, legacy, query(''), { body: new Uint8Array([0x7b, 0xff, 0x7d]) }),
  (url) => send(url, legacy, query(''), { body: '['.repeat(2 << 20) }),
  (url) => send(url, { ...legacy, session: 'made.up' }, { method: 'tools/list', params: {} }),
  (url) => send(url, modern, query('select 1'), { headers: { 'mcp-name': 'another' } }),
  (url) => send(url, modern, query('select 1'), { headers: { authorization: 'Bearer wrong' } }),
]

function chosen() {
  let at = Math.random() * traffic.reduce((sum, [share]) => sum + share, 0)
  for (const [share, name, act] of traffic) {
    at -= share
    if (at < 0) return [name, act]
  }
  return traffic[0].slice(1)
}

/** The number of open connections of a process. */
const sockets = (pid) =>
  readdirSync(`/proc/${pid}/fd`).filter((it) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${it}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))

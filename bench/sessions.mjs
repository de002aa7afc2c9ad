// `node bench/sessions.mjs`: opens sessions, abandons them, and measures what is left after they
// expire, in storage and in the memory of the Workers runtime. README.md explains the numbers.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { start } from '../scripts/child.mjs'
import { node } from '../scripts/install.mjs'

const SESSIONS = Number(process.argv[2] ?? 1_000)
const AT_ONCE = 16

/** Sessions in test/servers/brief.ts end after 20 to 22 s without use. */
const LASTS_MS = 20_000

/** The runtime checks every 70 s, and drops objects from memory that were not used for 70 s. */
const PATIENCE_MS = 125_000

if (process.execPath !== node) {
  const own = start(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exit((await own.over) ?? 130)
}
setTimeout(() => {
  console.error('Not finished after 10 min.')
  process.exit(1)
}, 10 * 60_000).unref()

process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false' // stays on this machine
const { createTestHarness } = await import('wrangler')
const harness = createTestHarness({
  workers: [
    {
      config: {
        ...{ name: 'brief', main: './test/servers/brief.ts', send_metrics: false },
        ...{ compatibility_date: '2026-10-30', compatibility_flags: ['enable_request_signal'] },
        durable_objects: { bindings: [{ name: 'SESSIONS', class_name: 'McpSession' }] },
        exports: { McpSession: { type: 'durable-object', storage: 'sqlite' } },
      },
    },
  ],
})
const { url } = await harness.listen()
try {
  await bench()
} finally {
  await harness.close()
}
process.exit()

async function bench() {
  await abandon() // loads the code that is loaded on first use
  const before = memory()
  const began = Date.now()
  const ids = await inTurn(Array.from({ length: SESSIONS }), abandon)
  const opened = Date.now()
  const height = memory()
  console.log(`${SESSIONS} sessions opened in ${((opened - began) / 1000).toFixed(1)} s`)
  if (opened - began > LASTS_MS) {
    console.log('That is longer than a session lasts unused, so some have ended already.')
  }
  console.log(`objects with rows or alarms then: ${await left(ids)}`)
  await sleep(opened + PATIENCE_MS - Date.now())
  const after = memory()
  // Memory that the runtime has freed but not returned is used again.
  await inTurn(Array.from({ length: SESSIONS >> 1 }), abandon)
  const again = memory()
  console.log(`objects with rows or alarms after ${PATIENCE_MS / 1000} s: ${await left(ids)}`)
  console.log(
    `memory of workerd: ${before} MB before, ${height} MB at the height, ${after} MB after`,
  )
  console.log(`and ${again} MB with ${SESSIONS >> 1} sessions more`)
}

/** Opens a session, uses it, and forgets it. */
async function abandon() {
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  const opened = await post({ id: 1, method: 'initialize', params })
  const id = opened.headers.get('mcp-session-id')
  const named = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
  await post({ method: 'notifications/initialized' }, named)
  await post({ id: 2, method: 'tools/call', params: { name: 'count', arguments: {} } }, named)
  return id
}

async function post(message, headers) {
  const response = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
  const text = await response.text()
  if (!response.ok || text.includes('"error"')) throw new Error(`${response.status} ${text}`)
  return response
}

/** The number of these sessions' objects that store something. */
async function left(ids) {
  const held = await inTurn(ids, async (id) => {
    const [name] = id.split('.')
    const { rows, alarm } = await (await fetch(new URL(`/stored?name=${name}`, url))).json()
    return rows > 0 || alarm !== null
  })
  return held.filter(Boolean).length
}

/** Does work for each item, for several at a time. */
async function inTurn(items, action) {
  const done = []
  const rest = items.entries()
  const work = async () => {
    for (const [i, item] of rest) done[i] = await action(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return done
}

/** Memory in megabytes of the runtimes that this process started. */
function memory() {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,comm='], { encoding: 'utf8' })
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/))
  const isOurs = (pid) =>
    pid === String(process.pid) || (Number(pid) > 1 && isOurs(rows.find(([it]) => it === pid)?.[1]))
  const runtimes = rows.filter(([pid, , , command]) => /workerd$/.test(command) && isOurs(pid))
  return Math.round(runtimes.reduce((sum, [, , kilobytes]) => sum + Number(kilobytes), 0) / 1024)
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

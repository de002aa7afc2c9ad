// `node bench/scale.mjs`: plays a large deployment in simulated time, on the real code of the objects,
// and prints the load on the busiest object of each kind next to the platform's limits.
import { registerHooks } from 'node:module'
import { parseArgs } from 'node:util'
import { start } from '../scripts/child.mjs'
import { node } from '../scripts/install.mjs'
import { limits, others, prices } from './scale-limits.mjs'
import { digits, print } from './table.mjs'

const HELP = `Plays a large deployment in simulated time, in a few minutes.

  node bench/scale.mjs
  node bench/scale.mjs --isolates 50          isolates of the Worker (1,000)
  node bench/scale.mjs --sessions 10000       sessions (100,000), of which one in ten listens
  node bench/scale.mjs --calls 500            calls a second (5,000)
  node bench/scale.mjs --seconds 20           for so long (5), and as long again while a deploy replaces all isolates

It ends with 1 if a limit is exceeded.`

const { values: options } = parseArgs({
  options: {
    isolates: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '5' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (options.help) {
  console.log(HELP)
  process.exit()
}
if (process.execPath !== node || !process.execArgv.includes('--no-warnings')) {
  const flags = ['--no-warnings', '--max-old-space-size=6144']
  const again = start(node, [...flags, import.meta.filename, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exit((await again.over) ?? 130)
}

const ISOLATES = Number(options.isolates)
const SESSIONS = Number(options.sessions)
const CALLS = Number(options.calls)
const SECONDS = Number(options.seconds)

/** One in this many sessions keeps a stream open, to watch its endpoint's hub. */
const LISTENS = 10

/** Number of clients of the modern era that listen, each through a Worker. */
const LISTENERS = SESSIONS / 20

/** Seconds in which the sessions are opened, and in which their rate reaches its maximum. */
const OPENING = 100
const RAMP = 20

/** Seconds in which the calls reach their full rate. At first, no isolate has ever called a meter. */
const FIRST_CALLS = 10

/** Seconds in which the listeners of the modern era connect. */
const LISTENING = 5

/** Number of endpoints in the registry, and of those in use besides the first. */
const ENDPOINTS = 10_000
const USED_ENDPOINTS = 100

/**
 * Number of callers' keys. Four in five are for the first endpoint, and each of the rest is for another one.
 * Each key is used in one place in the network, which has ten isolates.
 */
const KEYS = 1_000
const PLACE = 10
const shopKey = () => 5 * Math.floor((Math.random() * KEYS) / 5) + 1 + Math.floor(Math.random() * 4)
const endpointOf = (key) => (key % 5 > 0 ? 'shop' : `e${(key / 5) % USED_ENDPOINTS}`)

/** One in this many calls has an answer that is cut off, and kept. */
const KEEPS = 500

const STEP_MS = 50

// Features that Workers have and Node does not.
const workers =
  'export class DurableObject { constructor(ctx, env) { this.ctx = ctx; this.env = env } }\nexport const waitUntil = () => {}\nexport const env = {}'
registerHooks({
  resolve: (name, context, next) =>
    name === 'cloudflare:workers'
      ? { url: `data:text/javascript,${encodeURIComponent(workers)}`, shortCircuit: true }
      : next(name, context),
})

const began = performance.now()
const { pass, settled } = await import('./scale-clock.mjs')
const { invoke, Objects } = await import('../test/support/objects.ts')
const z = await import('zod/mini')
const mcp = await import('../src/mcp/index.ts')
const { resultsOf } = await import('../src/gateway/answer/kept-results.ts')
const { callsOf, CallRecords, directory, Meter, Registry, registryIn } = await import(
  '../src/registry/index.ts'
)

const seal = mcp.sealWith('a key of the operator')
const HUB = 'hub:shop'

// ---- the objects -----------------------------------------------------------------------------------

const McpSession = mcp.sessionObject({
  server: (env) => serverIn(env.SESSIONS),
  seal: () => seal,
  namespace: (env) => env.SESSIONS,
})
let objectsMade = 0
const sessions = new Objects(
  // Each object is in its own isolate, which has to find out everything by itself.
  (state) => new McpSession(state, { SESSIONS: sessions.bindingOf(`object ${++objectsMade}`) }),
)
const registry = new Objects((state) => new Registry(state, { REGISTRY: registry.binding }))
const meters = new Objects((state) => new Meter(state, {}))
const records = new Objects((state) => new CallRecords(state, {}))

/** The server of the endpoint. Its tool stands for one of the gateway's tools, but does not query a database. */
function serverIn(binding) {
  return { ...server, changes: mcp.durableChanges(() => binding, HUB) }
}
const server = {
  name: 'shop',
  version: '1.0.0',
  tools: [
    mcp.tool({
      name: 'query',
      description: 'Runs a query',
      input: z.object({ sql: z.string() }),
      run: ({ sql }) => `[["${sql.length}"]]`,
    }),
  ],
}

/** An answer of four parts, which a store keeps. */
const large = {
  columns: [{ name: 'text', type: 'text' }],
  rows: Array.from({ length: 3_000 }, () => ['x'.repeat(100)]),
}

// ---- the isolates ----------------------------------------------------------------------------------

const mostOfWorker = { subrequests: 0 }
const background = new Set()
const waitUntil = (work) => {
  background.add(work)
  work.finally(() => background.delete(work))
}

const limited = {
  databases: { main: { url: 'd1:DB' } },
  name: 'shop',
  records: { count: 1_000_000, days: 30, literals: false },
  limits: {
    endpoint: { rowsPerDay: 1e12 },
  },
}

async function isolate(index) {
  const binding = sessions.bindingOf(`isolate ${index}`)
  const ask = registryIn(registry.bindingOf(`isolate ${index}`))
  const stores = mcp.durableStores(binding, seal)
  const changes = mcp.durableChanges(() => binding, HUB)
  const bindings = { METER: meters.binding, RECORDS: records.binding, TIDEGATE_KEY: 'key' }
  const calls = callsOf(bindings, waitUntil)
  const known = directory(ask, waitUntil)
  return {
    changes,
    kept: resultsOf('shop', { stores, seal }),
    options: {
      server: { ...server, changes },
      sessions: mcp.durableSessions(binding, seal),
      stores,
      seal,
    },
    /** Looks up what the door needs for each request: the endpoint and the key. */
    async find(endpoint, key) {
      const { key: entry } = await known.lookup({ endpoint, key })
      if (Date.now() - (entry?.usedAt ?? 0) > 5 * 60_000 && !used.has(`${index} ${key}`)) {
        used.add(`${index} ${key}`)
        waitUntil(ask('keyUsed', { id: key, at: Date.now() }))
      }
    },
    around: (call, run) => calls.of(call.endpoint).around(call, run),
  }
}
const used = new Set()
const isolates = await Promise.all(Array.from({ length: ISOLATES }, (_, i) => isolate(i)))

/** One of the isolates near a caller. */
const near = (key) => {
  const places = Math.max(1, Math.floor(ISOLATES / PLACE))
  const place = Math.floor((key * places) / KEYS)
  return isolates[(place * PLACE + Math.floor(Math.random() * PLACE)) % ISOLATES]
}

/** Runs a client's request in a Worker. */
async function request(key, endpoint, run) {
  const at = near(key)
  const { value, subrequests } = await invoke(async () => {
    await at.find(endpoint, `key${key}`)
    return run(at)
  })
  mostOfWorker.subrequests = Math.max(mostOfWorker.subrequests, subrequests)
  return value
}

// ---- the clients -----------------------------------------------------------------------------------

const url = 'https://tidegate.example/mcp/shop'
const accept = 'application/json, text/event-stream'
const post = (message, headers = {}) =>
  new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = (method, params, headers = {}) =>
  post(
    { method, params: { ...params, _meta: meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
  )

const ids = []
let told = 0
let watchers = 0

/** Counts the changes that arrive on a stream. */
async function readAll({ body }) {
  const decoder = new TextDecoder()
  for await (const chunk of body) told += decoder.decode(chunk).split('list_changed').length - 1
}

async function openSession(number) {
  const key = shopKey()
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  const opened = await request(key, 'shop', (at) =>
    mcp.serve(post({ method: 'initialize', params }), at.options),
  )
  await opened.text()
  const id = opened.headers.get('mcp-session-id')
  ids.push({ id, key })
  if (number % LISTENS > 0) return
  const named = { 'mcp-session-id': id }
  const initialized = post({ id: undefined, method: 'notifications/initialized' }, named)
  await request(key, 'shop', (at) => mcp.serve(initialized, at.options))
  const get = new Request(url, { headers: { accept: 'text/event-stream', ...named } })
  const stream = await request(key, 'shop', (at) => mcp.serve(get, at.options))
  if (stream.status !== 200) throw new Error(await stream.text())
  watchers++
  readAll(stream)
}

async function listen() {
  const params = { notifications: { resourcesListChanged: true } }
  const stream = await request(shopKey(), 'shop', (at) =>
    mcp.serve(modern('subscriptions/listen', params), at.options),
  )
  readAll(stream)
}

let failed = 0

async function call() {
  const session = Math.random() < 0.5 ? ids[Math.floor(Math.random() * ids.length)] : undefined
  const key = session?.key ?? Math.floor(Math.random() * KEYS)
  const endpoint = endpointOf(key)
  const asked = { name: 'query', arguments: { sql: 'select 1' } }
  const made = session
    ? post({ method: 'tools/call', params: asked }, { 'mcp-session-id': session.id })
    : modern('tools/call', asked, { 'mcp-name': 'query' })
  const keeps = Math.random() < 1 / KEEPS
  const context = { caller: { subject: `key:key${key}`, scopes: [] }, header: () => undefined }
  const facts = {
    ...{ asked: { method: 'tools/call', tool: 'query' }, context },
    endpoint: { ...limited, name: endpoint },
    ...{ trace: {}, startedAt: Date.now(), statements: [], rows: 10, bytes: 1_000 },
  }
  await request(key, endpoint, (at) =>
    at.around(facts, async () => {
      const answer = await mcp.serve(made, at.options)
      const text = await answer.text()
      if (!text.includes('"result"')) failed++
      if (keeps) {
        const uri = await at.kept.keep(large, undefined)
        await at.kept.read(uri.slice('result://'.length), undefined)
      }
      return {}
    }),
  )
}

// ---- the play --------------------------------------------------------------------------------------

const say = (text) => console.log(`${digits((performance.now() - began) / 1000)} s  ${text}`)

console.log(
  `${SESSIONS} sessions, ${SESSIONS / LISTENS} of which listen, ${LISTENERS} listeners of the modern era, ${CALLS} calls a second for ${SECONDS} s, on ${ISOLATES} isolates\n`,
)

const putting = registryIn(registry.binding)
const callers = Array.from({ length: KEYS }, (_, i) => `key${i}`)
await putting('putEndpoint', { entry: entryOf('shop'), isNew: true })
for (let i = 0; i < ENDPOINTS - 1; i++) {
  await putting('putEndpoint', { entry: entryOf(`e${i}`), isNew: true })
}
for (const id of callers) {
  const entry = { id, hash: '', label: id, endpoints: ['*'], scopes: ['db:read'], createdAt: 0 }
  await putting('putKey', { entry, isNew: true })
}
for (const it of registry.all.values()) it.forget()
await pass(1_000)
say(`the registry has ${ENDPOINTS} endpoints and ${KEYS} keys`)

function entryOf(name) {
  const value = { name, title: name, databases: { main: { url: 'demo:' } } }
  return { name, active: true, value, credentials: {}, changedAt: 0 }
}

/** Plays one second: this many events, spread over it. */
async function second(count, one, from = 0) {
  const steps = 1_000 / STEP_MS
  let begun = 0
  for (let step = 1; step <= steps; step++) {
    const until = Math.round((count * step) / steps)
    const begin = Array.from({ length: until - begun }, (_, i) => one(from + begun + i))
    begun = until
    await Promise.all(begin)
    await pass(STEP_MS)
    // All other objects' alarms are days away.
    await sessions.wake([sessions.get(HUB)])
  }
}

/** Publishes the version that an isolate found when it read the schema. */
const compare = (version, at) => at.changes.publish({ kind: 'tree', uri: 'schema://main', version })

/** The phases, and their start times. */
const phases = []
const phase = (name) => phases.push({ name, at: Date.now() })

phase('opening')
const rate = (s) => Math.min(1, (s + 1) / RAMP)
const rates = Array.from({ length: OPENING }, (_, s) => rate(s))
const whole = rates.reduce((sum, it) => sum + it)
let soFar = 0
for (const it of rates) {
  soFar += (SESSIONS * it) / whole
  await second(Math.round(soFar) - ids.length, openSession, ids.length)
  for (const object of sessions.all.values()) object.evict()
}
say(`${ids.length} sessions are open, ${watchers} of them listen`)

phase('listeners')
for (let s = 0; s < LISTENING; s++) await second(LISTENERS / LISTENING, listen)
say(`${LISTENERS} listeners came within ${LISTENING} s`)

phase('first calls')
for (let s = 1; s <= FIRST_CALLS; s++) await second(Math.round((CALLS * s) / FIRST_CALLS), call)
say('the calls have got to their full rate')

phase('calls')
for (let s = 0; s < SECONDS; s++) {
  const some = isolates.filter((_, i) => i % SECONDS === s)
  for (const it of some) void invoke(() => compare('1', it))
  await second(CALLS, call)
}
say(`${CALLS * SECONDS} calls were played`)

phase('a change')
for (const it of isolates.slice(0, ISOLATES / 2)) void invoke(() => compare('2', it))
await second(CALLS, call)
say(
  `half of the isolates found a change within a second: ${told} of ${watchers + LISTENERS} were told`,
)

phase('a deploy')
for (let s = 0; s < SECONDS; s++) {
  for (let i = s; i < ISOLATES; i += SECONDS) {
    isolates[i] = await isolate(i + ISOLATES)
    void invoke(() => compare('2', isolates[i]))
  }
  await second(CALLS, call)
}
await settled()
say(`all isolates were replaced within ${SECONDS} s; ${failed} calls failed`)

// ---- what it took ----------------------------------------------------------------------------------

const all = [...sessions.all.values()]
const kinds = [
  ['sessions', all.filter(({ rows }) => rows.has('session'))],
  ['hub', [sessions.get(HUB)]],
  ['stores of kept results', all.filter(({ rows }) => rows.has('store'))],
  ['Registry', [registry.get('registry')]],
  ['Meter', [...meters.all.values()]],
  ['CallRecords', [...records.all.values()]],
]
const phaseOf = (time) =>
  time === undefined ? '' : phases.findLast(({ at }) => at <= time + 999)?.name
const most = (objects, of) => objects.reduce((max, it) => Math.max(max, of(it)), 0)
const rows = kinds.map(([kind, objects]) => ({
  ...{ kind, objects: objects.length },
  requests: most(objects, (it) => it.most.requests),
  when: phaseOf(objects.toSorted((a, b) => b.most.requests - a.most.requests)[0]?.busiestAt),
  subrequests: most(objects, (it) => it.subrequests),
  sockets: most(objects, (it) => it.mostSockets),
  valueBytes: most(objects, (it) => it.mostBytes),
  stored: most(objects, (it) => it.stored),
  rowsRead: most(objects, (it) => it.most.rowsRead),
  rowsWritten: most(objects, (it) => it.most.rowsWritten),
}))
rows.push({
  ...{ kind: 'Worker', objects: ISOLATES, subrequests: mostOfWorker.subrequests },
})

console.log('\nThe busiest object of each kind, in its busiest second\n')
const number = (it) => (typeof it === 'number' ? it.toLocaleString('en') : (it ?? ''))
const limit = (what) => limits.find((it) => it.what === what)?.most
const columns = [
  'requests',
  'when',
  'subrequests',
  'sockets',
  'valueBytes',
  'stored',
  'rowsRead',
  'rowsWritten',
]
const titles = [
  'requests/s',
  'when',
  'subrequests',
  'sockets',
  'bytes of a row',
  'rows stored',
  'rows read/s',
  'rows written/s',
]
print(
  ['', 'objects', ...titles],
  [
    ...rows.map((it) => [it.kind, number(it.objects), ...columns.map((c) => number(it[c]))]),
    ['the limit', '', ...columns.map((it) => number(limit(it)))],
  ],
)

console.log('\nWhere the limits are from')
for (const { is, most, page, note } of limits) {
  console.log(`- ${number(most)} ${is}${note ? ` (${note})` : ''}: ${page}`)
}
for (const it of others) console.log(`- ${it}`)

const objects = [...all, ...registry.all.values(), ...meters.all.values(), ...records.all.values()]
const sum = (what) => objects.reduce((total, it) => total + it.total[what], 0)
const dollars = ['requests', 'rowsRead', 'rowsWritten'].map(
  (it) =>
    `${number(sum(it))} ${it === 'requests' ? 'requests' : it === 'rowsRead' ? 'rows read' : 'rows written'} ($${((sum(it) / 1e6) * prices[it]).toFixed(2)})`,
)
console.log(`\nAll of it took ${dollars.join(', ')}, at the prices of ${prices.page}`)

const exceeded = rows.flatMap((it) =>
  limits
    .filter(({ what, most }) => (it[what] ?? 0) > most)
    .map(
      ({ is, most, what }) =>
        `${it.kind}: ${number(it[what])} ${is}, and ${number(most)} are allowed`,
    ),
)
const watching = watchers + LISTENERS
const missed = told === watching ? [] : [`${watching} watched, and ${told} were told of the change`]
const problems = [...exceeded, ...missed, ...(failed ? [`${failed} calls failed`] : [])]
console.log(
  problems.length === 0
    ? '\nNo limit is exceeded.'
    : `\nExceeded:\n${problems.map((it) => `- ${it}`).join('\n')}`,
)
say(`done, with ${digits(process.memoryUsage.rss() / 2 ** 20)} MB of memory`)
process.exit(problems.length === 0 ? 0 : 1)

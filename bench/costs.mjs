// `node bench/costs.mjs`: the cost of a month at Cloudflare. Plays one user's working day against the
// protocol core, and counts everything that is billed: requests, requests to objects, rows written.
import { memoryStores, sealWith, serve, tool } from '../src/mcp/index.ts'
import { Session } from '../src/mcp/sessions/session.ts'
import { sessionLimits } from '../src/mcp/sessions/session-limits.ts'
import { signedSessions } from '../src/mcp/sessions/sessions.ts'
import { LEGACY, request } from './requests.mjs'
import { print } from './table.mjs'

/** Workers Paid: the monthly allowances, and the price in dollars of a million more. */
const BASE = 5
const prices = {
  'Worker requests': { included: 10e6, million: 0.3 },
  'CPU, ms': { included: 30e6, million: 0.02 },
  'object requests': { included: 1e6, million: 0.15 },
  'object duration, GB-s': { included: 400e3, million: 12.5 },
  'rows written': { included: 50e6, million: 1 },
}

/** Milliseconds for a message and for a query, rounded up from bench/results.md. */
const MESSAGE_MS = 0.5
const QUERY_MS = 10

/** Seconds until a query or another message is answered. A session runs both in its object. */
const QUERY_S = 0.3
const MESSAGE_S = 0.01

/** An object is billed for 128 MB, however much it uses. */
const GIGABYTES = 0.128

const DAYS = 22
const CONVERSATIONS = 6
const QUERIES = 10

/** Streams stay open for a working day, and are reopened every half hour. */
const STREAMS = 16
const KEEP_ALIVES = (8 * 3600) / 15
const KEEP_ALIVE_MS = 0.02

const server = {
  name: 'costs',
  version: '1.0.0',
  tools: [
    tool({ name: 'query', description: 'Queries', input: { type: 'object' }, run: () => 'rows' }),
  ],
}

/** Plays a client's day. @returns the number of times that each billed event happened */
async function day({ era, streams }) {
  const counted = { worker: 0, object: 0, rows: 0 }
  const seal = sealWith('costs')
  const objects = new Map()
  const sessions = signedSessions(seal, async (name, inner) => {
    counted.object++
    const session = objects.get(name) ?? new Session(home(counted))
    objects.set(name, session)
    if (inner.method === 'GET') {
      session.listen(undefined, inner.headers.get('last-event-id'))
      return new Response(null)
    }
    const place = { request: inner, server, caller: undefined, seal, callMs: 1_000 }
    return session.fetch({ ...place, accept: { json: true, stream: true } })
  })
  const options = { server, seal, stores: memoryStores(), ...(era === 'session' && { sessions }) }
  const send = (init) => {
    counted.worker++
    return serve(new Request('https://costs.example/mcp', init), options)
  }
  const post = async (how, message) => {
    const response = await send({ method: 'POST', ...request(how, message) })
    const text = await response.text()
    if (!response.ok || text.includes('"error"')) throw new Error(text)
    return response
  }
  let messages = 0
  let last
  for (let i = 0; i < CONVERSATIONS; i++) {
    let how = { era, version: LEGACY }
    if (era === 'modern') {
      await post(how, { method: 'server/discover', params: {} })
    } else {
      const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: {} }
      const opened = await post(how, { method: 'initialize', params })
      how = { ...how, session: opened.headers.get('mcp-session-id') }
      await post(how, { method: 'notifications/initialized', id: null, params: {} })
      messages++
    }
    await post(how, { method: 'tools/list', params: {} })
    messages += 2
    for (let n = 0; n < QUERIES; n++) {
      await post(how, { method: 'tools/call', params: { name: 'query', arguments: {} } })
    }
    last = how
  }
  if (streams) {
    for (let i = 0; i < STREAMS; i++) {
      const headers = { 'mcp-session-id': last.session, 'mcp-protocol-version': LEGACY }
      await send({ headers: { ...headers, accept: 'text/event-stream' } })
      messages++
    }
  }
  const queries = CONVERSATIONS * QUERIES
  const alarms = objects.size
  const inObjects = era === 'session' ? queries * QUERY_S + messages * MESSAGE_S : 0
  return {
    'Worker requests': counted.worker,
    'CPU, ms':
      queries * QUERY_MS + messages * MESSAGE_MS + (streams ? KEEP_ALIVES * KEEP_ALIVE_MS : 0),
    'object requests': counted.object + alarms,
    'object duration, GB-s': inObjects * GIGABYTES,
    'rows written': counted.rows,
  }
}

/** An object's environment. Counts all rows that are written, including alarms. */
function home(counted) {
  const values = new Map()
  return {
    storage: {
      get: (key) => values.get(key),
      put(key, value) {
        counted.rows++
        values.set(key, value)
      },
      delete(key) {
        counted.rows++
        values.delete(key)
      },
      list: ({ prefix }) => [...values].filter(([key]) => key.startsWith(prefix)),
    },
    limits: sessionLimits,
    listeners: () => [],
    wakeAt: () => {
      counted.rows++
    },
    clear: async () => {},
  }
}

const clients = {
  'modern, or legacy without a session': { era: 'modern' },
  'legacy, in sessions': { era: 'session' },
  'legacy, in sessions, with a stream all day': { era: 'session', streams: true },
}
const days = new Map()
for (const [name, how] of Object.entries(clients)) days.set(name, await day(how))

console.log('Counted for one user and a day:\n')
const things = Object.keys(prices)
const round = (it) => String(Math.round(it * 10) / 10)
print(
  ['', ...things],
  [...days].map(([name, counts]) => [name, ...things.map((it) => round(counts[it]))]),
)
console.log(`\nDollars for a month of ${DAYS} such days, the ${BASE} of the plan among them:\n`)
print(
  ['', '1 user', '100 users', '10,000 users'],
  [...days].map(([name, counts]) => [
    name,
    ...[1, 100, 10_000].map((users) => {
      const month = things.map((it) => {
        const { included, million } = prices[it]
        return (Math.max(0, counts[it] * DAYS * users - included) / 1e6) * million
      })
      return (BASE + month.reduce((sum, it) => sum + it, 0)).toFixed(2)
    }),
  ]),
)

// Measures the time that `query_table` waits for a distant database: each turn takes 30 ms on top of the
// time that the machine needs.
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { bytesOf, LEGACY, request } from './requests.mjs'
import { prepared } from './rounds.mjs'
import { digits, print, summary } from './table.mjs'
import { gateway } from './targets.mjs'
import { start } from './workerd.mjs'

/** Milliseconds per turn: the way there and back. */
const TURN_MS = 30

const KEY = 'tg_bench'

const SETUP = `
  create table orders (id integer primary key, customer varchar(80), paid integer);
  insert into orders values (1, 'ada', 10), (2, 'bob', 20);
`

/** Prints the times of the first and the second call. @returns a row for each measurement */
export async function far({ rounds }) {
  const { makeCertificate } = await import('../test/support/certificate.ts')
  const { startTlsPostgres } = await import('../test/support/postgres.ts')
  const certificate = makeCertificate()
  const postgres = certificate && (await startTlsPostgres(SETUP, certificate))
  if (!postgres) {
    console.log('All of it is left out: this machine has no PostgreSQL that encrypts.\n')
    return []
  }
  const rows = []
  const neon = new URL(postgres.url())
  const [direct, http] = await Promise.all([postgres.config.port, Number(neon.port)].map(farFrom))
  try {
    const ways = [
      ['PostgreSQL over TLS and SCRAM', postgres.tcp(postgres.reader, direct.port)],
      ['Neon over HTTP', neon.href.replace(`:${neon.port}/`, `:${http.port}/`)],
    ]
    const vars = (url) => ({ DATABASE_URL: url, TIDEGATE_KEY: KEY })
    const trusted = [certificate.cert]
    const targets = ways.map(([name, url]) => ({ ...gateway, name, vars: vars(url), trusted }))
    for (const { name, place } of await prepared(targets)) {
      for (let i = 0; i < rounds; i++) rows.push(...(await timed(name, place)))
    }
  } finally {
    for (const it of [direct, http]) it.close()
    await postgres.drop()
  }
  print(
    ['', 'ms', 'least–most'],
    summary(rows, undefined, 'ms').map(({ name, median, least, most }) => [
      ...[name, digits(median), `${digits(least)}–${digits(most)}`],
    ]),
  )
  return rows
}

/** Starts a new runtime, and measures its first call to the database and a later one. */
async function timed(name, place) {
  const server = await start(place)
  try {
    const list = { method: 'tools/list', params: {} }
    const table = { name: 'query_table', arguments: { table: 'orders' } }
    const call = { method: 'tools/call', params: table }
    await ask(server.port, list)
    const cold = await ask(server.port, call)
    if (!cold.text.includes('ada')) throw new Error(`${name}: ${cold.text.slice(0, 300)}`)
    // The role is inspected in the background.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const warm = await ask(server.port, call)
    return [
      { name: `${name}, first call`, ms: cold.ms },
      { name: `${name}, second call`, ms: warm.ms },
    ]
  } finally {
    await server.stop()
  }
}

/** Sends one request on its own connection. */
function ask(port, message) {
  const asked = request({ era: 'legacy', version: LEGACY }, message)
  asked.headers.authorization = `Bearer ${KEY}`
  asked.headers.connection = 'close'
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    let began
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
    socket.on('connect', () => {
      began = performance.now()
      socket.write(bytesOf(asked, '/mcp'))
    })
    socket.on('error', reject)
    socket.on('end', () => resolve({ text, ms: performance.now() - began }))
  })
}

/** Passes connections on to a port on this machine, as if it were far away. TCP's own handshake is a turn. */
function farFrom(port) {
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    client.on('error', () => {})
    setTimeout(() => {
      const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
      const later = (work) => void setTimeout(work, TURN_MS / 2)
      const pass = (from, to) => {
        from.on('data', (chunk) => later(() => to.destroyed || to.write(chunk)))
        from.on('close', () => later(() => to.destroy()))
      }
      upstream.on('error', () => {})
      pass(client, upstream)
      pass(upstream, client)
      client.resume()
    }, TURN_MS)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ port: server.address().port, close: () => server.close() })
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await far({ rounds: 5 })
  process.exit()
}

import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Io } from '../../src/database/database.ts'
import { DatabaseError, type Failure } from '../../src/database/error.ts'
import type { Limits } from '../../src/database/rows.ts'
import { startD1 } from '../servers/d1.ts'
import { greetEncrypted, mysqlReport, relay } from '../servers/faulty.ts'
import { startHrana } from '../servers/hrana.ts'
import { startPlanetScale } from '../servers/planetscale.ts'
import { startRqlite } from '../servers/rqlite.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { toSupabaseAt } from '../servers/supabase.ts'
import { encrypt, report, startTcp } from '../servers/tcp.ts'
import { makeCertificate } from '../support/certificate.ts'
import { startClickHouse } from '../support/clickhouse.ts'
import { hyperdriveTo } from '../support/hyperdrive.ts'
import { startMariaDb } from '../support/mariadb.ts'
import { open } from '../support/open.ts'
import { startPostgres } from '../support/postgres.ts'

/** In every password and token, in users that do not exist, and in all that a broken server says. */
const MARKER = 'hunter2-marker'

/** The time of an endpoint that sets none. */
const usual: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 20_000 }

/** What comes on top of the limit: a server's own timer goes first, goodbyes take time; and slack. */
const MARGIN_MS = 2_000 + 1_000 + 5_000

const sql = 'select 1 as it union all select 2 union all select 3'

/** A way to a server: a real one, or one of ours that speaks its protocol. */
interface Way {
  /** The port of the server that answers. */
  readonly port: number
  /** The URL that reaches it at another port, with a right or a wrong login. */
  url(port: number, login?: 'right' | 'wrong'): string
  io?(port: number): Io
  /** By HTTP, a success that holds nothing but an error; by TCP, an error at once. */
  readonly failing: string | Buffer
  /** How it encrypts, where that is not by HTTPS. */
  encrypted?(socket: Socket): void
}

const ways: Record<string, Way> = {}
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const plain: Io = { fetch, bindings: {} }
const stranger = makeCertificate()
const portOf = (url: string) => Number(new URL(url).port)
const at = (url: string, port: number, user: string, password: string) =>
  url.replace(/\/\/[^/]*/, `//${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`)

/** The same way by a Hyperdrive binding. */
const behindHyperdrive = (direct: Way): Way => ({
  ...direct,
  url: (_, login = 'right') => `hyperdrive:${login}`,
  io: (port) => {
    const binding = (login: 'right' | 'wrong') => hyperdriveTo(direct.url(port, login))
    return { fetch, bindings: { right: binding('right'), wrong: binding('wrong') } }
  },
})

const postgres = await startPostgres('')
if (postgres) {
  closing.push(() => postgres.drop())
  const { reader } = postgres
  const user = (login = 'right') => (login === 'right' ? reader : `${MARKER}-user`)
  const direct = {
    port: postgres.config.port!,
    url: (port, login) => at(postgres.tcp(), port, user(login), MARKER),
    failing: report('57P01', `terminating ${MARKER}`),
    encrypted: (socket) => encrypt(socket, stranger!, postgres.config.port!),
  } satisfies Way as Way
  ways.postgres = direct
  ways.hyperdrive = behindHyperdrive(direct)
  ways.supabase = {
    port: postgres.supabase.port,
    url: (_, login = 'right') =>
      postgres.supabase.url(reader).replace('sbp_', login === 'right' ? 'sbp_' : `${MARKER}-`),
    io: toSupabaseAt,
    failing: JSON.stringify({ message: `Failed to run sql query: ${MARKER}` }),
  }
  ways.neon = {
    port: portOf(postgres.url()),
    url: (port, login) => at(postgres.url(), port, user(login), MARKER),
    failing: JSON.stringify({ code: '57P01', message: `terminating ${MARKER}`, severity: 'FATAL' }),
  }
}

const mariadb = await startMariaDb(
  (reader) => `create user ${reader}_locked identified by '${MARKER}'`,
)
if (mariadb) {
  const user = `${mariadb.reader}_locked`
  await mariadb.admin(`grant select on ${mariadb.database}.* to ${user}`)
  const planetscale = await startPlanetScale(mariadb)
  closing.push(
    () => mariadb.drop(),
    () => mariadb.admin(`drop user ${user}`),
    () => planetscale.close(),
  )
  const password = (login = 'right') => (login === 'right' ? MARKER : `wrong-${MARKER}`)
  const direct = {
    port: mariadb.port,
    url: (port, login) => at(mariadb.url(), port, user, password(login)),
    failing: mysqlReport(1053, `Server shutdown ${MARKER}`),
    encrypted: (socket) => greetEncrypted(socket, stranger!),
  } satisfies Way as Way
  ways.mysql = direct
  ways.hyperdriveMysql = behindHyperdrive(direct)
  ways.planetscale = {
    port: portOf(planetscale.url('x')),
    url: (port, login) => at(planetscale.url('x'), port, user, password(login)),
    failing: JSON.stringify({
      session: null,
      error: { code: 'UNAVAILABLE', message: `${MARKER} (CallerID: ${MARKER})` },
    }),
  }
}

const clickhouse = await startClickHouse([])
if (clickhouse) {
  closing.push(() => clickhouse.stop())
  const wrong = (url: string) => url.replace(/reader:[^@]*/, `reader:wrong-${MARKER}`)
  ways.clickhouse = {
    port: portOf(clickhouse.url()),
    url: (port, login) => {
      const url = clickhouse.url('reader').replace(/:\d+\//, `:${port}/`)
      return login === 'wrong' ? wrong(url) : url
    },
    failing: `a\nUInt8\n1\nCode: 210, e.displayText() = DB::NetException: ${MARKER}, e.what() = x`,
  }
}

const [libsql, d1, rqlite] = await Promise.all([startHrana([]), startD1([]), startRqlite([])])
closing.push(
  () => rqlite.close(),
  () => libsql.close(),
  () => d1.close(),
)
const token = (login = 'right') => (login === 'right' ? TOKEN : `wrong-${MARKER}`)
ways.libsql = {
  port: libsql.port,
  url: (port, login) => `libsql://127.0.0.1:${port}?authToken=${token(login)}`,
  failing: JSON.stringify({
    baton: null,
    results: Array(3).fill({ type: 'error', error: { message: MARKER, code: 'INTERNAL' } }),
  }),
}
ways.rqlite = {
  port: rqlite.port,
  url: (port, login) => `rqlite://reader:${token(login)}@127.0.0.1:${port}`,
  failing: JSON.stringify({ results: [], error: `leadership lost: ${MARKER}` }),
}
ways.d1 = {
  port: d1.port,
  url: (_, login) => `d1://:${token(login)}@an-account/a-database`,
  io: (port) => ({
    bindings: {},
    fetch: (url, init) =>
      fetch(String(url).replace('https://api.cloudflare.com', `http://127.0.0.1:${port}`), init),
  }),
  failing: JSON.stringify({
    success: false,
    errors: [{ code: 7500, message: `internal error; reference = ${MARKER}` }],
    result: [],
  }),
}

/** Bindings answer like these, whatever is behind them; what they throw is the platform's. */
const rawOf = (port: number) => async (sql: string, params: readonly unknown[]) => {
  const path = '/client/v4/accounts/an-account/d1/database/a-database/raw'
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ sql, params }),
  })
  const text = await response.text()
  if (!text.startsWith('{')) {
    throw new Error(`D1_ERROR: Failed to parse body as JSON, got: ${text}`)
  }
  const body = JSON.parse(text)
  if (!body.success) throw new Error(`D1_ERROR: ${body.errors[0].message}`)
  const { columns, rows } = body.result.at(-1).results
  return [columns, ...rows]
}
ways['d1 by binding'] = {
  port: d1.port,
  url: () => 'd1:SHOP',
  io: (port) => {
    const bind = (sql: string) => ({
      bind: (...params: unknown[]) => ({ raw: () => rawOf(port)(sql, params) }),
    })
    return { fetch, bindings: { SHOP: { prepare: bind } } }
  },
  failing: ways.d1.failing,
}
const store = createServer((_, response) => {
  const columns = [{ name: 'it', type: 'integer' }]
  response.end(JSON.stringify({ columns, rows: [[1], [2], [3]], truncated: false }))
})
await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
closing.push(() => store.close())
ways.demo = {
  port: (store.address() as AddressInfo).port,
  url: () => 'demo:',
  io: (port) => {
    const object = {
      fetch: (_: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}`, init),
    }
    const DEMO = { idFromName: (name: string) => name, get: () => object }
    return { fetch, bindings: { DEMO } }
  },
  failing: JSON.stringify({ error: { kind: 'network', message: 'The store is out of order.' } }),
}

const all = Object.entries(ways)
const withLogin = all.filter(([name]) => name !== 'd1 by binding' && name !== 'demo')
const byTcp = all.filter(([, { failing }]) => typeof failing !== 'string')
const byHttp = all.filter(([, { failing }]) => typeof failing === 'string')
const overTls = byHttp.filter(([name]) => name !== 'd1 by binding' && name !== 'demo')

interface Outcome {
  readonly kind: Failure | 'answered'
  readonly message: string
  readonly ms: number
}

/** Asks, and looks at all there is of an error for what must not get out. */
async function ask(url: string, io: Io, more: Partial<Limits> = {}): Promise<Outcome> {
  const limits = { ...usual, ...more }
  const began = performance.now()
  try {
    const answer = await open(url, io).query({ sql }, limits)
    // A union has no order.
    expect(answer.rows.map(String).sort()).toEqual(['1', '2', '3'])
    expect(answer.truncated).toBe(false)
    return { kind: 'answered', message: '', ms: performance.now() - began }
  } catch (error) {
    const ms = performance.now() - began
    if (!(error instanceof DatabaseError)) throw error
    const { stack, kind, message, hint, code } = error
    const said = [stack, JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })]
    for (const part of [...said, message, hint, code]) {
      expect(part ?? '').not.toMatch(new RegExp(`${MARKER}|127\\.0\\.0\\.1|tidegate_|Bearer|Basic`))
    }
    // Sentences, for whoever asked.
    expect(message).toMatch(/^[A-Z][^\n]{10,200}\.$/)
    if (hint) expect(hint).toMatch(/^[A-Z][^\n]{10,200}\.$/)
    expect(ms).toBeLessThan(limits.timeoutMs + MARGIN_MS)
    return { kind, message, ms }
  }
}

/** Asks by a way whose server does this with every connection. Nothing stays open on it. */
async function through(
  { url, failing, io = () => plain }: Way,
  serve: (socket: Socket) => void,
  more: Partial<Limits> = {},
  dress: (io: Io) => Io = (it) => it,
): Promise<Outcome> {
  const server = await startTcp(serve)
  const outcome = await ask(url(server.port), dress(io(server.port)), more)
  // Those of HTTP are the platform's, which keeps them for a while.
  if (typeof failing !== 'string') await expect.poll(() => server.open).toBe(0)
  await server.close()
  return outcome
}

/** What a fault must lead to: a kind of failure and its sentence, maybe another for some ways. */
type Expected = readonly [kind: Outcome['kind'] | RegExp, message: RegExp]

const gone: Expected = [
  'network',
  /cannot be reached|broke off|only a status|cannot answer|could not answer/,
]
const either: Expected = [/^(?:network|timeout)$/, /reached|stopped/]
const late: Expected = ['timeout', /^The query was stopped after [\d.]+ seconds\.$/]

const consoles = ['log', 'info', 'warn', 'error', 'debug'] as const
beforeEach(() => {
  for (const it of consoles) vi.spyOn(console, it)
})
afterEach(() => {
  for (const it of consoles) {
    const { calls } = vi.mocked(console[it]).mock
    expect(inspect(calls, { depth: 9 })).not.toContain(MARKER)
  }
  vi.restoreAllMocks()
})

const faults: readonly [
  what: string,
  run: (way: Way) => Promise<Outcome>,
  expected: Readonly<Record<string, Expected>>,
  those?: typeof all,
][] = [
  [
    'a port where nothing listens',
    ({ url, io = () => plain }) => ask(url(9), io(9)),
    { all: gone },
  ],
  ['a server that hangs up at once', (way) => through(way, (it) => it.destroy()), { all: gone }],
  [
    'a server that is another',
    (way) => through(way, (it) => void it.end(`SSH-2.0-OpenSSH_9.2 ${MARKER}\r\n`)),
    { all: gone },
  ],
  [
    'a server that never answers',
    (way) => through(way, () => {}, { timeoutMs: 600 }),
    // Nobody was let in: by TCP that is known.
    { all: late, postgres: gone, hyperdrive: gone, mysql: gone, hyperdriveMysql: gone },
  ],
  [
    'a wrong login',
    ({ url, io = () => plain, port }) => ask(url(port, 'wrong'), io(port)),
    { all: ['auth', /refused the login|refuses the token/] },
    withLogin,
  ],
  [
    'an answer of which half comes',
    (way) =>
      through(way, (it) => relay(it, way.port, { room: { left: 150 }, ends: 'silent' }), {
        timeoutMs: 600,
      }),
    { all: late, postgres: either, hyperdrive: either, mysql: either, hyperdriveMysql: either },
  ],
  [
    'a server that is slow',
    (way) => through(way, (it) => relay(it, way.port, { slow: { ms: 25, bytes: 200 } })),
    { all: ['answered', /^$/] },
  ],
  [
    'a server that is too slow',
    (way) =>
      through(way, (it) => relay(it, way.port, { slow: { ms: 500, bytes: 20 } }), {
        timeoutMs: 600,
      }),
    { all: late, postgres: gone, hyperdrive: gone, mysql: gone, hyperdriveMysql: gone },
  ],
  [
    'a database that has to wake for 5 seconds',
    (way) => {
      const awakeAt = performance.now() + 5_000
      return through(way, (it) => relay(it, way.port, { awakeAt }))
    },
    { all: ['answered', /^$/] },
  ],
]

// All at once: most of them only wait.
const outcomes = new Map<string, Promise<Outcome>>()
beforeAll(() => {
  for (const [what, run, , those = all] of faults) {
    for (const [name, way] of those) {
      const outcome = run(way)
      outcome.catch(() => {})
      outcomes.set(`${what}: ${name}`, outcome)
    }
  }
})

describe.each(faults)('%s', (what, _run, expected, those = all) => {
  test.each(those)('is told as what it is: %s', async (name) => {
    const { kind, message } = await outcomes.get(`${what}: ${name}`)!
    const [right, sentence] = expected[name] ?? expected.all!
    expect([kind, message]).toEqual([expect.stringMatching(right), expect.stringMatching(sentence)])
  })
})

describe('an answer', () => {
  /** How many bytes of answers a whole query takes. */
  const measured = async (way: Way) => {
    const room = { left: 1e9 }
    await through(way, (it) => relay(it, way.port, { room }))
    return 1e9 - room.left
  }
  const cutAt = (way: Way, left: number) => {
    const room = { left }
    return through(way, (it) => relay(it, way.port, { room }))
  }

  test.each(all)('is whole or none, wherever it is cut: %s', async (_, way) => {
    const length = await measured(way)
    const places = Array.from({ length: 40 }, (_, i) => Math.floor((i * length) / 40))
    const ends = Array.from({ length: 10 }, (_, i) => length - 1 - i)
    const outcomes = await Promise.all([...places, ...ends].map((it) => cutAt(way, it)))
    const kinds = outcomes.map(({ kind }) => kind)
    expect(new Set(kinds.filter((it) => it !== 'answered'))).toEqual(new Set(['network']))
    expect(kinds[0]).toBe('network')
  })

  test.each(byHttp)('may be an error within a success: %s', async (_, way) => {
    const server = createServer((_request, response) => response.end(way.failing))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { kind, message } = await ask(way.url(port), way.io?.(port) ?? plain)
    server.closeAllConnections()
    server.close()
    expect([kind, message]).toEqual(['network', expect.any(String)])
  })

  test.each(byTcp)('may be an error at once: %s', async (_, way) => {
    const { kind } = await through(way, (it) => void it.end(way.failing))
    expect(kind).toBe('network')
  })

  test.each(
    byHttp.flatMap(([name, way]) =>
      [507, 429, 500, 502, 503, 504, 302].map((status) => [name, status, way] as const),
    ),
  )('may be a page of somebody else: %s, %i', async (name, status, way) => {
    const server = createServer((_request, response) => {
      const location = `http://127.0.0.1:9/${MARKER}`
      response.writeHead(status, { location }).end(`<h1>${MARKER}</h1> at 127.0.0.1`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { kind } = await ask(way.url(port), way.io?.(port) ?? plain)
    server.closeAllConnections()
    server.close()
    expect(kind).toBe(status === 507 && name === 'neon' ? 'too_large' : 'network')
  })
})

describe.skipIf(!stranger)('a certificate that nobody vouches for', () => {
  test.each(byTcp.filter(([name]) => !name.startsWith('hyperdrive')))(
    'is not taken: %s',
    async (name, way) => {
      const mode = name === 'mysql' ? 'ssl-mode=REQUIRED' : 'sslmode=require'
      const secure = { ...way, url: (port: number) => `${way.url(port)}?${mode}` }
      const { kind, message } = await through(secure, way.encrypted!)
      expect([kind, message]).toEqual(['config', expect.stringMatching(/^The database cert/)])
    },
  )

  test.each(overTls)('is not taken: %s', async (_, way) => {
    const dressed = ({ bindings, fetch: send }: Io): Io => ({
      bindings,
      fetch: (url, init) =>
        send(String(url).replace(/^http:\/\/127/, 'https://127'), init).catch((error) => {
          expect(inspect(error)).toMatch(/self-signed/)
          throw error
        }),
    })
    const { kind } = await through(
      way,
      (it) => void new TLSSocket(it, { isServer: true, ...stranger! }).on('error', () => {}),
      {},
      dressed,
    )
    expect(kind).toBe('network')
  })
})

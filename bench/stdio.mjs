// Measures the cost of the command over stdio: until its first response, for each call, and in memory.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { digits, print } from './table.mjs'

const program = resolve(import.meta.dirname, '../bin/tidegate.mjs')
const env = { PATH: process.env.PATH, HOME: '/nonexistent' }

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const messageOf = (id, name, args) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args, _meta },
})

/** Starts the command, with a way to call it. */
function started(args) {
  const child = spawn(process.execPath, [program, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  let id = 0
  const send = (message) => {
    const { promise, resolve } = Promise.withResolvers()
    waiting.set(message.id, resolve)
    child.stdin.write(`${JSON.stringify(message)}\n`)
    return promise
  }
  return {
    pid: child.pid,
    discover: () =>
      send({ jsonrpc: '2.0', id: ++id, method: 'server/discover', params: { _meta } }),
    async call(name, args) {
      const { result } = await send(messageOf(++id, name, args))
      if (!result || result.isError) throw new Error(JSON.stringify(result))
      return result
    },
    async end() {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

/** Milliseconds until a demo has answered `server/discover`, and until it has answered a query. */
export async function firstAnswers(rounds) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const bare = performance.now()
    await once(spawn(process.execPath, ['-e', '0']), 'close')
    const began = performance.now()
    const it = started(['--demo'])
    await it.discover()
    const said = performance.now()
    await it.call('query', { sql: 'select count(*) from orders' })
    times.push([began - bare, said - began, performance.now() - began])
    await it.end()
  }
  return [0, 1, 2].map((i) => median(times.map((it) => it[i])))
}

/** Processor time of a call by the core and over stdio in microseconds, and their ratio, for each database. */
async function callCosts(databases, { rounds, calls }) {
  const rows = []
  for (const { name, url, sql } of databases) {
    const message = JSON.stringify(messageOf(1, 'query', { sql }))
    const variables = { DATABASE_URL: urlOf(url), PRIVATE_HOSTS: '*' }
    const core = spawn(
      process.execPath,
      [resolve(import.meta.dirname, 'stdio-core.mjs'), message, JSON.stringify(variables)],
      { env, stdio: ['pipe', 'pipe', 'inherit'] },
    )
    const lines = createInterface({ input: core.stdout })[Symbol.asyncIterator]()
    const byCore = async () => {
      const before = busy(core.pid)
      core.stdin.write(`${calls}\n`)
      await lines.next()
      return (busy(core.pid) - before) / 1_000 / calls
    }
    const it = started([url])
    const byPipe = async () => {
      const before = busy(it.pid)
      for (let n = 0; n < calls; n++) await it.call('query', { sql })
      return (busy(it.pid) - before) / 1_000 / calls
    }
    await byCore()
    await byPipe()
    const found = []
    for (let round = 0; round < rounds; round++) {
      const both =
        round % 2 ? [await byCore(), await byPipe()] : [await byPipe(), await byCore()].reverse()
      found.push([...both, both[1] / both[0]])
    }
    rows.push({
      name,
      ...Object.fromEntries(
        ['core', 'stdio', 'ratio'].map((what, i) => [what, median(found.map((it) => it[i]))]),
      ),
    })
    core.stdin.end()
    await it.end()
  }
  return rows
}

/** The command takes a path, and the gateway a URL. */
const urlOf = (url) => (url.startsWith('/') ? `sqlite:${url}` : url)

/** Peak memory of the command and the processes it started, in MiB, after queries on a million rows. */
async function memory(databases) {
  const rows = []
  for (const { name, url, table, asks } of databases) {
    const it = started([url])
    await it.call('query', { sql: `select * from ${table}` })
    const once = most(it.pid)
    await it.call('query', { sql: `select count(*) from ${table}` })
    for (let n = 0; n < asks; n++) await it.call('query', { sql: `select * from ${table}` })
    rows.push({ name, once, often: most(it.pid) })
    await it.end()
  }
  return rows
}

/** Measures everything, on this machine's databases. */
export async function stdio({ quick }) {
  const { startPostgres } = await import('../test/support/postgres.ts')
  const { startMariaDb } = await import('../test/support/mariadb.ts')
  const [bare, said, answered] = await firstAnswers(quick ? 3 : 10)
  print(
    ['ms, --demo', 'a bare node', 'first answer', 'first answer of a query'],
    [['', digits(bare), digits(said), digits(answered)]],
  )
  const million = 'create table million as select'
  const text = "concat('name of row ', n) as name, n * 1.5 as price"
  const postgres = await startPostgres(`${million} n, ${text} from generate_series(1, 1000000) n;
    create table few as select * from million limit 100`)
  const mariadb =
    await startMariaDb(`${million} seq as n, ${text.replaceAll('n)', 'seq)').replace('n *', 'seq *')} from seq_1_to_1000000;
    create table few as select * from million limit 100`)
  const folder = mkdtempSync(join(tmpdir(), 'bench-stdio-'))
  const file = join(folder, 'million.sqlite')
  const sqlite = new DatabaseSync(file)
  sqlite.exec(`create table million as
    with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 1000000)
    select n, ${text} from counted;
    create table few as select * from million limit 100`)
  sqlite.close()
  const databases = [
    { name: 'the demo', url: 'demo:', sql: 'select id, status from orders limit 100' },
    ...(postgres
      ? [
          {
            name: 'PostgreSQL',
            url: `${postgres.tcp(postgres.reader)}?sslmode=disable`,
            sql: 'select * from few',
          },
        ]
      : []),
    ...(mariadb
      ? [{ name: 'MariaDB', url: mariadb.url(mariadb.reader), sql: 'select * from few' }]
      : []),
    { name: 'a SQLite file', url: file, sql: 'select * from few' },
  ]
  try {
    const costs = await callCosts(
      databases,
      quick ? { rounds: 2, calls: 100 } : { rounds: 6, calls: 300 },
    )
    print(
      ['CPU µs of a call', 'by the core', 'over stdio', 'ratio'],
      costs.map((it) => [it.name, digits(it.core), digits(it.stdio), `${it.ratio.toFixed(2)}×`]),
    )
    const held = await memory(
      databases.slice(1).map((it) => ({ ...it, table: 'million', asks: quick ? 100 : 1_000 })),
    )
    print(
      ['most memory, MiB', 'a million rows', 'asked again and again'],
      held.map((it) => [it.name, digits(it.once), digits(it.often)]),
    )
    return { first: { bare, said, answered }, costs, held }
  } finally {
    rmSync(folder, { recursive: true })
    await postgres?.drop()
    await mariadb?.drop()
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Nanoseconds that a process's threads have run. */
function busy(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((it) => readFileSync(`/proc/${pid}/task/${it}/schedstat`, 'utf8'))
  return times.reduce((sum, it) => sum + Number(it.split(' ')[0]), 0)
}

/** Peak memory of a process and of each process it started, in MiB. Shared memory counts for each of them. */
function most(pid) {
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
  return Number(kibibytes) / 1024 + started.reduce((sum, it) => sum + most(it), 0)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await stdio({ quick: process.argv.includes('--quick') })
  process.exit()
}

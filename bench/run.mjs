// `npm run bench`: compares Tidegate with other ways to serve MCP on Workers, on this machine.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { start as startProgram } from '../scripts/child.mjs'
import { node } from '../scripts/install.mjs'

const HELP = `Measures Tidegate beside its peers, on Linux.

  npm run bench                                 everything, in about ten minutes
  npm run bench -- --quick                      fewer rounds, in less than three
  npm run bench -- --only size,load             some of: size, startup, load, streaming, databases, dbhub, connections, far, growth, registry, stdio, servers
  npm run bench -- --against REF                Tidegate as it was at a commit, in the same rounds, and what is worse now
  npm run bench -- --profile tidegate,modern,small    where the time of a request goes
  npm run bench -- --soak 10                    mixed traffic for so many minutes`

if (process.execPath !== node) {
  const again = startProgram(
    node,
    ['--no-warnings', import.meta.filename, ...process.argv.slice(2)],
    {
      stdio: 'inherit',
    },
  )
  process.exit((await again.over) ?? 130)
}
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    against: { type: 'string' },
    profile: { type: 'string' },
    soak: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (options.help) {
  console.log(HELP)
  process.exit()
}
if (!existsSync('/proc/self/schedstat')) {
  console.error('Processor time is read from /proc, which only Linux has.')
  process.exit(1)
}
await install()
// Bundles the libraries that the drivers import.
await import('../scripts/vendor.mjs')

const { soak } = await import('./soak.mjs')
const { profile } = await import('./profile.mjs')
const { version } = await import('./workerd.mjs')
const { cases, gatewayCases } = await import('./requests.mjs')
const { earlier, gateway, targets: all } = await import('./targets.mjs')
const { inRounds, prepared } = await import('./rounds.mjs')
const { worse } = await import('./worse.mjs')
const { round } = await import('./load.mjs')
const { digits, print, summary, times } = await import('./table.mjs')

if (options.soak) process.exit(await soak(Number(options.soak)))
if (options.profile) {
  const [name, era, which] = options.profile.split(',')
  const target = all.find((it) => it.name === name)
  if (!target?.eras.includes(era) || !(which in cases)) {
    console.error('Name a target, an era it supports and a case: --profile tidegate,modern,small')
    process.exit(1)
  }
  await profile(target, era, which)
  process.exit()
}

const full = { rounds: 4, warm: 0.6, seconds: 0.5 }
const quick = { rounds: 2, warm: 0.4, seconds: 0.3 }
const bounds = options.quick ? quick : full
const wanted = options.only?.split(',')
const measured = {}
const section = async (name, title, work) => {
  if (wanted && !wanted.includes(name)) return
  console.log(`\n## ${title}\n`)
  measured[name] = await work()
}

console.log(
  `${cpus()[0].model}, ${cpus().length} cores, Linux ${release()}, Node ${process.versions.node}, workerd ${version}, ${new Date().toISOString().slice(0, 10)}, load ${loadavg()[0].toFixed(1)}`,
)
let before
if (options.against) {
  const { checkedOut } = await import('./against.mjs')
  before = await checkedOut(options.against)
}
const versions = (target) => [target, ...(before ? [earlier(target, before)] : [])]
const list = await prepared(
  [...all, gateway].flatMap((it) =>
    ['tidegate', 'gateway'].includes(it.name) ? versions(it) : it,
  ),
)

await section('size', 'Size of the Worker, three tools', () => {
  const rows = list.map(({ name, says, bytes, gzipped }) => ({ name, says, bytes, gzipped }))
  print(
    ['', 'minified KiB', 'gzip -9 KiB', 'what it is'],
    rows.map(({ name, says, bytes, gzipped }) => [
      ...[name, digits(bytes / 1024, 1), digits(gzipped / 1024, 1)],
      says,
    ]),
  )
  return rows
})

await section('startup', 'A cold process until its first answer', async () => {
  const { startup } = await import('./startup.mjs')
  const rows = await startup(list, { rounds: options.quick ? 3 : 10 })
  const wall = summary(rows, 'floor-hono', 'ms')
  const cpu = summary(rows, 'floor-hono', 'cpu')
  const base = [wall, cpu].map((it) => it.find(({ name }) => name === 'floor-hono').median)
  print(
    ['', 'ms', 'least–most', 'above Hono, ms', 'CPU ms', 'above Hono, CPU ms'],
    wall.map((it, i) => [
      ...[it.name, digits(it.median, 1), `${digits(it.least)}–${digits(it.most)}`],
      ...[digits(it.median - base[0], 1), digits(cpu[i].median, 1)],
      digits(cpu[i].median - base[1], 1),
    ]),
  )
  return rows
})

await section('load', 'Processor time of a request, 32 connections', async () => {
  const isGateway = ({ entry }) => entry === gateway.entry
  const rows = await inRounds(list, bounds.rounds, (it) =>
    isGateway(it)
      ? round({ ...it, eras: ['modern'] }, gatewayCases, bounds)
      : round(it, cases, bounds),
  )
  for (const [what, of] of Map.groupBy(rows, (it) => it.what)) {
    console.log(`\n${what}\n`)
    print(
      ['', 'CPU µs', 'least–most', 'to the floor', 'p50 ms'],
      summary(of, what.startsWith('session') ? 'floor-object' : 'floor')
        .toSorted((a, b) => a.median - b.median)
        .map((it) => [
          ...[it.name, digits(it.median), `${digits(it.least)}–${digits(it.most)}`],
          ...[times(it.ratio), digits(it.p50, 1)],
        ]),
    )
  }
  return rows
})

// A single round would not show how much a comparison varies.
const few = { ...bounds, rounds: options.quick ? (before ? 2 : 1) : 3, before }
const longer = { ...few, warm: few.warm * 1.5, seconds: few.seconds * 2 }

await section('streaming', 'Processor time of an event of a stream', async () => {
  const { streaming } = await import('./streaming.mjs')
  const rows = await streaming(few)
  byQuestion(rows, () => 'a bare ReadableStream', 2)
  return rows
})

await section('databases', 'Processor time of a query, 1,000 rows of 10 columns', async () => {
  const { databases } = await import('./databases.mjs')
  const rows = await databases(longer)
  byQuestion(rows, (first) => first)
  return rows
})

await section('dbhub', 'Processor time of a tool call that queries PostgreSQL', async () => {
  const { dbhub } = await import('./dbhub.mjs')
  const rows = await dbhub(longer)
  byQuestion(rows, (first) => first)
  return rows
})

await section('connections', 'What a tool call waits for on its way to a database', async () => {
  const { connections } = await import('./connections.mjs')
  return connections()
})

await section('far', 'How long query_table waits where a turn takes 30 ms', async () => {
  const { far } = await import('./far.mjs')
  return far({ rounds: options.quick ? 2 : 5 })
})

await section('growth', 'Processor time of a request, as there is more', async () => {
  const { growth } = await import('./growth.mjs')
  const rows = await growth(few)
  byQuestion(rows, (first) => first)
  return rows
})

await section('registry', 'Processor time of a request, by where its endpoint is', async () => {
  const { registry } = await import('./registry.mjs')
  const rows = await registry(few)
  byQuestion(rows, (first) => first)
  return rows
})

await section('stdio', 'The command over stdio', async () => {
  const { stdio } = await import('./stdio.mjs')
  return stdio({ quick: options.quick })
})

await section('servers', 'The same servers with the official SDK', async () => {
  const { compareServers } = await import('./servers.mjs')
  return compareServers({ ...bounds, rounds: options.quick ? 3 : 6 })
})

if (before) {
  const { compared, lines } = worse(measured, before.ref)
  console.log(`\n## Worse than ${before.ref} by more than noise\n`)
  if (compared === 0) console.log('No row was compared.')
  else if (lines.length === 0) console.log('No row is worse than noise.')
  else print(['', '', 'before', 'now', 'more', 'noise'], lines)
}

mkdirSync(resolve(import.meta.dirname, '../results'), { recursive: true })
writeFileSync(resolve(import.meta.dirname, '../results/bench.json'), JSON.stringify(measured))
console.log('\nEvery measurement is in results/bench.json.')
process.exit()

/** Prints a line for each measured name, with its ratio to the first one. */
function byQuestion(rows, floor, precision = 0) {
  const lines = [...Map.groupBy(rows, ({ what }) => what)].flatMap(([what, of]) =>
    summary(of, floor(of[0].name)).map((it) => [
      ...[what, it.name, digits(it.median, precision)],
      ...[`${digits(it.least, precision)}–${digits(it.most, precision)}`, times(it.ratio)],
    ]),
  )
  print(['', '', 'CPU µs', 'least–most', 'to the first'], lines)
}

/** Installs the peers on the first run, because they are not dependencies of Tidegate. */
async function install() {
  const cwd = import.meta.dirname
  const lock = resolve(cwd, 'node_modules/.package-lock.json')
  const wants = readFileSync(resolve(cwd, 'package-lock.json'), 'utf8')
  const has = existsSync(lock) ? readFileSync(lock, 'utf8') : ''
  const names = Object.entries(JSON.parse(wants).packages[''].dependencies)
  const installed = has && JSON.parse(has).packages
  if (installed && names.every(([name, it]) => installed[`node_modules/${name}`]?.version === it)) {
    return
  }
  console.log('Installing the peers, from bench/package-lock.json …')
  const npm = startProgram('npm', ['ci'], { cwd, stdio: 'inherit' })
  if ((await npm.over) !== 0) {
    console.log('The peers cannot be installed: those that are missing are left out.')
  }
}

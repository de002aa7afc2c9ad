// Compares the same servers with Tidegate and with the official SDK: their features, their size, the cost of a call.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { round } from './load.mjs'
import { inRounds, prepared } from './rounds.mjs'
import { browserAndSheets } from './servers/browser-and-sheets.mjs'
import { calculator } from './servers/calculator.mjs'
import { checked } from './servers/check.mjs'
import { crm } from './servers/crm.mjs'
import { githubIssues } from './servers/github-issues.mjs'
import { notes } from './servers/notes.mjs'
import { shopping } from './servers/shopping.mjs'
import { digits, print, summary, times } from './table.mjs'
import { start } from './workerd.mjs'

const root = resolve(import.meta.dirname, '..')
const servers = [calculator, shopping, notes, crm, githubIssues, browserAndSheets]

/** Both versions of a server, as targets. Both call the same small third-party servers. */
async function twoOf({ tidegate, sdk, ...server }) {
  const { vars } = (await server.others?.()) ?? {}
  server.write?.()
  const shared = { ...server, vars, eras: ['modern', 'legacy'] }
  const flags = ['enable_request_signal']
  return [
    { ...shared, ...tidegate, flags, name: `${server.name}: Tidegate` },
    { ...shared, ...sdk, name: `${server.name}: SDK` },
  ]
}

/** Compares the servers, and prints the results. */
export async function compareServers(bounds) {
  const targets = await Promise.all(servers.map(twoOf))
  const list = await prepared(targets.flat())
  const can = []
  for (const it of list) {
    const worker = await start(it.place)
    try {
      can.push({ name: it.name, ...(await checked(it, `http://127.0.0.1:${worker.port}`)) })
    } catch (error) {
      throw new Error(`${it.name}: ${error.message}\n${worker.log().slice(-500)}`)
    } finally {
      await worker.stop()
    }
  }
  console.log('What the official client sees\n')
  for (const [name, two] of Map.groupBy(can, (it) => it.name.split(': ')[0])) {
    const all = [...new Set(two.flatMap((it) => Object.keys(it)))].filter((it) => it !== 'name')
    print(
      [name, 'Tidegate', 'SDK'],
      all.map((what) => [what, ...two.map((it) => it[what] ?? '')]),
    )
    console.log()
  }

  const weights = list.map(({ name, files, bytes, gzipped }) => {
    const lines = files.reduce((sum, it) => sum + linesOf(it), 0)
    return { name, lines, bytes, gzipped }
  })
  console.log('What is written, and what is uploaded\n')
  print(
    ['', 'lines', 'minified KiB', 'gzip -9 KiB'],
    weights.map((it) => [
      it.name,
      it.lines,
      digits(it.bytes / 1024, 1),
      digits(it.gzipped / 1024, 1),
    ]),
  )

  const installs = installed()
  console.log('\nWhat npm installs\n')
  print(
    ['', 'packages', 'MB'],
    installs.map((it) => [it.name, it.packages.join(', '), digits(it.bytes / 1e6, 1)]),
  )

  const rows = await inRounds(list, bounds.rounds, (it) => round(it, it.cases, bounds))
  console.log('\nProcessor time of a request\n')
  print(
    ['', '', 'CPU µs', 'least–most', 'to Tidegate'],
    [...Map.groupBy(rows, ({ what }) => what)].flatMap(([what, of]) =>
      summary(of, of[0].name).map((it) => [
        ...[what, it.name.split(': ')[1], digits(it.median)],
        ...[`${digits(it.least)}–${digits(it.most)}`, times(it.ratio)],
      ]),
    ),
  )
  return { can, weights, installs, rows }
}

/** Number of lines of code: neither empty lines nor comments. */
const linesOf = (path) =>
  readFileSync(path, 'utf8')
    .replace(/^\s*\/\*\*.*?\*\/$/gms, '')
    .split('\n')
    .filter((it) => it.trim() && !it.trim().startsWith('//')).length

/** The packages that a project gets if it installs one of the two. */
function installed() {
  const packing = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const packed = JSON.parse(execFileSync('npm', packing, { cwd: root, maxBuffer: 64 << 20 }))
  const [{ unpackedSize }] = Object.values(packed)
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const own = closure(root, Object.keys(dependencies))
  const other = closure(import.meta.dirname, ['@modelcontextprotocol/server', 'zod'])
  const of = (paths) => paths.reduce((sum, it) => sum + sizeOf(it), 0)
  const names = (paths) =>
    paths.map((it) => relative(join(it.split('node_modules')[0], 'node_modules'), it))
  return [
    { name: 'Tidegate', packages: ['tidegate', ...names(own)], bytes: unpackedSize + of(own) },
    { name: 'SDK', packages: names(other), bytes: of(other) },
  ]
}

/** The folders of some packages and of all their dependencies. */
function closure(from, names) {
  const found = new Map()
  const visit = (place, name) => {
    let folder = place
    let path
    while (!path) {
      const here = join(folder, 'node_modules', name)
      if (statSync(here, { throwIfNoEntry: false })) path = here
      else if (folder === dirname(folder)) throw new Error(`${name} is not installed.`)
      else folder = dirname(folder)
    }
    if (found.has(path)) return
    const { dependencies = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    found.set(path)
    for (const it of Object.keys(dependencies)) visit(path, it)
  }
  for (const name of names) visit(from, name)
  return [...found.keys()]
}

/** The size of a package's files in bytes, without the packages inside its folder. */
function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((it) => it.name !== 'node_modules')
    .reduce((sum, it) => {
      const path = join(folder, it.name)
      return sum + (it.isDirectory() ? sizeOf(path) : statSync(path).size)
    }, 0)
}

// `npm run conformance`: runs the official conformance suite against the `everything` example,
// in both eras and in two versions of the suite. A scenario that fails or warns fails the script.
// With TIDEGATE_PLATFORM=node, the example runs on Node.
//
// To run one scenario and see all of its output:
// npm run conformance -- --scenario tools-list --spec-version 2026-07-28
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from './child.mjs'
import { outcomeOf, rounds, SUITE } from './conformance-suite.mjs'
import { node } from './install.mjs'

const FIXTURE = 'examples/everything'

process.exitCode = 1 // unless all scenarios pass
endAfter(5, 'The conformance suite has not finished')

const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const onNode = process.env.TIDEGATE_PLATFORM === 'node'
const { url, worker } = await (onNode ? startOnNode() : startWorker())
const asked = process.argv.slice(2)
process.exitCode = asked.length > 0 ? await play(SUITE, asked, 'inherit') : await judge()
await worker.end() // which also ends this process

/** Runs all scenarios, prints the problems and the score, and returns an exit code. */
async function judge() {
  const rows = []
  for (const { name: round, program, rules, scenarios } of rounds) {
    const results = join(folder, round)
    const code = await play(program, [...rules, '--output-dir', results], 'ignore')
    if (code === undefined) return 1 // this process was asked to end
    for (const scenario of scenarios()) {
      rows.push({ round, ...scenario, ...outcomeOf(results, scenario.name) })
    }
  }

  for (const { round, name, failures, warnings } of rows) {
    if (failures.length > 0)
      console.log(`${round} ${name} fails: ${failures.join('; ').slice(0, 240)}`)
    for (const warning of warnings) console.log(`${round} ${name} warns: ${warning}`)
  }
  const scoreOf = (group) => {
    const played = rows.filter((it) => it.group === group)
    return `${group} ${played.filter(({ failures }) => failures.length === 0).length}/${played.length}`
  }
  const warned = rows.flatMap(({ warnings }) => warnings).length
  const scores = ['2025-11-25', '2026-07-28', 'not scored'].map(scoreOf)
  console.log([...scores, `warnings ${warned}`, scoreOf('0.1.16')].join(', '))
  return warned > 0 || rows.some(({ failures }) => failures.length > 0) ? 1 : 0
}

/** Serves the fixture on a free port, and returns its URL once it answers. */
async function startWorker() {
  const port = await freePort()
  const files = ['--config', `${FIXTURE}/wrangler.toml`, '--persist-to', join(folder, 'state')]
  const address = ['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0']
  const quiet = ['--show-interactive-dev-session', 'false', '--log-level', 'error']
  const wrangler = ['node_modules/wrangler/bin/wrangler.js', 'dev', ...files, ...address, ...quiet]
  const env = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
  const worker = start(node, wrangler, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env, WRANGLER_HIDE_BANNER: 'true' },
  })
  void worker.over.then(() => process.exit())
  const url = `http://127.0.0.1:${port}/mcp`
  const patience = endAfter(1, 'The Worker does not answer')
  while (!(await fetch(url).catch(() => false))) await new Promise((wait) => setTimeout(wait, 100))
  clearTimeout(patience)
  return { url, worker }
}

async function startOnNode() {
  const { startNodeWorker } = await import('../test/support/node-worker.ts')
  const { url, close } = await startNodeWorker({}, `${FIXTURE}/server.ts`)
  return { url: `${url}/mcp`, worker: { end: () => close().then(() => process.exit()) } }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Runs the suite against the fixture, and returns its exit code. */
function play(program, args, output) {
  const command = [program, 'server', '--url', url, ...args]
  return start(node, command, { stdio: ['ignore', output, output] }).over
}

function endAfter(minutes, what) {
  const end = () => {
    console.error(`${what} after ${minutes} min.`)
    process.exit()
  }
  return setTimeout(end, minutes * 60_000).unref()
}

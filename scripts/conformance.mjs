// `npm run conformance`: runs the official referee against the Worker in test/conformance, in both
// eras. What fails is compared with test/conformance/not-built.json, a list that may only shrink.
//
// One scenario, with everything the referee says of it:
// npm run conformance -- --scenario tools-list --spec-version 2026-07-28
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from './child.mjs'
import { node } from './install.mjs'

const FIXTURE = 'test/conformance'
const LIST = `${FIXTURE}/not-built.json`
const REFEREE = 'node_modules/@modelcontextprotocol/conformance'
const REVISIONS = ['2025-11-25', '2026-07-28']

process.exitCode = 1 // for whatever ends us before there is a verdict
endAfter(5, 'The referee has not finished')

const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const url = await startWorker()
const asked = process.argv.slice(2)
process.exitCode = asked.length > 0 ? await referee(asked, 'inherit') : await judge()
// What child.mjs started, it ends on a signal, in good order. Then the Worker's end is ours.
process.emit('SIGTERM')

/** Runs everything, prints what is not as it should be and the score, and gives back an exit code. */
async function judge() {
  const notBuilt = JSON.parse(readFileSync(LIST, 'utf8'))
  const rows = []
  for (const revision of REVISIONS) {
    const results = join(folder, revision)
    await referee(['--requirements', revision, '--output-dir', results], 'ignore')
    for (const scenario of scenariosOf(revision)) {
      const listed = notBuilt[revision].includes(scenario.name)
      rows.push({ revision, listed, ...scenario, ...outcomeOf(results, scenario.name) })
    }
  }

  const faults = []
  for (const { revision, name, listed, passes, failures, warnings } of rows) {
    if (!passes) console.log(`${revision} ${name} fails: ${failures.join('; ').slice(0, 240)}`)
    for (const warning of warnings) console.log(`${revision} ${name} warns: ${warning}`)
    if (!passes && !listed) faults.push(`${revision} ${name} fails and is not listed there.`)
    if (passes && listed) faults.push(`${revision} ${name} passes: remove it from there.`)
  }
  const warned = rows.flatMap(({ warnings }) => warnings).length
  if (warned > notBuilt.warnings) faults.push(`${warned} warnings, not ${notBuilt.warnings}.`)
  if (faults.length > 0) console.log(['', `Not as in ${LIST}:`, ...faults, ''].join('\n'))

  const scores = [...REVISIONS, 'not scored'].map((group) => {
    const asked = rows.filter((it) => it.group === group)
    return `${group} ${asked.filter(({ passes }) => passes).length}/${asked.length}`
  })
  console.log([...scores, `warnings ${warned}`].join(', '))
  return faults.length > 0 ? 1 : 0
}

/** Serves the fixture on a port that nobody has, and gives back its URL once it answers. */
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
  worker.over.then(() => process.exit())
  const url = `http://127.0.0.1:${port}/mcp`
  const patience = endAfter(1, 'The Worker does not answer')
  while (!(await fetch(url).catch(() => false))) await new Promise((wait) => setTimeout(wait, 100))
  clearTimeout(patience)
  return url
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Runs the referee against the fixture, and gives back its exit code. */
function referee(args, output) {
  const command = [`${REFEREE}/dist/index.js`, 'server', '--url', url, ...args]
  return start(node, command, { stdio: ['ignore', output, output] }).over
}

/** What the referee asks of servers in one revision, by its own list. */
function scenariosOf(revision) {
  const yaml = readFileSync(`${REFEREE}/requirements/${revision}.yaml`, 'utf8')
  const [, scored] = /^server:\n((?: {2}- .+\n)+)/m.exec(yaml)
  const unscored = yaml.matchAll(/- scenario: (\S+)\n +leg: server/g)
  return [
    ...[...scored.matchAll(/- (\S+)/g)].map(([, name]) => ({ name, group: revision })),
    ...[...unscored].map(([, name]) => ({ name, group: 'not scored' })),
  ]
}

/** What came of one scenario. One that broke off leaves no checks behind, and has failed. */
function outcomeOf(results, name) {
  const made = new RegExp(`^server-${name}-\\d{4}-\\d\\d-\\d\\dT`)
  const found = existsSync(results) && readdirSync(results).find((it) => made.test(it))
  const file = join(results, found || '', 'checks.json')
  if (!existsSync(file)) return { passes: false, failures: ['It broke off.'], warnings: [] }
  const checks = JSON.parse(readFileSync(file, 'utf8'))
  const said = (status) => checks.filter((it) => it.status === status).map(messageOf)
  const failures = [...new Set(said('FAILURE'))]
  return { passes: failures.length === 0, failures, warnings: said('WARNING') }
}

function messageOf({ errorMessage, details, description }) {
  return (errorMessage ?? details?.message ?? description).replace(/\s+/g, ' ')
}

function endAfter(minutes, what) {
  const end = () => {
    console.error(`${what} after ${minutes} min.`)
    process.exit()
  }
  return setTimeout(end, minutes * 60_000).unref()
}

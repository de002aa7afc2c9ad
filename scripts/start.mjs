// `npm start`: installs missing packages, then serves this folder on Node, as `npx tidegate serve` does.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt, fail, freePort, readOptions } from './options.mjs'

/** Time for the gateway to finish its calls, and to write their records. */
const GRACE_MS = 6_000

const { port, state, verbose } = readOptions()
/** The gateway's start messages, which are replaced here. */
const SAID_HERE = /^tidegate: (?:Serves http|The configuration is not served)/
/** File with the id of the process that serves the state file, and its address. */
const holder = `${state}.start`
await freePort(port, heldBy())
const { node } = await import('./install.mjs')
const { start } = await import('./child.mjs')
const { bringUpToDate, isOutdated } = await import('./up-to-date.mjs')
if (isOutdated()) console.log('Building what has changed …')
bringUpToDate()
const { hostOfUrl, makeSecret, readVars, sharedState } = await import(
  '../lib/command/this-machine.js'
)

process.umask(0o077)
const vars = attempt(() => readVars())
if (!vars.TIDEGATE_KEY) {
  vars.TIDEGATE_KEY = attempt(() => makeSecret('TIDEGATE_KEY', 'tg_'))
  console.log('Made a key for this machine and wrote it to .dev.vars.')
}
// Encrypts the credentials of endpoints that are added while it runs.
vars.TIDEGATE_SECRET ||= attempt(() => makeSecret('TIDEGATE_SECRET'))
const shared = sharedState(state)
if (shared) fail(shared)
attempt(() => mkdirSync(dirname(state), { recursive: true }))

const options = ['--port', String(port), '--state', state, ...(verbose ? ['--verbose'] : [])]
const gateway = start(node, ['bin/tidegate.mjs', 'serve', ...options], {
  stdio: ['ignore', 'inherit', 'pipe'],
  env: vars,
  graceMs: GRACE_MS,
})
let isHolder = false
createInterface({ input: gateway.stderr }).on('line', (line) => {
  if (!SAID_HERE.test(line)) console.error(line)
})
void gateway.over.then((code) => {
  // Another process may serve this state.
  const held = code && !isHolder && heldBy()
  if (held) console.error(held)
  if (isHolder) rmSync(holder, { force: true })
  process.exit(code ?? 0)
})

const url = `http://127.0.0.1:${port}`
while ((await ask('/health'))?.status !== 200) await sleep(100)
isHolder = true
writeFileSync(holder, JSON.stringify({ pid: process.pid, url }))
const open = await ask('/mcp', ping())
const bearer = open?.status === 401 ? `Bearer ${vars.TIDEGATE_KEY}` : undefined
const answer = bearer ? await ask('/mcp', ping({ authorization: bearer })) : open
const problem = answer?.status >= 500 && (await reasonOf(answer))
const isRegistry = isDemo() && (await hasEndpoints())

if (problem) {
  console.error(`
Tidegate cannot serve ${url}/mcp yet.

${problem}

Fix this, then start again.
`)
} else greet()

await advise()

/** Reports the process that serves this state, and its address. Undefined if none is known. */
function heldBy() {
  try {
    const { pid, url } = JSON.parse(readFileSync(holder, 'utf8'))
    process.kill(pid, 0)
    const other = Number(new URL(url).port) + 1
    return `npm start runs here already: process ${pid} serves ${url}. Stop it with \`kill ${pid}\`, or start this one with a port and a state for itself: npm start -- --port ${other} --state .tidegate/other.sqlite`
  } catch {
    return undefined
  }
}

function greet() {
  // A refusal's challenge contains the sign-in address, if there is a sign-in.
  const signsIn = open.headers.get('www-authenticate')?.includes('resource_metadata=')
  const key = bearer ?? (isDemo() && !isRegistry ? 'none needed for the demo' : 'none needed')
  console.log(`
Tidegate is running.
  URL to paste   ${url}/mcp
  Database       ${database()}
  Key            ${bearer ? `Authorization: ${key}` : key}${
    signsIn ? '\n  Sign-in        on: add the URL alone, and the host opens a page' : ''
  }
  Console        ${url}/console, with the key: TIDEGATE_KEY in .dev.vars
  Settings       lines in .dev.vars, or variables of the environment

Add it to your AI:
${hosts(`${url}/mcp`, !signsIn && bearer && vars.TIDEGATE_KEY)}

Try it:  curl -s ${url}/mcp -H 'Content-Type: application/json'${
    bearer ? ` -H ${quote(`Authorization: ${bearer}`)}` : ''
  } -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

Add a database:  in the Console, or npx tidegate endpoint add NAME${port === 8787 ? '' : ` --to ${url}`}
`)
}

/** Prints the text to paste into each host's settings. */
function hosts(address, key) {
  const header = key && `Authorization: Bearer ${key}`
  const headers = key ? { headers: { Authorization: `Bearer ${key}` } } : {}
  const cursor = { mcpServers: { tidegate: { url: address, ...headers } } }
  const code = { servers: { tidegate: { type: 'http', url: address, ...headers } } }
  return `  Claude Code
    claude mcp add --transport http --scope user tidegate ${address}${header ? ` --header ${quote(header)}` : ''}
  Codex (for codex exec, also write required = true: docs/hosts.md)
    ${key ? `export TIDEGATE_KEY=${quote(key)}; ` : ''}codex mcp add tidegate --url ${address}${key ? ' --bearer-token-env-var TIDEGATE_KEY' : ''}
  Gemini CLI
    gemini mcp add -s user -t http tidegate ${address}${header ? ` -H ${quote(header)}` : ''}
  Cursor, in ~/.cursor/mcp.json
    ${JSON.stringify(cursor)}
  VS Code, in .vscode/mcp.json
    ${JSON.stringify(code)}`
}

/** Quotes a string for the shell. */
function quote(text) {
  return /^[\w .:-]*$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`
}

function isDemo() {
  return !vars.DATABASE_URL && !vars.ENDPOINTS
}

/** True if the registry has endpoints. One of them is then at /mcp instead of the demo. */
async function hasEndpoints() {
  const headers = { authorization: `Bearer ${vars.TIDEGATE_KEY}` }
  const answer = await ask('/api/status', { headers })
  const status = await answer?.json().catch(() => undefined)
  return status?.endpoints > 0
}

/** Describes the database, without the user or the password in its URL. */
function database() {
  if (vars.ENDPOINTS) return 'as set in ENDPOINTS'
  if (isRegistry) return 'see npx tidegate endpoint list'
  if (!vars.DATABASE_URL) return 'the built-in demo store (SQLite)'
  const host = hostOfUrl(vars.DATABASE_URL)
  return host ? `${host} (DATABASE_URL)` : 'the one in DATABASE_URL'
}

/** The reason nothing is served: the gateway's own message, if there is one. */
function reasonOf(answer) {
  return answer.json().then(
    ({ error }) => error?.message ?? 'the error above',
    () => 'the error above',
  )
}

/** Reports misconfigured endpoints, databases that do not answer, and roles that can do more than read. */
async function advise() {
  if (problem) return
  const authorization = `Bearer ${vars.TIDEGATE_KEY}`
  const answer = await ask('/doctor?format=json&hosts=no', { headers: { authorization } })
  const { problems = [], databases = [] } = (await answer?.json().catch(() => undefined)) ?? {}
  const advised = databases.flatMap(({ endpoint, database, problem, findings = [] }) => {
    const kinds = findings.filter(({ severity }) => severity === 'high').map(({ kind }) => kind)
    const advice =
      problem ?? (kinds.length > 0 && `the role can do more than read: ${kinds.join(', ')}`)
    return advice ? [`${endpoint}/${database}: ${advice}`] : []
  })
  const lines = [...problems, ...advised].map((it) => `  ${it}`)
  if (lines.length === 0) return
  console.log(`To fix:\n${lines.join('\n')}`)
  console.log(`More about it:  ${url}/console/doctor\n`)
}

/** An MCP ping. */
function ping(headers) {
  const accept = 'application/json, text/event-stream'
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  return {
    method: 'POST',
    headers: { ...headers, accept, 'content-type': 'application/json' },
    body,
  }
}

/** Sends a request to the gateway. Undefined while it does not listen. */
async function ask(path, request) {
  return fetch(url + path, request).catch(() => undefined)
}

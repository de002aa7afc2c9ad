// `npm start`: installs what is missing, then serves this folder with `wrangler dev`.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { hostOfUrl } from '../bin/host-of-url.mjs'
import { attempt, readOptions } from './options.mjs'
import { withoutKeys } from './without-keys.mjs'

/** If the start takes longer, what wrangler says is shown. */
const MAX_SILENT_MS = 15_000

const { port, verbose } = await readOptions()
const { node } = await import('./install.mjs')
const { start } = await import('./child.mjs')
const { makeSecret, readVars, writeVars } = await import('../bin/vars.mjs')

const vars = readVars()
if (!vars.TIDEGATE_KEY) {
  vars.TIDEGATE_KEY = makeSecret('TIDEGATE_KEY', 'tg_')
  console.log('Made a key for this machine and wrote it to .dev.vars.')
}
// Encrypts the credentials of endpoints that are added while it runs.
vars.TIDEGATE_SECRET ||= makeSecret('TIDEGATE_SECRET')
// Databases on one's own machine and network have private hosts, and only its owner adds endpoints here.
vars.PRIVATE_HOSTS ??= '*'
const files = attempt(() => writeVars(vars))

const address = ['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0']
const quiet = ['--show-interactive-dev-session', 'false']
const variables = files.flatMap((file) => ['--env-file', file])
const wrangler = start(
  node,
  ['node_modules/wrangler/bin/wrangler.js', 'dev', ...address, ...quiet, ...variables],
  {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      CLOUDFLARE_INCLUDE_PROCESS_ENV: 'false',
      CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'true',
      WRANGLER_HIDE_BANNER: 'true',
      WRANGLER_SEND_METRICS: 'false',
      // Else it keeps the URL of each request on disk, also those with a key, and shows them at /cdn-cgi.
      X_LOCAL_EXPLORER: 'false',
      X_LOCAL_OBSERVABILITY: 'false',
    },
  },
)

// Errors show at once. Other lines of wrangler show only if the start fails or takes long.
let held = []
wrangler.stderr.pipe(process.stderr)
const lines = createInterface({ input: wrangler.stdout })
lines.on('line', (line) => {
  const shown = withoutKeys(line)
  if (held) held.push(shown)
  else show(shown)
})
const silence = setTimeout(showHeld, MAX_SILENT_MS)
void wrangler.over.then((code) => {
  if (code) showHeld()
  process.exit(code ?? 0)
})

const url = `http://127.0.0.1:${port}`
while ((await ask('/health'))?.status !== 200) await sleep(100)
// While the build goes on, wrangler starts the Worker anew and drops a request.
let open = await ask('/mcp', ping())
for (; !open; open = await ask('/mcp', ping())) await sleep(100)
const bearer = open?.status === 401 ? `Bearer ${vars.TIDEGATE_KEY}` : undefined
const answer = bearer ? await ask('/mcp', ping({ authorization: bearer })) : open
const problem = answer?.status >= 500 && (await reasonOf(answer))
const isRegistry = isDemo() && (await hasEndpoints())

// wrangler logs these requests a moment after it has answered them.
await sleep(100)
clearTimeout(silence)
held = undefined
if (problem) {
  console.error(`
Tidegate cannot serve ${url}/mcp yet.

${problem}

Fix this, then start again.
`)
} else greet()

await advise()

function greet() {
  // The challenge of a refusal says where to sign in, if that is possible.
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

Add it to your AI:
${hosts(`${url}/mcp`, !signsIn && bearer && vars.TIDEGATE_KEY)}

Try it:  curl -s ${url}/mcp -H 'Content-Type: application/json'${
    bearer ? ` -H ${quote(`Authorization: ${bearer}`)}` : ''
  } -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

Add a database:  in the Console, or npx tidegate endpoint add NAME${port === 8787 ? '' : ` --to ${url}`}
`)
}

/** What to paste into each host. */
function hosts(address, key) {
  const header = key && `Authorization: Bearer ${key}`
  const headers = key ? { headers: { Authorization: `Bearer ${key}` } } : {}
  const cursor = { mcpServers: { tidegate: { url: address, ...headers } } }
  const code = { servers: { tidegate: { type: 'http', url: address, ...headers } } }
  return `  Claude Code
    claude mcp add --transport http --scope user tidegate ${address}${header ? ` --header ${quote(header)}` : ''}
  Codex
    ${key ? `export TIDEGATE_KEY=${quote(key)}; ` : ''}codex mcp add tidegate --url ${address}${key ? ' --bearer-token-env-var TIDEGATE_KEY' : ''}
  Gemini CLI
    gemini mcp add -s user -t http tidegate ${address}${header ? ` -H ${quote(header)}` : ''}
  Cursor, in ~/.cursor/mcp.json
    ${JSON.stringify(cursor)}
  VS Code, in .vscode/mcp.json
    ${JSON.stringify(code)}`
}

/** Quotes a text for the shell. */
function quote(text) {
  return /^[\w .:-]*$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`
}

/** Shows the lines of wrangler so far, and from now on each line. */
function showHeld() {
  for (const line of held ?? []) console.log(line)
  held = undefined
}

/** Shows a line of wrangler. Lines about requests show only with --verbose. */
function show(line) {
  const isRequest = /^\[wrangler:info\] [A-Z]+ \S+ \d{3} /.test(stripVTControlCharacters(line))
  if (verbose || !isRequest) console.log(line)
}

function isDemo() {
  return !vars.DATABASE_URL && !vars.ENDPOINTS
}

/** Whether the registry has endpoints: then one of them is at /mcp, and not the demo. */
async function hasEndpoints() {
  const headers = { authorization: `Bearer ${vars.TIDEGATE_KEY}` }
  const answer = await ask('/api/status', { headers })
  const status = await answer?.json().catch(() => undefined)
  return status?.endpoints > 0
}

/** Names the database, without the user or the password in its URL. */
function database() {
  if (vars.ENDPOINTS) return 'as set in ENDPOINTS'
  if (isRegistry) return 'see npx tidegate endpoint list'
  if (!vars.DATABASE_URL) return 'the built-in demo store (SQLite)'
  const host = hostOfUrl(vars.DATABASE_URL)
  return host ? `${host} (DATABASE_URL)` : 'the one in DATABASE_URL'
}

/** Why the Worker does not serve: its own message, if there is one. */
function reasonOf(answer) {
  return answer.json().then(
    ({ error }) => error?.message ?? 'the error above',
    () => 'the error above',
  )
}

/** Says what is set up wrong, which databases do not answer, and whose roles may do more than read. */
async function advise() {
  if (problem) return
  const authorization = `Bearer ${vars.TIDEGATE_KEY}`
  const answer = await ask('/doctor?format=json&hosts=no', { headers: { authorization } })
  const { problems = [], databases = [] } = (await answer?.json().catch(() => undefined)) ?? {}
  const advised = databases.flatMap(({ endpoint, database, problem, findings = [] }) => {
    const kinds = findings.filter(({ severity }) => severity === 'high').map(({ kind }) => kind)
    const advice =
      problem ?? (kinds.length > 0 && `the role may do more than read: ${kinds.join(', ')}`)
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

/** Sends a request to the Worker. Undefined while it does not listen. */
async function ask(path, request) {
  return fetch(url + path, request).catch(() => undefined)
}

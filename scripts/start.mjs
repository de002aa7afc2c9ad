// `npm start`: installs what is missing, then serves this folder with `wrangler dev`.
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const HELP = `Serves Tidegate on this machine.

  npm start                     the built-in demo store
  npm start -- --port 9000      on another port than 8787
  DATABASE_URL=… npm start      a database of yours

  DATABASE_URL   the database to serve instead of the demo
  ENDPOINTS      several endpoints, as JSON; see the README
  TIDEGATE_KEY   the key callers show; made once and kept in .dev.vars if not set

These may also stand in .dev.vars. The environment wins.`

/** How long a start may stay silent. */
const PATIENCE_MS = 15_000

const port = await readPort()
const { node } = await import('./install.mjs')
const { start } = await import('./child.mjs')
const { makeKey, readVars, writeVars } = await import('./vars.mjs')

const vars = readVars()
if (!vars.TIDEGATE_KEY) {
  vars.TIDEGATE_KEY = makeKey()
  console.log('Made a key for this machine and wrote it to .dev.vars.')
}
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
    },
  },
)

// Errors are shown at once; what else wrangler says while it starts, only if it comes to nothing.
let said = []
wrangler.stderr.pipe(process.stderr)
wrangler.stdout.on('data', (text) => (said ? said.push(text) : process.stdout.write(text)))
const hurry = setTimeout(speak, PATIENCE_MS)
wrangler.over.then((code) => {
  if (code) speak()
  process.exit(code ?? 0)
})

const url = `http://127.0.0.1:${port}`
while ((await ask('/health'))?.status !== 200) await sleep(100)
const open = await ask('/mcp', {})
const authorization = open?.status === 401 ? `Authorization: Bearer ${vars.TIDEGATE_KEY}` : ''
const answer = authorization ? await ask('/mcp', { authorization: authorization.slice(15) }) : open
const problem = answer?.status === 503 ? (await answer.json()).error.message : undefined

// What it logs of these questions comes a moment after its answers.
await sleep(100)
clearTimeout(hurry)
said = undefined
console.log(`
Tidegate is running.
  URL to paste   ${url}/mcp
  Database       ${database()}
  Key            ${authorization || (isDemo() ? 'none needed for the demo' : 'none needed')}
${problem ? `  Problem        ${problem}\n` : ''}
Try it:  curl -s ${url}/mcp -H 'Content-Type: application/json'${
  authorization && ` -H '${authorization}'`
} -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
`)

function speak() {
  process.stdout.write(Buffer.concat(said ?? []))
  said = undefined
}

function isDemo() {
  return !vars.DATABASE_URL && !vars.ENDPOINTS
}

/** What is served, without the user or the password of its URL. */
function database() {
  if (vars.ENDPOINTS) return 'those of the endpoints in ENDPOINTS'
  if (!vars.DATABASE_URL) return 'the built-in demo store (SQLite)'
  const host = URL.canParse(vars.DATABASE_URL) && new URL(vars.DATABASE_URL).host
  return host ? `${host} (DATABASE_URL)` : 'the one in DATABASE_URL'
}

/** One request to the Worker, a ping if there are headers. Undefined while nobody listens. */
async function ask(path, headers) {
  const body = headers && '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const sent = { ...headers, accept: 'application/json, text/event-stream' }
  const post = { method: 'POST', headers: { ...sent, 'content-type': 'application/json' }, body }
  return fetch(url + path, headers ? post : {}).catch(() => undefined)
}

/** The port asked for, once it is certain that nobody else has it. */
async function readPort() {
  const options = { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } }
  const { values, positionals } = attempt(() => parseArgs({ options, allowPositionals: true }))
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  // `npm start --port 9000` leaves the option with npm and hands us the number.
  if (positionals.length > 0) fail('Options follow two dashes: npm start -- --port 9000')
  const port = Number(values.port ?? 8787)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536))
    fail('A port is a number up to 65535.')
  await new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }) => {
      if (code === 'EADDRINUSE') {
        fail(`Port ${port} is in use. Choose another: npm start -- --port ${port + 1}`)
      }
      fail(`Port ${port} cannot be opened (${code}). Choose another: npm start -- --port 8787`)
    })
    server.listen(port, '127.0.0.1', () => server.close(resolve))
  })
  return port
}

function attempt(action) {
  try {
    return action()
  } catch (error) {
    return fail(error.message)
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

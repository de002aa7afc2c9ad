// Serves this folder's Worker in the Workers runtime, on this machine only. `wrangler dev` does the same but opens
// the runtime's debugger, through which every program on this machine can read the Worker's secrets.
import { existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

// Wrangler would look up this machine's location, and store the URL of each request, including those with a key.
for (const name of ['CLOUDFLARE_CF_FETCH_ENABLED', 'X_LOCAL_EXPLORER', 'X_LOCAL_OBSERVABILITY']) {
  process.env[name] ??= 'false'
}
process.umask(0o077)
// Wrangler reads the second where there is no first.
keepPrivate(existsSync('.dev.vars') ? '.dev.vars' : '.env')
keepPrivate('.wrangler/state')
const hostname = '127.0.0.1'
const port = readPort()
await new Promise((resolve) => {
  const server = createServer()
  server.once('error', ({ code }) =>
    fail(`Port ${port} cannot be opened (${code}). Choose another: npm start -- --port 9000`),
  )
  server.listen(port, hostname, () => server.close(resolve))
})

const { unstable_startWorker } = await import('wrangler')
const worker = await unstable_startWorker({
  config: 'wrangler.toml',
  dev: { server: { hostname, port }, inspector: false },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end)
await worker.url
console.log(`Serves http://${hostname}:${port}/mcp`)

async function end() {
  await worker.dispose()
  process.exit()
}

/** Ends the process if others may read or change what holds secrets. */
function keepPrivate(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  const own = process.geteuid?.()
  if (own === undefined || !found) return
  const chmod = `chmod ${found.isDirectory() ? 700 : 600} ${path}`
  if (found.uid !== own && found.uid !== 0)
    fail(
      `${path} belongs to another user, who may change it. Make it yours: chown ${own} ${path} && ${chmod}`,
    )
  if (found.mode & 0o077)
    fail(`Others on this machine may read ${path}. Keep it to yourself: ${chmod}`)
}

function readPort() {
  try {
    const { values } = parseArgs({ options: { port: { type: 'string', default: '8787' } } })
    const number = Number(values.port)
    if (Number.isInteger(number) && number > 0 && number < 65_536) return number
  } catch (error) {
    fail(error.message)
  }
  return fail('A port is a number from 1 to 65535.')
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

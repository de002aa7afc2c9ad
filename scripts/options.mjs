// Reads the options of `npm start`. Each error is one sentence.
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

const HELP = `Serves Tidegate on this machine.

  npm start                     the built-in demo store
  npm start -- --port 9000      on another port than 8787
  npm start -- --verbose        with a line for each request
  npm start -- --state FILE     with another state than .tidegate/state.sqlite
  DATABASE_URL=… npm start      your own database

  DATABASE_URL      the database to serve instead of the demo
  ENDPOINTS         several endpoints, as JSON; see docs/endpoints.md
  TIDEGATE_KEY      the key callers send; made once and kept in .dev.vars if not set
  TIDEGATE_SECRET   encrypts the credentials of endpoints added later; made and kept likewise
  PRIVATE_HOSTS     private hosts that those endpoints may reach; all of them if not set

These may also be set in .dev.vars. The environment wins.`

/** Reads the options. */
export function readOptions() {
  const options = {
    port: { type: 'string' },
    state: { type: 'string' },
    verbose: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  }
  const { values, positionals } = attempt(() => parseArgs({ options, allowPositionals: true }))
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  // With `npm start --port 9000`, npm takes the option and passes only the number.
  if (positionals.length > 0) fail('Options follow two dashes: npm start -- --port 9000')
  const port = Number(values.port ?? 8787)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536))
    fail('A port is a number from 1 to 65535.')
  const { state = '.tidegate/state.sqlite', verbose = false } = values
  return { port, state, verbose }
}

/**
 * Ends the process with a message if the port is not free.
 * @param held returns a message if this folder is already being served
 */
export async function freePort(port, held) {
  await new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }) => {
      if (code === 'EADDRINUSE') {
        fail(held ?? `Port ${port} is in use. Choose another: npm start -- --port ${port + 1}`)
      }
      fail(`Port ${port} cannot be opened (${code}). Choose another: npm start -- --port 8787`)
    })
    server.listen(port, '127.0.0.1', () => server.close(resolve))
  })
}

/** Runs an action. If it fails, prints only the message and exits. */
export function attempt(action) {
  try {
    return action()
  } catch (error) {
    return fail(error.message)
  }
}

/** Ends the process with a message. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

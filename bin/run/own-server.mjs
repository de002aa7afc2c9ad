// `npx tidegate run`: serves an MCP server of one's own over stdio, which is a Worker elsewhere.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, parseEnv } from 'node:util'
import { row, rows } from '../help.mjs'
import { Fault } from './fault.mjs'
import { library } from './library.mjs'
import { overStdio, refuseOverStdio } from './stdio.mjs'
import { ownStdout, say } from './streams.mjs'
import { wranglerConfig } from './wrangler-config.mjs'

const options = {
  state: {
    type: 'string',
    value: 'FILE',
    about: 'keeps what its objects store in this SQLite file',
  },
  help: { type: 'boolean', short: 'h', about: 'print this' },
}

const HELP = `Serves an MCP server of your own over stdio: a module written with tidegate/mcp.

  npx tidegate run [FOLDER | FILE] [options]

The folder is this one if none is given. Its wrangler.toml names the module, its objects and its variables. More of
them come from .dev.vars there and from the environment, which wins. What objects store is forgotten
at the end, without --state.

${rows(Object.entries(options).map(row))}`

const argv = process.argv.slice(3)
if (argv.includes('--help') || argv.includes('-h')) console.log(HELP)
else process.exit(await run())

async function run() {
  const pipe = ownStdout()
  let fault = Fault
  try {
    const { path, state } = readArguments()
    const config = await wranglerConfig(path)
    const { openOwnWorker, serveStdio, ModuleFault } = await library()
    fault = ModuleFault
    if (config.elsewhere.length > 0) {
      say(`Not on this machine, though wrangler.toml has it: ${config.elsewhere.join(', ')}.`)
    }
    const own = readVars(join(config.folder, '.dev.vars'))
    const variables = { ...config.variables, ...own, ...process.env }
    const server = openOwnWorker(await readModule(config.module), {
      ...{ objects: config.objects, variables, state },
    })
    await overStdio(
      pipe,
      server,
      undefined,
      (await libraryOf(config.module))?.serveStdio ?? serveStdio,
    )
    return 0
  } catch (error) {
    const isOurs = error instanceof Fault || error instanceof fault
    const sentence = isOurs ? error.message : 'The server cannot be started: see stderr.'
    say(sentence)
    // Whoever wrote the module wants to know where it broke.
    if (!isOurs)
      for (const line of String(error?.stack ?? error)
        .split('\n')
        .slice(0, 8))
        say(line)
    await refuseOverStdio(pipe, sentence)
    return isOurs ? 2 : 1
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true })
    if (positionals.length < 2) return { ...values, path: positionals[0] ?? '.' }
  } catch (error) {
    throw new Fault(`${error.message.split(/\. |\n/)[0]}. See: npx tidegate run --help`)
  }
  throw new Fault('Give one folder or one file. See: npx tidegate run --help')
}

function readVars(path) {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
}

/**
 * The library that the module imports, which need not be the one of this command: questions and errors are told
 * by their classes, and each copy has its own.
 */
async function libraryOf(path) {
  let found
  try {
    found = createRequire(path).resolve('tidegate/mcp')
  } catch {
    return undefined
  }
  return await import(pathToFileURL(found).href)
}

async function readModule(path) {
  if (!existsSync(path)) throw new Fault(`There is no ${path}, which is to be served.`)
  if (path.endsWith('.ts') && !process.features.typescript) {
    throw new Fault(
      `Node ${process.versions.node} does not read TypeScript: update it to 22.18 or newer, from https://nodejs.org.`,
    )
  }
  return await import(pathToFileURL(path).href)
}

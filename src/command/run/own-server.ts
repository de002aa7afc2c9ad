// `npx tidegate run`: serves your own MCP server over stdio. Elsewhere, the same server runs as a Worker.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type * as Mcp from '../../mcp/index.ts'
import type { WorkerModule } from '../../node/command.ts'
import { sharedState } from '../files/private-file.ts'
import { devVarsIn } from '../files/vars.ts'
import { CommandFailure, Mistake, messageOf, parsingFault } from '../terminal/failure.ts'
import { optionRows } from '../terminal/help.ts'
import { refuseOverStdio } from './refuse.ts'
import { overStdio } from './stdio.ts'
import { type Output, ownStdout, say } from './streams.ts'
import { wranglerConfig } from './wrangler-config.ts'

const options = {
  state: {
    type: 'string',
    value: 'FILE',
    about: "store its objects' data in this SQLite file",
  },
  help: { type: 'boolean', short: 'h', about: 'print this' },
} as const

const HELP = `Serves your own MCP server over stdio: a module written with tidegate/mcp.

  npx tidegate run [FOLDER | FILE] [options]

The default is the current folder. Its wrangler.toml names the module, its objects and its variables. More variables
come from .dev.vars there and from the environment, which wins. Without --state, the data that objects
store is lost at the end.

${optionRows(options)}`

/** Serves until the client is gone, and ends the process. */
export async function runOwnServer(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) console.log(HELP)
  else process.exit(await run(argv))
}

async function run(argv: readonly string[]): Promise<number> {
  const pipe = ownStdout()
  try {
    await serve(argv, pipe)
    return 0
  } catch (error) {
    const isOurs = error instanceof CommandFailure
    const sentence = isOurs ? error.message : 'The server cannot be started: see stderr.'
    say(sentence)
    // The author of the module wants to know where it failed.
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (!isOurs) for (const line of trace.split('\n').slice(0, 8)) say(line)
    await refuseOverStdio(pipe, sentence)
    return isOurs ? error.code : 1
  }
}

async function serve(argv: readonly string[], pipe: Output): Promise<void> {
  const { path, state } = readArguments([...argv])
  const shared = state && sharedState(state)
  if (shared) throw new Mistake(shared)
  const { folder, module, objects, elsewhere, ...config } = await wranglerConfig(path)
  // Loaded here, when Node's warnings no longer reach stdout.
  const { ModuleFault, openOwnWorker } = await import('../../node/command.ts')
  if (elsewhere.length > 0) {
    say(`Not available on this machine, though it is in wrangler.toml: ${elsewhere.join(', ')}.`)
  }
  const own = devVarsIn(folder)
  const variables = { ...config.variables, ...own, ...process.env } as Record<string, string>
  try {
    const server = openOwnWorker(await readModule(module), { objects, variables, state })
    const { serveStdio } = await libraryOf(module)
    await overStdio(pipe, server, serveStdio)
  } catch (error) {
    throw error instanceof ModuleFault ? new Mistake(messageOf(error)) : error
  }
}

function readArguments(args: string[]): {
  readonly path: string
  readonly state?: string | undefined
} {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (positionals.length < 2) return { state: values.state, path: positionals[0] ?? '.' }
  } catch (error) {
    throw new Mistake(`${parsingFault(error)}. See: npx tidegate run --help`)
  }
  throw new Mistake('Give one folder or one file. See: npx tidegate run --help')
}

/**
 * The library that the module imports, which can be a different copy from this command's. Questions and errors are
 * recognized by their classes, which differ between copies.
 */
async function libraryOf(path: string): Promise<Pick<typeof Mcp, 'serveStdio'>> {
  let found: string
  try {
    found = createRequire(path).resolve('tidegate/mcp')
  } catch {
    return import('../../mcp/index.ts')
  }
  return await import(pathToFileURL(found).href)
}

async function readModule(path: string): Promise<WorkerModule> {
  if (!existsSync(path)) throw new Mistake(`There is no ${path} to serve.`)
  if (path.endsWith('.ts') && !process.features.typescript) {
    throw new Mistake(
      `Node ${process.versions.node} does not read TypeScript: update it to 22.18 or newer, from https://nodejs.org.`,
    )
  }
  return await import(pathToFileURL(path).href)
}

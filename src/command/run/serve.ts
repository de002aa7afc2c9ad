// `npx tidegate …` with a database: serves it.
import { version } from '../../ground/index.ts'
import { CommandFailure, messageOf } from '../terminal/failure.ts'
import { optionRows } from '../terminal/help.ts'
import { options, readArguments, type ServeMode } from './arguments.ts'
import { refuseOverStdio } from './refuse.ts'
import { ownStdout, say } from './streams.ts'

const FAILED = 'The gateway cannot be started. The error is on stderr.'

/** Serves until it is stopped, and ends the process. */
export async function serve(argv: readonly string[]): Promise<void> {
  const { DATABASE_URL, ENDPOINTS } = process.env
  const isLost = argv.length === 0 && process.stdin.isTTY && !DATABASE_URL && !ENDPOINTS
  if (isLost || argv.includes('--help') || argv.includes('-h')) {
    console.log(helpOf(argv[0] === 'serve' ? 'http' : 'stdio'))
  } else if (argv.includes('--version')) console.log(version)
  else process.exit(await run(argv))
}

async function run(argv: readonly string[]): Promise<number> {
  const pipe = ownStdout()
  try {
    const asked = readArguments(argv)
    // Loaded here, when Node's warnings no longer reach stdout.
    const { serveGateway } = await import('./gateway.ts')
    await serveGateway(asked, pipe)
    return 0
  } catch (error) {
    const isOurs = error instanceof CommandFailure
    const sentence = isOurs ? messageOf(error) : FAILED
    say(sentence)
    if (!isOurs) console.error(error)
    if (argv[0] !== 'serve') await refuseOverStdio(pipe, sentence)
    return isOurs ? error.code : 1
  }
}

const abouts = {
  stdio: `Serves a database to AI, read-only, over stdio: an MCP host starts this command and talks to it.

  npx tidegate postgres://user@host/database    a database, by its connection string
  npx tidegate shop.sqlite                      a SQLite file
  npx tidegate --config endpoints.json          several databases
  npx tidegate --demo                           a made-up shop
  npx tidegate                                  the one in the variable DATABASE_URL
  npx tidegate serve …                          any of these over HTTP
  npx tidegate help                             the commands that manage a deployment

Other users of this machine can see a command's arguments. A password is safer in the variable
DATABASE_URL, or in ~/.pgpass for PostgreSQL.`,
  http: `Serves a database to AI, read-only, over HTTP: on this machine, or on a server.

  npx tidegate serve [CONNECTION-STRING | FILE] [options]

Without a database, it serves the one in the variable DATABASE_URL, those in ENDPOINTS, or the demo.
Callers send the key from the variable TIDEGATE_KEY. The Console is at /console.`,
}

/** Usage for serving over `stdio` or `http`. */
const helpOf = (way: ServeMode): string => `${abouts[way]}\n\n${optionRows(options[way])}`

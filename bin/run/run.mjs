// `npx tidegate …` with a database: serves it.
import { readArguments } from './arguments.mjs'
import { Fault } from './fault.mjs'
import { helpOf } from './help.mjs'
import { library } from './library.mjs'
import { overStdio, refuseOverStdio } from './stdio.mjs'
import { hide, ownStdout, say } from './streams.mjs'
import { faultHere, secretsOf, unsetIn, variablesOf } from './variables.mjs'

/** The exit code of a command that has to be written otherwise. */
const NOT_UNDERSTOOD = 2

const FAILED = 'The gateway cannot be started. What it runs into is on stderr.'

const argv = process.argv.slice(2)
const isLost =
  argv.length === 0 && process.stdin.isTTY && !process.env.DATABASE_URL && !process.env.ENDPOINTS
if (isLost || argv.includes('--help') || argv.includes('-h')) {
  console.log(helpOf(argv[0] === 'serve' ? 'http' : 'stdio'))
} else if (argv.includes('--version')) {
  const { readFileSync } = await import('node:fs')
  const own = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  console.log(JSON.parse(own).version)
} else {
  process.exit(await run())
}

async function run() {
  const pipe = ownStdout()
  let asked
  try {
    asked = readArguments(argv)
    const { openGateway, ...rest } = await library()
    const variables = await variablesOf(asked, process.env, rest, say)
    hide(secretsOf(variables))
    if (asked.way === 'stdio') {
      const { keepSmall } = await import('./memory.mjs')
      keepSmall()
      await overStdio(pipe, await openGateway({ variables }), asked.endpoint, rest.serveStdio)
      return 0
    }
    const { overHttp } = await import('./http.mjs')
    const { withKeys } = await import('./keys.mjs')
    const { variables: all, keys } = withKeys(variables, asked.state)
    hide(secretsOf(all))
    for (const name of unsetIn(all))
      say(`The variable ${name} is not set: its database is not served.`)
    const gateway = await openGateway({ variables: all, state: asked.state })
    await overHttp(gateway, asked, keys, rest.listen)
    return 0
  } catch (error) {
    const sentence = sentenceOf(error, asked)
    say(sentence ?? FAILED)
    if (sentence === undefined) console.error(error)
    if (argv[0] !== 'serve') await refuseOverStdio(pipe, sentence ?? FAILED)
    return sentence === undefined ? 1 : NOT_UNDERSTOOD
  }
}

/** What is to be mended; undefined if it is nothing that the command says. */
function sentenceOf(error, asked) {
  if (error instanceof Fault) return error.message
  if (error?.name === 'ConfigError') return asked ? faultHere(error.message, asked) : error.message
  return undefined
}

// The command line over the admin API of a deployment. docs/command-line.md shows how to use it.
import { parseArgs } from 'node:util'
import { apiAt, Failure } from './api.mjs'
import { commands } from './commands.mjs'
import { helpOf, listOf } from './help.mjs'

const deployment = {
  to: {
    type: 'string',
    value: 'URL',
    about: 'the deployment; else TIDEGATE_URL, else this machine',
  },
}
const common = {
  json: { type: 'boolean', about: 'print JSON, for scripts' },
  help: { type: 'boolean', short: 'h', about: 'print this' },
}

// `tidegate records | head` closes the pipe before everything is written.
process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1))

try {
  process.exitCode = (await main(process.argv.slice(2))) ?? 0
} catch (error) {
  if (!(error instanceof Failure)) throw error
  console.error(error.message)
  process.exitCode = error.code
}

async function main(argv) {
  const command = commandIn(argv)
  if (!command) return showList(argv)
  const { needsKey = true } = command
  const options = { ...command.options, ...(needsKey && deployment), ...common }
  const args = argv.slice(command.words.split(' ').length)
  const { values, positionals } = read(command, args, options)
  if (values.help) return console.log(helpOf(command, options))
  const needed = command.args.filter((it) => !it.startsWith('['))
  const most = command.args.at(-1)?.includes('…') ? Infinity : command.args.length
  if (positionals.length < needed.length || positionals.length > most) {
    throw wrongCount(command, positionals)
  }
  const ask = needsKey ? apiAt(values.to) : undefined
  return await command.run({ ask, args: positionals, options: values })
}

/** The command that these arguments begin with. */
function commandIn(argv) {
  return commands.find(({ words }) => words.split(' ').every((word, i) => argv[i] === word))
}

/** Prints the commands; or those that begin with the same word. */
function showList(argv) {
  const [first, ...more] = argv.filter((it) => it !== '--help' && it !== '-h')
  const begun = commands.filter(({ words }) => words.split(' ')[0] === first)
  const list = listOf(begun.length > 0 ? begun : commands, { ...deployment, ...common })
  if (first === 'help' || (begun.length > 0 && more.length === 0)) return console.log(list)
  const other = begun.length > 0 ? '' : '\nFor the demo write --demo, for a file ./NAME.'
  console.error(`There is no such command.${other}\n\n${list}`)
  return 2
}

function read(command, args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    // The sentences after the first are about parseArgs.
    const [sentence] = error.message.split(/\. |\n/)
    throw new Failure(`${sentence}. See: npx tidegate ${command.words} --help`, 2)
  }
}

function wrongCount({ words, args }, given) {
  const sentence = given.some((it) => it.includes('://'))
    ? 'A connection string is no argument, because others could see it in the list of processes. Give it on stdin, or name a variable with --url-env.'
    : `This command is: ${['npx tidegate', words, ...args].join(' ')}`
  return new Failure(sentence, 2)
}

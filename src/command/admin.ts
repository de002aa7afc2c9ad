// The commands that manage a deployment, and every other command that begins with a word. docs/command-line.md shows
// how to use them.
import { parseArgs } from 'node:util'
import { type Command, type CommandOptions, common, type OptionValues } from './command.ts'
import { commands } from './commands.ts'
import { apiAt } from './manage/api.ts'
import { CommandFailure, Mistake, NOT_UNDERSTOOD, parsingFault } from './terminal/failure.ts'
import { helpOf, listOf } from './terminal/help.ts'

const deployment = {
  to: {
    type: 'string',
    value: 'URL',
    about: 'the deployment; default: TIDEGATE_URL, then this machine',
  },
} as const

/** Runs a command, and sets the exit code. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  // `tidegate records | head` closes the pipe before everything is written.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
    process.exit(code === 'EPIPE' ? 0 : 1),
  )
  try {
    process.exitCode = (await main(argv)) ?? 0
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    console.error(error.message)
    process.exitCode = error.code
  }
}

async function main(argv: readonly string[]) {
  const command = commandIn(argv)
  if (!command) return showList(argv)
  const options = { ...command.options, ...(command.run && deployment), ...common }
  const args = argv.slice(command.words.split(' ').length)
  const { values, positionals } = read(command, args, options)
  if (values.help) return console.log(helpOf(command, options))
  const needed = command.args.filter((it) => !it.startsWith('['))
  const most = command.args.at(-1)?.includes('…') ? Infinity : command.args.length
  if (positionals.length < needed.length || positionals.length > most) {
    throw wrongCount(command, positionals)
  }
  const given = { args: positionals, options: values }
  return command.run
    ? await command.run({ ...given, ask: apiAt(values.to) })
    : await command.runHere?.(given)
}

/** Finds the command at the start of these arguments. */
const commandIn = (argv: readonly string[]) =>
  commands.find(({ words }) => words.split(' ').every((word, i) => argv[i] === word))

/** Prints all commands, or only those that begin with the same word. */
function showList(argv: readonly string[]) {
  const [first, ...more] = argv.filter((it) => it !== '--help' && it !== '-h')
  const begun = commands.filter(({ words }) => words.split(' ')[0] === first)
  const list = listOf(begun.length > 0 ? begun : commands, { ...deployment, ...common })
  if (first === 'help' || (begun.length > 0 && more.length === 0)) return console.log(list)
  const other = begun.length > 0 ? '' : '\nFor the demo, write --demo. For a file, write ./NAME.'
  console.error(`There is no such command.${other}\n\n${list}`)
  return NOT_UNDERSTOOD
}

type AdminOptions = CommandOptions & typeof common & Partial<typeof deployment>

function read(command: Command, args: string[], options: AdminOptions) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return {
      values: values as OptionValues<CommandOptions & typeof common & typeof deployment>,
      positionals,
    }
  } catch (error) {
    throw new Mistake(`${parsingFault(error)}. See: npx tidegate ${command.words} --help`)
  }
}

function wrongCount({ words, args }: Command, given: readonly string[]): Mistake {
  return new Mistake(
    given.some((it) => it.includes('://'))
      ? 'A connection string cannot be an argument, because other users could see it in the process list. Pass it on stdin, or name a variable with --url-env.'
      : `Usage: ${['npx tidegate', words, ...args].join(' ')}`,
  )
}

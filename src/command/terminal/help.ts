// The text of --help.
import type { Command, CommandOption, CommandOptions } from '../command.ts'

/** Usage for one command. */
export function helpOf({ words, args, about, more }: Command, options: CommandOptions): string {
  const usage = ['npx tidegate', words, ...args, '[options]'].join(' ')
  return [`${about}\n\n  ${usage}`, more, optionRows(options)].filter(Boolean).join('\n\n')
}

/** All of these commands, one per line. */
export function listOf(commands: readonly Command[], options: CommandOptions): string {
  const lines = commands.map(
    ({ words, args, about }) => [['npx tidegate', words, ...args].join(' '), about] as const,
  )
  return `Manages a Tidegate deployment, with the admin key.

${rows(lines)}

For every command:
${optionRows(options)}

The key is TIDEGATE_KEY, or for this machine the one in .dev.vars. Exit codes: 0 done, 1 failed,
2 not understood, 3 nothing was changed because --yes is missing.

For help on serving: npx tidegate --help, serve --help and run --help.`
}

/** Options, one per line. */
export const optionRows = (options: CommandOptions): string =>
  rows(Object.entries(options).map(row))

const row = ([name, { value, short, about }]: readonly [string, CommandOption]) =>
  [`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`, about] as const

function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([left]) => left.length))
  return pairs.map(([left, about]) => `  ${left.padEnd(width)}   ${about}`).join('\n')
}

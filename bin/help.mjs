// The texts of --help.

/** How to use one command. */
export function helpOf({ words, args, about, more }, options) {
  const usage = ['npx tidegate', words, ...args, '[options]'].join(' ')
  return [`${about}\n\n  ${usage}`, more, rows(Object.entries(options).map(row))]
    .filter(Boolean)
    .join('\n\n')
}

/** All of these commands, one in a line. */
export function listOf(commands, options) {
  const lines = commands.map(({ words, args, about }) => [[words, ...args].join(' '), about])
  return `Looks after a deployment of Tidegate, as its operator.

${rows(lines.map(([left, about]) => [`npx tidegate ${left}`, about]))}

For every command:
${rows(Object.entries(options).map(row))}

The key is TIDEGATE_KEY, or for this machine the one in .dev.vars. Exit codes: 0 done, 1 failed,
2 not understood, 3 nothing was changed because --yes is missing.

What serves has a help of its own: npx tidegate --help, serve --help and run --help.`
}

/** An option as a line of --help. */
export const row = ([name, { value, short, about }]) => [
  `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
  about,
]

/** Two columns. */
export function rows(pairs) {
  const width = Math.max(...pairs.map(([left]) => left.length))
  return pairs.map(([left, about]) => `  ${left.padEnd(width)}   ${about}`).join('\n')
}

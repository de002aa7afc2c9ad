// Examines a URL from outside, as hosts do when it is pasted into them, or a command's databases from inside.
import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import type { Report } from '../../host-checks/index.ts'
import { command } from '../command.ts'
import { options as ofCommand } from '../run/arguments.ts'
import { Mistake } from '../terminal/failure.ts'
import { print } from '../terminal/output.ts'

const { demo, config, vars, ssh, ...others } = ofCommand.stdio

/** The options of `npx tidegate` that name databases. */
const naming = {
  demo,
  config,
  'url-env': others['url-env'],
  vars,
  'env-file': others['env-file'],
  ssh,
  'ssh-key': others['ssh-key'],
}

const NO_CONNECTION =
  'The doctor accepts the http(s) URL of an MCP endpoint. A connection string cannot be an argument, because other users could see it in the process list.'

export const doctorCommand = command({
  words: 'doctor',
  args: ['[URL | FILE]'],
  about:
    'Does what Claude, ChatGPT and other hosts do with this URL, and says what would go wrong.',
  more: `It needs no key, and works with any MCP server. It prints each finding as ok, note or problem, with what to do
about it. Exit code 1 if there is a problem.

Without a URL, it checks the databases that npx tidegate would serve with the same options, or with the variable
DATABASE_URL: whether they respond, and what their roles can do besides reading.`,
  options: {
    register: {
      type: 'boolean',
      about: 'also register a client, "Tidegate doctor", and check the sign-in page',
    },
    ...naming,
  },
  async runHere({ args: [text], options }) {
    if (text === undefined || (!/^https?:/i.test(text) && existsSync(text))) {
      const { databasesReport } = await import('../run/databases-report.ts')
      const vars = options.vars ?? options['env-file']
      const asked = { ...options, vars, way: 'stdio', database: text } as const
      const { text: said, isWell } = await databasesReport(asked, options.json)
      console.log(options.json ? JSON.stringify(JSON.parse(said), null, 2) : said)
      return isWell ? 0 : 1
    }
    const url = endpointIn(text)
    const named = (Object.keys(naming) as (keyof typeof naming)[]).find((it) => options[it])
    if (named) throw new Mistake(`Give the URL or --${named}, but not both.`)
    const { examine } = await import('../../host-checks/index.ts')
    const io = { fetch, lookup: (name: string) => lookup(name, { all: true }) }
    const report = await examine(url, { register: options.register ?? false }, io)
    print(options, report.findings, () => textOf(report))
    return report.hasProblem ? 1 : 0
  },
})

/** The URL of an endpoint, as pasted. The error for an invalid one repeats nothing from it. */
function endpointIn(text: string): string {
  const pasted = text.trim()
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(pasted) && !/^https?:/i.test(pasted))
    throw new Mistake(NO_CONNECTION)
  if (!/^https?:\/\//i.test(pasted) || !URL.canParse(pasted))
    throw new Mistake('The URL of an endpoint begins with https:// or http://.')
  const { username, password, hash } = new URL(pasted)
  if (username || password)
    throw new Mistake('Hosts do not send the user name and password in a URL. Leave both out.')
  if (hash) throw new Mistake('Leave out the # in the URL and what follows it: it is never sent.')
  return pasted
}

function textOf(report: Report): string {
  const lines = report.findings.map(({ state, seen, fix }) =>
    [state.padEnd(9) + seen, ...(fix ? [`${' '.repeat(9)}→ ${fix}`] : [])].join('\n'),
  )
  const verdicts = report.verdicts()
  const width = Math.max(...verdicts.map(({ name }) => name.length))
  const summary = verdicts.map(({ name, verdict }) => `${name.padEnd(width)}  ${verdict}`)
  return [...lines, '', ...summary].join('\n')
}

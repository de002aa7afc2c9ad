// Examines a URL from outside, as the hosts do that it is pasted into; or the databases of a command from inside.
import { existsSync } from 'node:fs'
import { Failure } from './api.mjs'
import { examine } from './host-checks/examine.mjs'
import { print } from './output.mjs'
import { options as ofCommand } from './run/arguments.mjs'
import { databasesReport } from './run/databases-report.mjs'

/** The options of `npx tidegate` that name databases. */
const NAMING = ['demo', 'config', 'url-env', 'vars', 'env-file', 'ssh', 'ssh-key']

const NO_CONNECTION =
  'The doctor takes the http(s) URL of an MCP endpoint. A connection string is no argument, because others could see it in the list of processes.'

export const doctorCommands = [
  {
    words: 'doctor',
    args: ['[URL | FILE]'],
    about:
      'Does what Claude, ChatGPT and other hosts do with this URL, and says what would go wrong.',
    more: `It takes no key, and works on any MCP server. What it sees it prints as ok, note or problem, with what to do
about it. Exit code 1 if there is a problem.

Without a URL it inspects the databases that npx tidegate would serve with the same options, or with the variable
DATABASE_URL: whether they answer, and what their roles may do besides reading.`,
    needsKey: false,
    options: {
      register: {
        type: 'boolean',
        about: 'also register a client, "Tidegate doctor", and look at the page to sign in',
      },
      ...Object.fromEntries(NAMING.map((it) => [it, ofCommand.stdio[it]])),
    },
    async run({ args: [text], options }) {
      const named = NAMING.filter((it) => options[it])
      if (text === undefined || (!/^https?:/i.test(text) && existsSync(text))) {
        const { text: said, isWell } = await databasesReport(
          { ...options, vars: options.vars ?? options['env-file'], database: text },
          options.json,
        )
        print(options, options.json && JSON.parse(said), () => said)
        return isWell ? 0 : 1
      }
      const url = endpointIn(text)
      if (named.length > 0) throw new Failure(`Give the URL or --${named[0]}, and not both.`, 2)
      const report = await examine(url, options)
      print(options, report.findings, () => textOf(report))
      return report.hasProblem ? 1 : 0
    },
  },
]

/** The URL of an endpoint, as it was pasted. What is said of a mistake repeats nothing of it. */
function endpointIn(text) {
  const pasted = text.trim()
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(pasted) && !/^https?:/i.test(pasted))
    throw new Failure(NO_CONNECTION, 2)
  if (!/^https?:\/\//i.test(pasted) || !URL.canParse(pasted))
    throw new Failure('The URL of an endpoint begins with https:// or http://.', 2)
  const { username, password, hash } = new URL(pasted)
  if (username || password)
    throw new Failure('Hosts send no user name and no password in a URL. Leave both out.', 2)
  if (hash) throw new Failure('Leave out what follows the # in the URL: it is never sent.', 2)
  return pasted
}

function textOf(report) {
  const lines = report.findings.map(({ state, seen, mend }) =>
    [state.padEnd(9) + seen, ...(mend ? [`${' '.repeat(9)}→ ${mend}`] : [])].join('\n'),
  )
  const verdicts = report.verdicts()
  const width = Math.max(...verdicts.map(({ name }) => name.length))
  const summary = verdicts.map(({ name, verdict }) => `${name.padEnd(width)}  ${verdict}`)
  return [...lines, '', ...summary].join('\n')
}

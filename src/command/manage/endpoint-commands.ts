// `tidegate endpoint …` and `tidegate credential set`
import { counted } from '../../ground/index.ts'
import type { Answers } from '../../registry/index.ts'
import { type Command, command } from '../command.ts'
import { hasNoSecret, whereOfCredential } from '../database-url.ts'
import { Mistake } from '../terminal/failure.ts'
import { assertSure, print, sure } from '../terminal/output.ts'
import { readUrl, urlEnv } from '../terminal/read-secret.ts'
import { type TerminalColumn, table } from '../terminal/table.ts'
import { type ApiRequest, listOf } from './api.ts'
import { leavesOf } from './plan.ts'
import { fixText, recognised } from './recognise.ts'

const STDIN = `Without --url-env, the connection string is read from stdin, or from a prompt. It can be a URL, a Java URL,
a .NET connection string, or lines from an .env file:

  npx tidegate endpoint add shop < url.txt`

export const endpointCommands: readonly Command[] = [
  command({
    words: 'endpoint add',
    args: ['NAME'],
    about: 'Adds an endpoint with one database.',
    more: STDIN,
    options: {
      ...urlEnv,
      url: {
        type: 'string',
        value: 'URL',
        about: 'a URL without a password: demo:, d1:BINDING, hyperdrive:BINDING, secret:NAME',
      },
      title: { type: 'string', value: 'TEXT', about: 'what people see; default: the name' },
      database: {
        type: 'string',
        value: 'NAME',
        about: "the name of the database; default: the endpoint's name",
      },
      purpose: { type: 'string', value: 'TEXT', about: 'what the model reads about the database' },
      access: {
        type: 'string',
        value: 'key|groups|public',
        about: 'who has access; default: "key"',
      },
      tools: { type: 'string', value: 'A,B', about: 'the tools to offer; default: all' },
    },
    async run({ ask, args: [name], options }) {
      const { title = name, database = name, purpose, access, tools } = options
      const url = await urlIn(ask, options.url, options['url-env'])
      const body = {
        name,
        title,
        access,
        tools: tools?.split(','),
        databases: { [database]: { url, purpose } },
      }
      const made = await ask('POST', '/api/endpoints', body)
      print(options, made, () => `Added ${name}.`)
      if (options.json) return
      console.error(`Its URL:     ${ask.origin}/mcp/${name}`)
      console.error(`Test it:     npx tidegate endpoint test ${name}`)
      console.error(`Make a key:  npx tidegate key add --label NAME --endpoint ${name}`)
    },
  }),
  command({
    words: 'endpoint list',
    args: [],
    about: 'Lists the endpoints.',
    async run({ ask, options }) {
      const endpoints = await listOf(ask, 'endpoints')
      print(options, endpoints, () => table(columns, endpoints))
    },
  }),
  command({
    words: 'endpoint show',
    args: ['NAME'],
    about: 'Shows an endpoint.',
    async run({ ask, args: [name], options }) {
      const endpoint = await ask('GET', path(name))
      print(options, endpoint, () => table(fieldColumns, [...leavesOf(endpoint)]))
    },
  }),
  command({
    words: 'endpoint test',
    args: ['NAME'],
    about: 'Connects to its databases, and checks their roles.',
    more: 'Exit code 1 if one of them cannot be used.',
    async run({ ask, args: [name], options }) {
      const result = await ask<Answers['Outcome']>('POST', `${path(name)}/test`)
      print(options, result, () =>
        [table(testColumns, result.databases), ...fixesOf(result)].join('\n\n'),
      )
      return result.ok ? 0 : 1
    },
  }),
  ...['on', 'off'].map((word) =>
    command({
      words: `endpoint ${word}`,
      args: ['NAME'],
      about: word === 'on' ? 'Switches an endpoint on.' : 'Switches an endpoint off for everyone.',
      async run({ ask, args: [name], options }) {
        const changed = await ask('PATCH', path(name), { active: word === 'on' })
        print(
          options,
          changed,
          () => `${name} is switched ${word}. Takes effect everywhere within 10 seconds.`,
        )
      },
    }),
  ),
  command({
    words: 'endpoint remove',
    args: ['NAME'],
    about: 'Removes an endpoint and its credentials.',
    options: sure,
    async run({ ask, args: [name], options }) {
      const { databases } = await ask<Answers['Endpoint']>('GET', path(name))
      const what = `the endpoint ${name} with ${counted(Object.keys(databases).length, 'database')}`
      assertSure(options, `remove ${what} and its credentials`)
      await ask('DELETE', path(name))
      print(options, { removed: name }, () => `Removed ${name}.`)
    },
  }),
  command({
    words: 'credential set',
    args: ['ENDPOINT', 'DATABASE'],
    about: "Replaces a database's connection string.",
    more: STDIN.replace('endpoint add shop', 'credential set shop shop'),
    options: urlEnv,
    async run({ ask, args: [endpoint, database], options }) {
      const url = await recognised(ask, await readUrl(options['url-env']))
      const at = `${path(endpoint)}/databases/${encodeURIComponent(database)}/credential`
      const changed = await ask('PUT', at, { url })
      print(options, changed, () => `Set the credential for ${endpoint}/${database}.`)
    },
  }),
]

async function urlIn(
  ask: ApiRequest,
  url: string | undefined,
  variable: string | undefined,
): Promise<string> {
  if (url === undefined) return await recognised(ask, await readUrl(variable))
  if (hasNoSecret(url)) return url
  throw new Mistake(
    '--url accepts only URLs without a password. Pass the connection string on stdin, or name a variable with --url-env.',
  )
}

const path = (name: string) => `/api/endpoints/${encodeURIComponent(name)}`

const columns: readonly TerminalColumn<Answers['Endpoint']>[] = [
  ['name', (it) => it.name],
  ['title', (it) => it.title],
  ['databases', databasesOf],
  ['access', (it) => it.access],
  ['active', (it) => (it.active ? 'yes' : 'no')],
  ['from', (it) => it.from],
]

function databasesOf({ databases, credentials = {} }: Answers['Endpoint']): string {
  const all = Object.entries(databases).map(([name, { url }]) => {
    const credential = credentials[name]
    return `${name} (${credential ? whereOfCredential(credential) : url})`
  })
  return all.length > 3 ? `${all.slice(0, 3).join(', ')}, … (${all.length})` : all.join(', ')
}

const fieldColumns: readonly TerminalColumn<[string, unknown]>[] = [
  ['field', ([field]) => field],
  ['value', ([, value]) => (typeof value === 'string' ? value : JSON.stringify(value))],
]

type TestedDatabaseRow = Answers['Outcome']['databases'][number]

const testColumns: readonly TerminalColumn<TestedDatabaseRow>[] = [
  ['database', (it) => it.database],
  ['answers', (it) => (it.ok ? 'yes' : 'no')],
  ['ms', (it) => it.ms],
  ['engine', (it) => [it.dialect, it.version].filter(Boolean).join(' ')],
  ['role', (it) => it.role],
  ['tables', (it) => it.tables],
  ['remarks', remarksOf],
]

/** The fix for each database that cannot be used. */
const fixesOf = ({ databases }: Answers['Outcome']) =>
  databases.flatMap(({ fix }) => (fix ? [fixText(fix)] : []))

/** Remarks on a database: its failure, or what its role can do besides reading. */
function remarksOf({ problem, note, findings = [], broken = [] }: TestedDatabaseRow): string {
  const kinds = findings.filter((it) => it.severity === 'high').map((it) => it.kind)
  return [
    problem,
    kinds.length > 0 && `the role can do more than read: ${kinds.join(', ')}`,
    ...broken,
    note,
  ]
    .filter(Boolean)
    .join('; ')
}

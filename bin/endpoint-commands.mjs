// `tidegate endpoint …` and `tidegate credential set`
import { Failure, listOf } from './api.mjs'
import { hasNoSecret, whereOfCredential } from './database-url.mjs'
import { assertSure, print, sure } from './output.mjs'
import { leavesOf } from './plan.mjs'
import { readUrl, urlEnv } from './read-secret.mjs'
import { mendText, recognised } from './recognise.mjs'
import { count, table } from './table.mjs'

const STDIN = `Without --url-env, the connection string is read from stdin, or asked for. It may be a URL, one of Java,
a form of .NET, or lines of an .env file:

  npx tidegate endpoint add shop < url.txt`

export const endpointCommands = [
  {
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
      title: { type: 'string', value: 'TEXT', about: 'what people see; else the name' },
      database: { type: 'string', value: 'NAME', about: 'the name of the database; else the same' },
      purpose: { type: 'string', value: 'TEXT', about: 'what the model reads about the database' },
      access: { type: 'string', value: 'key|public', about: 'who may ask; else "key"' },
      tools: { type: 'string', value: 'A,B', about: 'the tools to offer; else all' },
    },
    async run({ ask, args: [name], options }) {
      const { title = name, database = name, purpose, access, tools } = options
      const url = await urlIn(ask, options)
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
  },
  {
    words: 'endpoint list',
    args: [],
    about: 'Lists the endpoints.',
    async run({ ask, options }) {
      const endpoints = await listOf(ask, 'endpoints')
      print(options, endpoints, () => table(columns, endpoints))
    },
  },
  {
    words: 'endpoint show',
    args: ['NAME'],
    about: 'Shows an endpoint.',
    async run({ ask, args: [name], options }) {
      const endpoint = await ask('GET', path(name))
      print(options, endpoint, () => table(fieldColumns, [...leavesOf(endpoint)]))
    },
  },
  {
    words: 'endpoint test',
    args: ['NAME'],
    about: 'Opens its databases, and looks at their roles.',
    more: 'Exit code 1 if one of them cannot be used.',
    async run({ ask, args: [name], options }) {
      const result = await ask('POST', `${path(name)}/test`)
      print(options, result, () =>
        [table(testColumns, result.databases), ...mendsOf(result)].join('\n\n'),
      )
      return result.ok ? 0 : 1
    },
  },
  ...['on', 'off'].map((word) => ({
    words: `endpoint ${word}`,
    args: ['NAME'],
    about: word === 'on' ? 'Switches an endpoint on.' : 'Switches an endpoint off, for everybody.',
    async run({ ask, args: [name], options }) {
      const changed = await ask('PATCH', path(name), { active: word === 'on' })
      print(
        options,
        changed,
        () => `${name} is switched ${word}. This holds everywhere within 10 seconds.`,
      )
    },
  })),
  {
    words: 'endpoint remove',
    args: ['NAME'],
    about: 'Removes an endpoint and its credentials.',
    options: sure,
    async run({ ask, args: [name], options }) {
      const { databases } = await ask('GET', path(name))
      const what = `the endpoint ${name} with ${count(Object.keys(databases).length, 'database')}`
      assertSure(options, `remove ${what} and its credentials`)
      await ask('DELETE', path(name))
      print(options, { removed: name }, () => `Removed ${name}.`)
    },
  },
  {
    words: 'credential set',
    args: ['ENDPOINT', 'DATABASE'],
    about: 'Replaces the connection string of a database.',
    more: STDIN.replace('endpoint add shop', 'credential set shop shop'),
    options: urlEnv,
    async run({ ask, args: [endpoint, database], options }) {
      const url = await recognised(ask, await readUrl(options['url-env']))
      const at = `${path(endpoint)}/databases/${encodeURIComponent(database)}/credential`
      const changed = await ask('PUT', at, { url })
      print(options, changed, () => `Set the credential of ${endpoint}/${database}.`)
    },
  },
]

async function urlIn(ask, { url, 'url-env': variable }) {
  if (url === undefined) return await recognised(ask, await readUrl(variable))
  if (hasNoSecret(url)) return url
  throw new Failure(
    '--url takes only URLs without a password. Give the connection string on stdin, or name a variable with --url-env.',
    2,
  )
}

const path = (name) => `/api/endpoints/${encodeURIComponent(name)}`

const columns = [
  ['name', (it) => it.name],
  ['title', (it) => it.title],
  ['databases', databasesOf],
  ['access', (it) => it.access],
  ['active', (it) => (it.active ? 'yes' : 'no')],
  ['from', (it) => it.from],
]

function databasesOf({ databases, credentials = {} }) {
  const all = Object.entries(databases).map(([name, { url }]) => {
    const credential = credentials[name]
    return `${name} (${credential ? whereOfCredential(credential) : url})`
  })
  return all.length > 3 ? `${all.slice(0, 3).join(', ')}, … (${all.length})` : all.join(', ')
}

const fieldColumns = [
  ['field', ([field]) => field],
  ['value', ([, value]) => (typeof value === 'string' ? value : JSON.stringify(value))],
]

const testColumns = [
  ['database', (it) => it.database],
  ['answers', (it) => (it.ok ? 'yes' : 'no')],
  ['ms', (it) => it.ms],
  ['engine', (it) => [it.dialect, it.version].filter(Boolean).join(' ')],
  ['role', (it) => it.role],
  ['tables', (it) => it.tables],
  ['remarks', remarksOf],
]

/** What to do about each database that cannot be used. */
const mendsOf = ({ databases }) => databases.flatMap(({ mend }) => (mend ? [mendText(mend)] : []))

/** What there is to say of a database: why it fails, or what its role may do besides reading. */
function remarksOf({ problem, note, findings = [], broken = [] }) {
  const kinds = findings.filter((it) => it.severity === 'high').map((it) => it.kind)
  return [
    problem,
    kinds.length > 0 && `the role may do more than read: ${kinds.join(', ')}`,
    ...broken,
    note,
  ]
    .filter(Boolean)
    .join('; ')
}

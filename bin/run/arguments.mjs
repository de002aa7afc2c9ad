// What the command is asked to serve, and how.
import { parseArgs } from 'node:util'
import { Fault } from './fault.mjs'

/** Which database. Of these, one is given, or none: then variables tell. */
const sources = {
  demo: { type: 'boolean', about: 'the built-in demo store' },
  config: {
    type: 'string',
    short: 'c',
    value: 'FILE',
    about: 'endpoints as JSON, a list or one; docs/endpoints.md has the fields',
  },
  'url-env': {
    type: 'string',
    value: 'NAME',
    about: 'the variable that holds the connection string; DATABASE_URL if nothing is given',
  },
  vars: {
    type: 'string',
    value: 'FILE',
    about: 'lines NAME=value: variables to add; the environment wins',
  },
  'env-file': {
    type: 'string',
    value: 'FILE',
    about: 'the same, but Node reads it first, and ends if it is missing',
  },
}

/** What is told of a database that is named by a URL, a file or a variable. */
const telling = {
  title: { type: 'string', value: 'TEXT', about: 'what people call it' },
  purpose: { type: 'string', value: 'TEXT', about: 'what is in it, for the model' },
  rows: { type: 'string', value: 'COUNT', about: 'the most rows of an answer; 200' },
  timeout: { type: 'string', value: 'SECONDS', about: 'the most that a statement may take; 20' },
  'no-sql': { type: 'boolean', about: 'the model writes no SQL' },
  'read-only': { type: 'boolean', about: 'changes nothing: it always is' },
}

const ways = {
  ssh: { type: 'string', value: 'USER@HOST', about: 'reach it through this SSH server' },
  'ssh-key': { type: 'string', value: 'FILE', about: 'the private key for it' },
}

const help = {
  version: { type: 'boolean', about: 'print the version' },
  help: { type: 'boolean', short: 'h', about: 'print this' },
}

/** The options of each way to serve, in the order of --help. */
export const options = {
  stdio: {
    ...sources,
    endpoint: { type: 'string', value: 'NAME', about: 'which of the endpoints; the first' },
    ...telling,
    ...ways,
    ...help,
  },
  http: {
    ...sources,
    ...telling,
    ...ways,
    port: { type: 'string', short: 'p', value: 'PORT', about: 'where it listens; 8787' },
    host: { type: 'string', value: 'ADDRESS', about: 'on which address; 127.0.0.1' },
    state: { type: 'string', value: 'FILE', about: 'keeps sessions and more in this SQLite file' },
    proxied: { type: 'boolean', about: 'a proxy in front tells who asks, by X-Forwarded-For' },
    ...help,
  },
}

/** Reads the arguments. Throws {@link Fault}, which repeats no connection string. */
export function readArguments(argv) {
  const way = argv[0] === 'serve' ? 'http' : 'stdio'
  const { values, positionals } = parsed(way, way === 'http' ? argv.slice(1) : argv)
  const given = [
    ...positionals.map(() => 'a connection string or a file'),
    ...['demo', 'config', 'url-env'].filter((it) => values[it]).map((it) => `--${it}`),
  ]
  if (positionals.length > 1) {
    throw new Fault(
      'Give one connection string, in quotes if it has spaces, or one file. Several databases go into a file for --config.',
    )
  }
  if (given.length > 1) throw new Fault(`Give ${given.join(' or ')}, and not both.`)
  if (values.vars && values['env-file']) throw new Fault('Give --vars or --env-file, and not both.')
  const [database] = positionals
  const told = Object.keys(telling).filter((it) => it !== 'read-only' && it in values)
  if (told.length > 0 && (values.demo || values.config)) {
    throw new Fault(
      values.demo
        ? `The demo takes no --${told[0]}.`
        : `--${told[0]} is a field of the file that --config names: docs/endpoints.md.`,
    )
  }
  return {
    ...{ way, database },
    ...values,
    vars: values.vars ?? values['env-file'],
    rows: count(values, 'rows', 10_000),
    timeout: count(values, 'timeout', 55),
    port: count(values, 'port', 65_535, 0),
  }
}

function parsed(way, args) {
  try {
    return parseArgs({ args, options: options[way], allowPositionals: true })
  } catch (error) {
    // The sentences after the first are about parseArgs.
    const [sentence] = error.message.split(/\. |\n/)
    const [, name] = /^Unknown option '--([a-z-]+)'/.exec(sentence) ?? []
    if (name && way === 'stdio' && name in options.http) {
      throw new Fault(`--${name} is for HTTP, so write: npx tidegate serve … --${name}`)
    }
    const [, unsure] = /^Option '([^']+)' argument is ambiguous/.exec(sentence) ?? []
    if (unsure) throw new Fault(`${unsure} wants a value, and no other option.`)
    throw new Fault(`${sentence}. See: npx tidegate ${way === 'http' ? 'serve ' : ''}--help`)
  }
}

function count(values, name, most, least = 1) {
  const text = values[name]
  if (text === undefined) return undefined
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new Fault(`--${name} is a whole number from ${least} to ${most.toLocaleString('en')}.`)
}

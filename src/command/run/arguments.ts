// The command's arguments: the databases to serve, and the way to serve them.
import { parseArgs } from 'node:util'
import type { CommandOptions, OptionValues } from '../command.ts'
import { Mistake, parsingFault } from '../terminal/failure.ts'

/** Options that name a database. At most one is given. Without one, variables decide. */
const sources = {
  demo: { type: 'boolean', about: 'the built-in demo store' },
  config: {
    type: 'string',
    short: 'c',
    value: 'FILE',
    about: 'endpoints as JSON, one or a list; docs/endpoints.md lists the fields',
  },
  'url-env': {
    type: 'string',
    value: 'NAME',
    about: 'the variable that holds the connection string; DATABASE_URL if nothing is given',
  },
  vars: {
    type: 'string',
    value: 'FILE',
    about: 'variables to add, in lines NAME=value; the environment wins',
  },
  'env-file': {
    type: 'string',
    value: 'FILE',
    about: 'the same, but Node reads it first, and exits if it is missing',
  },
} as const

/** Options for a database that is named by a URL, a file or a variable. */
const telling = {
  title: { type: 'string', value: 'TEXT', about: 'its title for people' },
  purpose: { type: 'string', value: 'TEXT', about: 'its contents, for the model' },
  rows: { type: 'string', value: 'COUNT', about: 'maximum rows in a result; default: 200' },
  timeout: { type: 'string', value: 'SECONDS', about: 'time limit for a statement; default: 20' },
  'no-sql': { type: 'boolean', about: 'do not let the model write SQL' },
  'read-only': { type: 'boolean', about: 'accepted without effect: access is always read-only' },
} as const

const ways = {
  ssh: { type: 'string', value: 'USER@HOST', about: 'reach it through this SSH server' },
  'ssh-key': { type: 'string', value: 'FILE', about: 'the private key for it' },
} as const

const help = {
  version: { type: 'boolean', about: 'print the version' },
  help: { type: 'boolean', short: 'h', about: 'print this' },
} as const

/** Options for each way to serve, in the order of --help. */
export const options = {
  stdio: {
    ...sources,
    endpoint: {
      type: 'string',
      value: 'NAME',
      about: 'the endpoint to serve; default: the first',
    },
    ...telling,
    ...ways,
    ...help,
  },
  http: {
    ...sources,
    ...telling,
    ...ways,
    port: {
      type: 'string',
      short: 'p',
      value: 'PORT',
      about: 'the port to listen on; default: 8787',
    },
    host: {
      type: 'string',
      value: 'ADDRESS',
      about: 'the address to listen on; default: 127.0.0.1',
    },
    state: { type: 'string', value: 'FILE', about: 'store sessions and more in this SQLite file' },
    verbose: { type: 'boolean', about: 'print a line for each request' },
    proxied: { type: 'boolean', about: 'a proxy in front sends the caller in X-Forwarded-For' },
    origin: {
      type: 'string',
      multiple: true,
      value: 'URL',
      about: 'the URL that people use, without a path; repeatable; default: TIDEGATE_ORIGIN',
    },
    ...help,
  },
} as const satisfies Readonly<Record<string, CommandOptions>>

/** The way to serve. */
export type ServeMode = keyof typeof options

/** The arguments for a command that serves databases. */
export interface Arguments
  extends Omit<
    OptionValues<typeof options.stdio & typeof options.http>,
    'rows' | 'timeout' | 'port' | 'read-only' | 'env-file' | 'help' | 'version'
  > {
  readonly way: ServeMode
  /** A connection string, or the name of a file. */
  readonly database?: string | undefined
  readonly rows?: number | undefined
  readonly timeout?: number | undefined
  readonly port?: number | undefined
}

/** Reads the arguments. Throws {@link Mistake}, which repeats no connection string. */
export function readArguments(argv: readonly string[]): Arguments {
  const way = argv[0] === 'serve' ? 'http' : 'stdio'
  const { values, positionals } = parsed(way, way === 'http' ? argv.slice(1) : [...argv])
  const given = [
    ...positionals.map(() => 'a connection string or a file'),
    ...(['demo', 'config', 'url-env'] as const).filter((it) => values[it]).map((it) => `--${it}`),
  ]
  if (positionals.length > 1) {
    throw new Mistake(
      'Give one connection string, in quotes if it has spaces, or one file. For several databases, use a file with --config.',
    )
  }
  if (given.length > 1) throw new Mistake(`Give ${given.join(' or ')}, but not both.`)
  if (values.vars && values['env-file'])
    throw new Mistake('Give --vars or --env-file, but not both.')
  const [database] = positionals
  const told = Object.keys(telling).filter((it) => it !== 'read-only' && it in values)
  if (told.length > 0 && (values.demo || values.config)) {
    throw new Mistake(
      values.demo
        ? `The demo does not accept --${told[0]}.`
        : `--${told[0]} is a field of the file that --config names: docs/endpoints.md.`,
    )
  }
  return {
    ...{ way, database },
    ...values,
    vars: values.vars ?? values['env-file'],
    rows: count('rows', values.rows, 10_000),
    timeout: count('timeout', values.timeout, 55),
    port: count('port', values.port, 65_535, 0),
  }
}

function parsed(way: ServeMode, args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: options[way] as CommandOptions,
      allowPositionals: true,
    })
    return {
      values: values as OptionValues<typeof options.stdio & typeof options.http>,
      positionals,
    }
  } catch (error) {
    const sentence = parsingFault(error)
    const [, name] = /^Unknown option '--([a-z-]+)'/.exec(sentence) ?? []
    if (name && way === 'stdio' && name in options.http) {
      throw new Mistake(`--${name} works only over HTTP: npx tidegate serve … --${name}`)
    }
    const [, unsure] = /^Option '([^']+)' argument is ambiguous/.exec(sentence) ?? []
    if (unsure) throw new Mistake(`${unsure} needs a value, not another option.`)
    throw new Mistake(`${sentence}. See: npx tidegate ${way === 'http' ? 'serve ' : ''}--help`)
  }
}

function count(
  name: string,
  text: string | undefined,
  most: number,
  least = 1,
): number | undefined {
  if (text === undefined) return undefined
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new Mistake(
    `--${name} must be a whole number from ${least} to ${most.toLocaleString('en')}.`,
  )
}

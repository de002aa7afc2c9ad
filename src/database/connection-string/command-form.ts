import type { Draft, Notes } from './draft.ts'
import { assertNotForeign } from './families.ts'
import { NotRecognised } from './fault.ts'
import { shellWords } from './shell-words.ts'
import { file } from './told-engine.ts'

/** A program that opens a database, and what its options mean. */
interface Program {
  readonly names: readonly string[]
  readonly scheme: string
  readonly family: 'postgres' | 'mysql' | 'clickhouse'
  /** Its options with a value, by letter and by name. */
  readonly options: Readonly<Record<string, keyof Draft>>
  /** What stands without an option, in this order. */
  readonly places: readonly ('database' | 'user')[]
}

const LONG: Readonly<Record<string, keyof Draft>> = {
  '--host': 'host',
  '--port': 'port',
  '--user': 'user',
  '--username': 'user',
  '--dbname': 'database',
  '--database': 'database',
  '--password': 'password',
}

const PROGRAMS: readonly Program[] = [
  {
    names: ['psql', 'pgcli', 'pg_dump', 'pg_restore', 'pg_isready', 'vacuumdb'],
    scheme: 'postgres',
    family: 'postgres',
    options: { ...LONG, '-h': 'host', '-p': 'port', '-U': 'user', '-d': 'database' },
    places: ['database', 'user'],
  },
  {
    names: ['mysql', 'mariadb', 'mycli', 'mysqldump', 'mariadb-dump', 'mysqlsh'],
    scheme: 'mysql',
    family: 'mysql',
    options: {
      ...LONG,
      '-h': 'host',
      '-P': 'port',
      '-u': 'user',
      '-p': 'password',
      '-D': 'database',
    },
    places: ['database'],
  },
  {
    names: ['clickhouse-client', 'clickhouse'],
    scheme: 'clickhouse',
    family: 'clickhouse',
    options: { ...LONG, '-h': 'host', '-u': 'user', '-d': 'database' },
    places: [],
  },
]

/** What a command holds: the fields of its options, or another connection string. */
export type Commanded = { readonly draft: Draft } | { readonly text: string }

/** Reads a command such as `psql -h host -U user db`. Nothing for a text that is none. */
export function readCommand(text: string, notes: Notes): Commanded | undefined {
  const words = shellWords(text.replace(/^[$>#] /, ''))
  const at = words.findIndex((it) => nameOf(it) in NAMED || !isBefore(it))
  const name = nameOf(words[at] ?? '')
  if (words.length < 2 || at < 0 || words[at]!.includes('=')) return undefined
  assertOther(name, words.slice(at))
  const program = NAMED[name]
  if (!program || /:\/\//.test(words[at]!)) return undefined
  const inner = words.find((it) => /^[\w+]+:\/\//.test(it) || /^(?:host|dbname)=./.test(it))
  notes.changes.push(`Read a command of ${name}.`)
  if (inner !== undefined) return { text: inner.replace(/^--[\w-]+=/, '') }
  const draft: Draft = { family: program.family, scheme: program.scheme, params: new Map() }
  for (const word of words.slice(0, at)) {
    const [variable, value = ''] = split(word)
    if (variable === 'PGPASSWORD' || variable === 'MYSQL_PWD') draft.password = value
    if (variable === 'PGSSLMODE') draft.params.set('sslmode', value)
  }
  const plain = readOptions(words.slice(at + 1), program, draft)
  assertNoPassword(plain, name, program)
  draft.host ??= '127.0.0.1'
  return { draft }
}

const NAMED: Readonly<Record<string, Program>> = Object.fromEntries(
  PROGRAMS.flatMap((it) => it.names.map((name) => [name, it])),
)

const nameOf = (word: string) => word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '')

/** Words that may stand before the name of the program: variables, and programs that run others. */
const isBefore = (word: string) =>
  /^\w+=/.test(word) ||
  /^(?:sudo|env|exec|docker|podman|kubectl|compose|docker-compose|run|npx|--rm|-it|-i|-t|-u|--|time|winpty)$/.test(
    word,
  )

/** The words of a command that belong to no option. */
interface PlainWords {
  count: number
  /** Whether the first of them stands behind an option that asks for the password. */
  isAsked: boolean
}

function readOptions(words: readonly string[], program: Program, draft: Draft): PlainWords {
  const places = [...program.places]
  const plain: PlainWords = { count: 0, isAsked: false }
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    // What follows is another command, or a file.
    if (/^(?:[|<>;]|\d?>|&&)/.test(word)) break
    if (word.startsWith('--')) {
      const [name, value] = split(word)
      const field = program.options[name]
      if (name === '--secure') draft.params.set('secure', '1')
      // psql asks for the password: its --password has no value.
      const bare = name === '--password' && program.family !== 'clickhouse'
      if (field === undefined && value !== undefined) draft.params.set(name.slice(2), value)
      else if (field !== undefined && (value !== undefined || !bare)) {
        set(draft, field, value ?? words[++i] ?? '')
      }
    } else if (word.startsWith('-')) {
      const field = program.options[word.slice(0, 2)]
      const joined = word.slice(2)
      if (field === 'password' || joined !== '') {
        if (field !== undefined && joined !== '') set(draft, field, joined)
      } else if (field !== undefined) set(draft, field, words[++i] ?? '')
    } else {
      if (plain.count++ === 0) plain.isAsked = ASKS.has(words[i - 1] ?? '')
      const place = places.shift()
      if (place !== undefined && draft[place] === undefined) set(draft, place, word)
    }
  }
  return plain
}

/** Options that have the password asked for: what stands behind them is none. */
const ASKS = new Set(['-p', '-W', '--password'])

/** Throws {@link NotRecognised} for a command with a word too many: that may be a password, which names are shown. */
function assertNoPassword({ count, isAsked }: PlainWords, name: string, program: Program): void {
  if (program.family === 'clickhouse' || count < 2) return
  if (isAsked) {
    throw new NotRecognised(
      program.family === 'mysql'
        ? `This command of ${name} has a blank before the password. Write it right behind -p, or as --password=PASSWORD.`
        : `This command of ${name} has a word where it takes no password. Write PGPASSWORD=PASSWORD in front of it.`,
      'password',
    )
  }
  // Behind the database, what copies one has its tables.
  if (program.family === 'mysql' && !name.endsWith('dump')) {
    throw new NotRecognised(
      `This command of ${name} has a word too many. Put a password with blanks in quotes: -p'PASSWORD'.`,
      'password',
    )
  }
}

function set(draft: Draft, field: keyof Draft, value: string): void {
  if (field !== 'params' && value !== '') Object.assign(draft, { [field]: value })
}

function split(word: string): [string, string | undefined] {
  const at = word.indexOf('=')
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

/** Throws {@link NotRecognised} for programs whose commands hold no address. */
function assertOther(name: string, words: readonly string[]): void {
  if (/^sqlite3?$/.test(name)) throw file()
  if (/^(?:mongosh|mongo|redis-cli|sqlcmd|sqlplus|snowsql|cqlsh|duckdb)$/.test(name)) {
    assertNotForeign(name)
  }
  if (name === 'turso') {
    throw new NotRecognised(
      'This is a command of Turso. Run turso db show NAME --url for the address and turso db tokens create NAME for a token, and paste libsql://HOST?authToken=TOKEN.',
      'host',
      'SQLite',
    )
  }
  if (name === 'wrangler' && words.includes('d1')) {
    throw new NotRecognised(
      'This is a command of wrangler. Bind the database in wrangler.toml and paste d1:BINDING, or paste d1://:TOKEN@ACCOUNT/DATABASE with a token that may read D1.',
      'host',
      'SQLite',
    )
  }
  if (/^(?:ssh|curl|wget)$/.test(name)) {
    throw new NotRecognised(
      `This is a command of ${name}, and no connection string. Paste the URL of the database: postgres://user:password@host/database.`,
    )
  }
}

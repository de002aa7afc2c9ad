import { randomBytes } from 'node:crypto'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import { type Parsed, pairShapes, withOne, withSecond } from './calls.ts'
import { NAME_OF_COLUMN, RESERVED } from './keywords.ts'

/** A refused function that exists here, as a stored function. */
export const MARKER = 'sys_eval'

/** Names in a phrase such as `next value for a`. Other phrases of two words start with a reserved word. */
const PHRASES = ['next', 'previous', 'value']

/** Shapes with one keyword that only MariaDB has. */
const ONE = [
  ...["match (a) # ('b')", '# (a using utf8mb4)', "# (a separator ',')", '# (distinct a, b)'],
  ...['# (a) over ()', '# () over (order by a)', '# (a, b) over (order by a)', "{# '1'}", '@@#'],
  ...['# (a) within group (order by b) over ()', '# (a, interval b day)', '# (a, b as char)'],
  ...['# (a, b, c, a)', '# (a order by b)', '# (a as char)', '# (a default b on c error, a)'],
]

/** Shapes in which two names can be a phrase. */
const ALL = ['# @ for a', 'a # @ b', '# @ (a)']

/** Shapes with two keywords that only MariaDB has. */
const TWO = ['# @ for a', '# (@, a, b)', '# (a, interval b @)', '# (@, a)']

/** MariaDB's own parser, used through a server. Nothing that it parses runs. */
export interface MariaDbParser {
  readonly version: string
  readonly keywords: readonly string[]
  /** The functions that the server lists, including those of its plugins. */
  readonly functions: readonly string[]
  /** True if a statement can begin with this text. */
  begins(text: string): Promise<boolean>
  /** The functions that an expression calls, or undefined if the parser cannot read it. */
  parsed(expression: string): Promise<Parsed['calls'] | undefined>
  /** Expressions with each keyword that is more than a name, and each pair. With `all`, also each pair of names. */
  expressions(all?: boolean): AsyncIterable<string>
  close(): Promise<void>
}

/** Creates a separate database on the server of this machine, for a user without rights outside it. */
export async function openMariaDbParser(): Promise<MariaDbParser> {
  const name = `tidegate_parser_${randomBytes(6).toString('hex')}`
  const config = { host: '127.0.0.1', port: Number(process.env.MYSQL_TCP_PORT ?? 3306) }
  const admin = await mysql.createConnection({ ...config, user: 'root', multipleStatements: true })
  const listed = async (column: string, from: string) => {
    const sql = `select distinct lower(${column}) as word from information_schema.${from}`
    const [rows] = await admin.query<RowDataPacket[]>(sql)
    return rows.map(({ word }) => String(word)).filter((word) => /^\w+$/.test(word))
  }
  await admin.query(`create database ${name} character set utf8mb4; use ${name};
    create table t (a int, b int, c int) engine=innodb; insert into t values (1, 2, 3), (4, 5, 6);
    create sequence a; create sequence b;
    create function ${MARKER} (x text) returns integer deterministic return 1;
    create user ${name}@'%'; grant all on ${name}.* to ${name}@'%'`)
  const connection = await mysql.createConnection({ ...config, user: name, database: name })
  await connection.query('set session max_statement_time = 1')

  const errorOf = (sql: string) =>
    connection.query(sql).then(
      () => undefined,
      (error: mysql.QueryError) => error,
    )
  const numberOf = async (expression: string) =>
    (await errorOf(`explain extended select ${expression} from t`))?.errno ?? 0

  const begins: MariaDbParser['begins'] = async (text) => {
    // No statement can have a brace there, so the parser stops at it, or before it.
    const error = await errorOf(`${text} }`)
    return error?.errno !== SYNTAX || error.message.includes("near '}' at line")
  }
  const parsed: MariaDbParser['parsed'] = async (expression) => {
    const number = await numberOf(expression)
    if (number !== 0) return number === SYNTAX ? undefined : []
    const [notes] = await connection.query<RowDataPacket[]>('show warnings')
    return callsIn(String(notes.find(({ Code }) => Code === AS_READ)?.Message))
  }

  const keywords = await listed('word', 'keywords')
  const plugins = await listed('plugin_name', "plugins where plugin_type = 'FUNCTION'")
  const functions = [...new Set([...(await listed('`function`', 'sql_functions')), ...plugins])]
  const [versions] = await admin.query<RowDataPacket[]>('select version() as version')
  return {
    version: `MariaDB ${String(versions[0]!.version).split('-')[0]}`,
    ...{ keywords, functions, begins, parsed },
    async *expressions(all = false) {
      yield* expressions(await kindsOf(keywords, functions, begins, numberOf), begins)
      for (const shape of all ? ALL : []) {
        for (const first of keywords) yield* withSecond(shape, first, keywords)
      }
    },
    async close() {
      await connection.end()
      await admin.query(`drop database ${name}; drop user ${name}@'%'`)
      await admin.end()
    },
  }
}

const SYNTAX = 1064
const UNKNOWN_FUNCTION = 1630

/** The code of the note with the statement as the server understood it. */
const AS_READ = 1003

/** The names before parentheses. Other quoted names can contain any text. */
const callsIn = (form: string) =>
  [...form.replace(/`(?:[^`]|``)*`(?!\()/g, '').matchAll(/(\w+)`?\(/g)].map(([, name]) =>
    name!.toLowerCase(),
  )

/** Words that are more than a name to the parser. */
interface Kinds {
  /** Keywords that cannot be the name of a column, and parts of phrases. */
  readonly phrases: readonly string[]
  /** Words that call, but with their own grammar instead of a list of values. */
  readonly special: readonly string[]
  /** Keywords that call like any function. */
  readonly calling: readonly string[]
}

async function kindsOf(
  keywords: readonly string[],
  functions: readonly string[],
  begins: MariaDbParser['begins'],
  numberOf: (expression: string) => Promise<number>,
): Promise<Kinds> {
  const [phrases, special, calling] = [[...PHRASES], [] as string[], [] as string[]]
  for (const word of keywords) if ((await numberOf(`a ${word}`)) === SYNTAX) phrases.push(word)
  for (const word of new Set([...keywords, ...functions])) {
    if (!(await begins(`select ${word} (`))) continue
    const number = await numberOf(`${word} (a, a, a, a, a, a, a)`)
    if (number === SYNTAX) special.push(word)
    else if (number !== UNKNOWN_FUNCTION && !functions.includes(word)) calling.push(word)
  }
  return { phrases, special, calling }
}

async function* expressions(
  { phrases, special, calling }: Kinds,
  begins: MariaDbParser['begins'],
): AsyncGenerator<string> {
  const words = new Set([...phrases, ...special, ...calling])
  yield* withOne(words)
  yield* withOne(words, ONE)
  const shapes = [
    ...pairShapes(new Map(phrases.map((it) => [it, RESERVED]))),
    ...pairShapes(new Map(special.map((it) => [it, NAME_OF_COLUMN]))),
    ...TWO.map((shape) => [shape, [...new Set([...phrases, ...special])]] as const),
  ]
  /** The words that can follow each beginning. */
  const seconds = new Map<string, string[]>()
  for (const [shape, firsts] of shapes) {
    for (const first of firsts) {
      const begun = `select ${shape.slice(0, shape.indexOf('@'))}`.replaceAll('#', first)
      if (!seconds.has(begun)) {
        const found: string[] = []
        const words = (await begins(begun)) ? phrases : []
        for (const word of words) if (await begins(begun + word)) found.push(word)
        seconds.set(begun, found)
      }
      yield* withSecond(shape, first, seconds.get(begun)!)
    }
  }
}

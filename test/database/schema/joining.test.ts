import { afterAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import {
  DatabaseError,
  findSource,
  findTable,
  Sessions,
  type TimeLimits,
} from '../../../src/database/index.ts'
import { joining } from '../../../src/database/schema/joining.ts'
import { startD1 } from '../../servers/d1.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { startEngines } from '../../support/engines.ts'
import { failure } from '../../support/failure.ts'
import { open } from '../../support/open.ts'

const limits = { timeoutMs: 20_000 }
const WIDE = Array.from({ length: 90 }, (_, i) => `column_${i} integer`)
const ODD = `it's "odd" \\ ? $1 {p1} é ≠`

/** Tables with all that a description holds, and in names whatever may be mistaken for something else. */
const tables = (quote: string, text: string) => [
  `create table people (id integer primary key, email varchar(80) not null default 'a''b "c"' unique)`,
  `create table pets (id integer primary key, owner integer, region integer, number integer,
    name ${text}, foreign key (owner) references people (id))`,
  'create index pets_by_name_and_region on pets (region, number, owner)',
  `create table ${quote}${ODD.replaceAll(quote, quote + quote)}${quote} (${quote}${ODD.replaceAll(quote, quote + quote)}${quote} integer)`,
  `create table wide (${WIDE.join(', ')})`,
  'create table empty (id integer)',
]

const engines = await startEngines({
  sqlite: tables('"', 'text'),
  postgres: [
    ...tables('"', 'text'),
    "create type mood as enum ('sad', 'it''s, \"ok\"')",
    'create table moods (mood mood)',
  ],
  mysql: tables('`', 'varchar(10)'),
  clickhouse: [
    "create table people (id UInt32, at Date, mood Enum8('sad' = 1, 'it\\'s' = 2)) engine = MergeTree partition by toYYYYMM(at) order by (id, at)",
    `create table wide (${WIDE.map((it) => it.replace('integer', 'Int32')).join(', ')}) engine = Memory`,
    'create table empty (id UInt8) engine = Memory',
  ],
})
const d1 = await startD1(tables('"', 'text'))
afterAll(async () => {
  d1.close()
  await engines.drop()
})

const NAMES = ['people', 'pets', ODD, 'wide', 'empty', 'moods']

/** A database that counts the statements that reach it. */
function counted(database: Database) {
  const statements: string[] = []
  const query: Database['query'] = (statement, limits) => {
    statements.push(statement.sql)
    return database.query(statement, limits)
  }
  return { statements, database: joining({ ...database, query }) }
}

const io = { fetch: globalThis.fetch, bindings: {} }
const account = 'https://api.cloudflare.com/client/v4/accounts/'
const toD1: typeof fetch = (url, init) =>
  fetch(String(url).replace(account, `http://127.0.0.1:${d1.port}/client/v4/accounts/`), init)

const inCall = async <T>(work: (limits: TimeLimits) => Promise<T>) => {
  const sessions = new Sessions()
  try {
    return await work({ ...limits, sessions })
  } finally {
    await sessions.end()
  }
}

describe.each([
  // PostgreSQL over TCP takes them in one turn as they are: turns.test.ts holds that.
  ...engines.ways
    .filter(({ name }) => name !== 'postgres')
    .map(({ name, url }) => ({ name, database: open(url, io) })),
  {
    name: 'd1',
    database: open(`d1://:${TOKEN}@an-account/a-database`, { ...io, fetch: toD1 }),
  },
])('the catalog of $name', ({ database }) => {
  test('describes a table in one statement, as it does in several', async () => {
    const { statements, database: joined } = counted(database)
    for (const table of NAMES) {
      const apart = await findTable(database, table, limits).catch((error) => error)
      statements.length = 0
      const together = await inCall((own) => findTable(joined, table, own).catch((error) => error))
      expect(together).toEqual(apart)
      if (!(apart instanceof Error)) expect(statements, table).toHaveLength(1)
    }
    expect(await findTable(database, 'wide', limits)).toMatchObject({ columns: { length: 90 } })
    statements.length = 0
    const source = await inCall((own) => findSource(joined, 'people', own))
    expect(source).toEqual(await findSource(database, 'people', limits))
    expect(statements).toHaveLength(1)
  })
})

describe('questions to the catalog', () => {
  const database = open(engines.ways[0]!.url, io)
  const { catalog } = database.dialect
  const people = { schema: 'main', name: 'people' }
  const wide = { schema: 'main', name: 'wide' }
  const asked = [catalog.columns([people]), catalog.keys(people), catalog.columns([wide])].map(
    (it) => ({ ...it, internal: true }),
  )

  /** The rows of some questions, and whether they were cut. */
  const answers = (of: Database, maxRows: number, more?: Partial<TimeLimits>) =>
    Promise.all(
      asked.map(async (it) => {
        const bounds = { ...limits, maxRows, maxBytes: 100_000, ...more }
        const { rows, truncated } = await of.query(it, bounds)
        return { rows, truncated }
      }),
    )

  test('are asked apart by calls that are apart, and without a call', async () => {
    const { statements, database: joined } = counted(database)
    await Promise.all([inCall((own) => answers(joined, 100, own)), answers(joined, 100)])
    expect(statements).toHaveLength(1 + asked.length)
    statements.length = 0
    await Promise.all([1, 2].map(() => inCall((own) => answers(joined, 100, own))))
    expect(statements).toHaveLength(2)
  })

  test('each have the whole of a cap, which their answers together exceed', async () => {
    const { statements, database: joined } = counted(database)
    const found = await inCall((own) => answers(joined, 91, own))
    expect(found).toEqual(await answers(database, 91))
    expect(found.map(({ truncated }) => truncated)).toEqual([false, false, false])
    expect(statements).toHaveLength(1 + asked.length)
    expect(await inCall((own) => answers(joined, 50, own))).toEqual(await answers(database, 50))
  })

  test('are asked one by one, from then on, where the server does not take them joined', async () => {
    const { statements, database: joined } = counted({
      ...database,
      async query(statement, bounds) {
        if (!statement.sql.startsWith('with q0')) return database.query(statement, bounds)
        throw new DatabaseError('sql', 'The database does not accept this statement.')
      },
    })
    const apart = await answers(database, 100)
    expect(await inCall((own) => answers(joined, 100, own))).toEqual(apart)
    expect(statements).toHaveLength(1 + asked.length)
    expect(await inCall((own) => answers(joined, 100, own))).toEqual(apart)
    expect(statements).toHaveLength(1 + 2 * asked.length)
  })

  test('all fail if the database does not answer, and it is not asked again', async () => {
    const { statements, database: joined } = counted({
      ...database,
      query: () => Promise.reject(new DatabaseError('network', 'The database cannot answer.')),
    })
    const error = await failure(inCall((own) => findTable(joined, 'people', own)))
    expect(error).toMatchObject({ kind: 'network' })
    expect(statements).toHaveLength(1)
  })
})

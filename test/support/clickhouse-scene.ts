import { attacks } from './attacks.ts'
import type { TestClickHouse } from './clickhouse.ts'
import { filesNamedIn, filesSeen, type Scene } from './witness.ts'

/** The tables that the statements of the corpus use. */
export const setup = [
  'create table users (id UInt32, email String) engine = MergeTree order by id',
  'create table orders (id UInt32, total Decimal(9, 2)) engine = MergeTree order by id',
  // Each insert creates one part, which only an OPTIMIZE merges.
  "insert into users select number, concat('user', toString(number)) from numbers(20)",
  'insert into orders select number, toDecimal32(number, 2) from numbers(50)',
]

const parts = [
  'select * from users order by id',
  'select * from orders order by id',
  'select name from system.databases order by name',
  'select database, name, engine, create_table_query from system.tables order by database, name',
  "select database, table, name, type from system.columns where database <> 'system'",
  'select database, table, name, rows from system.parts where active order by name, table',
  'select * from system.mutations',
  'select name from system.functions order by name',
  'select name, value from system.settings order by name',
  'select name from system.dictionaries',
]

/** The state of the server that {@link setup} filled, and of its files. */
export function clickhouseScene(
  { admin, files }: TestClickHouse,
  statements: readonly string[] = attacks('clickhouse').map(({ sql }) => sql),
): Scene {
  const named = filesNamedIn(statements)
  return {
    async state() {
      const seen = await Promise.all(parts.map((sql) => admin(sql).catch(() => '')))
      return [...seen, filesSeen([files]), named.seen()].join('\n')
    },
    async restore() {
      named.removeNew()
      for (const table of ['users', 'orders']) await admin(`drop table if exists ${table}`)
      for (const statement of setup) await admin(statement)
    },
  }
}

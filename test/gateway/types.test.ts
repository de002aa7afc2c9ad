import { expect, test } from 'vitest'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { endpointBefore, resultOf, structureOf } from '../support/endpoint.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'

const types = [
  ...['boolean', 'smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric', 'text'],
  ...['numeric(12,2)', 'char(4)', 'varchar(9)', 'name', '"char"', 'bit(3)', 'varbit(3)', 'bytea'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'timestamp(3)', 'interval', 'uuid'],
  ...['json', 'jsonb', 'xml', 'inet', 'money', 'oid', 'int4range', 'tsvector', 'mood', 'mood[]'],
  ...['integer[]', 'varchar(9)[]', 'timestamptz[]', 'boolean[]'],
]

await describePostgres(
  'a PostgreSQL type',
  `create type mood as enum ('low', 'high');
    create table every (${types.map((type, i) => `c${i} ${type}`).join(', ')})`,
  (postgres) => {
    test.each(['url', 'tcp'] as const)('has the same name in every tool: %s', async (way) => {
      const server = endpointBefore(postgres[way](postgres.reader))
      const { columns } = await structureOf(server, 'describe_table', { table: 'every' })
      const listed = await structureOf(server, 'list_tables', { detail: true })
      const called = columns.map((it: { type: string }) => it.type.replace(/\(\d+(?:,\d+)?\)/, ''))
      expect(called).toHaveLength(types.length)
      expect(called[2]).toBe('integer')
      expect(listed.tables[0].columns[2]).toBe('c2 integer')
      for (const [tool, args] of [
        ['query', { sql: 'select * from every' }],
        ['query_table', { table: 'every' }],
      ] as const) {
        const found = (await structureOf(server, tool, args)).columns
        expect(found.map((it: { type: string }) => it.type)).toEqual(called)
      }
    })
  },
)

test('a declared SQLite type has the same name in every tool', async () => {
  const declared = ['INTEGER', 'int', 'Text', 'VARCHAR(9)', 'REAL', 'DATE', 'NUMERIC(10,2)', 'BLOB']
  const shop = await startHrana([
    `create table every (${declared.map((type, i) => `c${i} ${type}`).join(', ')})`,
    `insert into every values (${declared.map(() => 1).join(', ')})`,
  ])
  const server = endpointBefore(`libsql://127.0.0.1:${shop.port}?authToken=${TOKEN}`)
  const described = await structureOf(server, 'describe_table', { table: 'every' })
  const found = await structureOf(server, 'query', { sql: 'select * from every' })
  const types = ({ columns }: { columns: { type: string }[] }) => columns.map((it) => it.type)
  expect(types(described)).toEqual(declared.map((type) => type.toLowerCase()))
  expect(types(found)).toEqual(types(described))
  shop.close()
})

await describePostgres('a typed literal', '', (postgres) => {
  test.each(['url', 'tcp'] as const)(
    'with a parameter gets an error that suggests a cast: %s',
    async (way) => {
      const server = endpointBefore(postgres[way](postgres.reader))
      const told = async (sql: string, ...params: string[]) => {
        const { isError, content } = await resultOf(server, 'query', { sql, params })
        return isError ? content[0].text : undefined
      }
      for (const [wrong, right, value] of [
        ['select now() - interval $1 as x', '$1::interval', '1 day'],
        ["select '🐘', date\n $1", '$1::date', '2026-01-31'],
        ['select Timestamp with time zone $1', '$1::timestamp with time zone', '2026-01-31'],
        ['select uuid $1', '$1::uuid', '00000000-0000-0000-0000-000000000000'],
      ] as const) {
        const text = await told(wrong, value)
        expect(text).toContain('syntax error at or near "$1"')
        expect(text).toContain(`A typed literal cannot take a parameter: write ${right}.`)
        expect(await told(`select ${right}`, value)).toBeUndefined()
      }
      expect(await told('select x $1', 'a')).not.toContain('literal')
      expect(await told("select interval '1 day', from $1", 'a')).not.toContain('literal')
    },
  )
})

const counts = (server: ReturnType<typeof endpointBefore>) => async (table: string) => {
  const { tables } = await structureOf(server, 'list_tables', { search: table })
  const { estimatedRows } = await structureOf(server, 'describe_table', { table })
  expect(tables[0].estimatedRows).toBe(estimatedRows)
  return estimatedRows
}

await describePostgres(
  'the row count of a PostgreSQL table',
  `create table never (id int); insert into never select generate_series(1, 100);
    create table empty (id int); create table full_one (id int);
    insert into full_one select generate_series(1, 100); analyze empty; analyze full_one;`,
  (postgres) => {
    test('is shown if the table was analyzed, even if it is 0', async () => {
      const of = counts(endpointBefore(postgres.tcp(postgres.reader)))
      expect(await of('never')).toBeUndefined()
      expect(await of('empty')).toBe(0)
      expect(await of('full_one')).toBe(100)
    })
  },
)

await describeMariaDb(
  'the row count of a MariaDB table',
  `create table estimated (id int); create table empty (id int) engine = Aria; create table full_one (id int);
    insert into full_one values (1), (2); analyze table full_one;`,
  (mariadb) => {
    test('is shown if it was counted, but not if it is an estimate of 0', async () => {
      const of = counts(endpointBefore(mariadb.url(mariadb.reader)))
      expect(await of('estimated')).toBeUndefined()
      expect(await of('empty')).toBe(0)
      expect(await of('full_one')).toBe(2)
    })
  },
)

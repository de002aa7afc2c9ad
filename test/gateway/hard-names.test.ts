import { afterAll, describe, expect, test } from 'vitest'
import { endpointBefore, resultOf, structureOf } from '../support/endpoint.ts'
import { startEngines, type Way } from '../support/engines.ts'
import { describePostgres } from '../support/postgres.ts'

/** Names of tables and columns that a parser could get wrong. */
const NAMES = [
  ...['طلبات', 'ελληνικά', '☕ & 茶', "it's", 'say "x"', 'tick`ed', '[square]', 'order items'],
  ...['select', 'order', 'group', 'ends.', '.begins', 'dot.ted', 'a.b.c', '$lead', '$1', '{p1}'],
  ...['100%_done', 'MixedCase', 'a?b', ':x', '@x', 'semi;colon', 'a--b', '/*', '#hash', 'x desc'],
  ...['count(*)', 'max(select)', 'result://x', 'true', 'NULL', '1', '-'],
]
/** MySQL identifiers cannot contain characters beyond the Basic Multilingual Plane. */
const EMOJI = '🍕🍕'
/** The guard refuses ClickHouse names with a backslash, which is an escape character there. */
const BACKSLASH = 'back\\slash'

const namesOf: Record<Way['dialect'], readonly string[]> = {
  sqlite: [...NAMES, EMOJI, BACKSLASH, 'main.order'],
  postgres: [...NAMES, EMOJI, BACKSLASH, 'public.order'],
  mysql: [...NAMES, BACKSLASH],
  clickhouse: [...NAMES, EMOJI, 'shop.order'],
}

const quotes: Record<Way['dialect'], (name: string) => string> = {
  sqlite: (name) => `"${name.replaceAll('"', '""')}"`,
  postgres: (name) => `"${name.replaceAll('"', '""')}"`,
  mysql: (name) => `\`${name.replaceAll('`', '``')}\``,
  clickhouse: (name) => `\`${name.replaceAll('`', '``')}\``,
}

/** A number that is unique to its cell. */
const valueAt = (table: number, column: number, row: number) => table * 1000 + column * 10 + row

/** Creates a table for each name, with a column for each name. */
function setupOf(dialect: Way['dialect']): string[] {
  const names = namesOf[dialect]
  const quote = quotes[dialect]
  const type = dialect === 'clickhouse' ? 'UInt32' : 'integer'
  const engine = dialect === 'clickhouse' ? ' engine = MergeTree order by tuple()' : ''
  return names.flatMap((name, t) => {
    const columns = names.map((it) => `${quote(it)} ${type}`)
    const rows = [0, 1, 2].map((r) => `(${names.map((_, c) => valueAt(t, c, r))})`)
    return [
      `create table ${quote(name)} (${columns.join(', ')})${engine}`,
      `insert into ${quote(name)} values ${rows.join(', ')}`,
    ]
  })
}

const engines = await startEngines({
  sqlite: setupOf('sqlite'),
  postgres: setupOf('postgres'),
  mysql: setupOf('mysql'),
  clickhouse: setupOf('clickhouse'),
})
afterAll(() => engines.drop())

const ways = engines.ways.filter(({ name }) => name !== 'neon' && name !== 'planetscale')

describe.each(ways)('on $name', ({ dialect, url }) => {
  const names = namesOf[dialect]
  const quote = quotes[dialect]
  const server = endpointBefore(url, { caps: { bytes: 40_000 } })
  const call = (tool: string, args?: object) => structureOf(server, tool, args)
  const isOf = (shown: string) => (name: string) => shown === name || shown.endsWith(`.${name}`)

  async function listed(args: object = {}): Promise<string[]> {
    const { tables, nextCursor } = await call('list_tables', args)
    const shown = tables.map((it: { name: string }) => it.name)
    return nextCursor ? [...shown, ...(await listed({ ...args, cursor: nextCursor }))] : shown
  }

  test('list_tables shows each table with a unique name', async () => {
    const shown = await listed()
    expect(shown).toHaveLength(names.length)
    expect(new Set(shown).size).toBe(names.length)
    for (const name of names)
      expect(
        shown.some((it) => isOf(it)(name)),
        name,
      ).toBe(true)
  })

  test('list_tables finds each table by its name', async () => {
    for (const name of names) {
      const found = await listed({ search: name })
      expect(
        found.some((it) => isOf(it)(name)),
        name,
      ).toBe(true)
    }
  })

  test('the other tools accept each name that list_tables shows, and read that table', async () => {
    const tables = new Set<number>()
    for (const table of await listed()) {
      const described = await call('describe_table', { table })
      expect(described.name).toBe(table)
      expect(described.columns.map((it: { name: string }) => it.name)).toEqual(names)
      const { rows } = await call('query_table', { table, columns: [names[0]], limit: 1 })
      const t = Math.floor(rows[0][0] / 1000)
      expect(isOf(table)(names[t]!), `${table} leads to ${names[t]}`).toBe(true)
      tables.add(t)
    }
    expect(tables.size).toBe(names.length)
  })

  test('an error about an unknown table lists the same names', async () => {
    const refused = await resultOf(server, 'query_table', { table: 'q'.repeat(40) })
    const shown = (await listed()).slice(0, 20).join(', ').slice(0, 400)
    expect(refused.content[0].text).toContain(`Available tables: ${shown}`)
  })

  test('query_table accepts each name as a column', async () => {
    const [table] = (await listed()).filter((it) => isOf(it)('order items'))
    const t = names.indexOf('order items')
    for (const [c, column] of names.entries()) {
      const at = (row: number) => valueAt(t, c, row)
      const ordered = { table, columns: [column], orderBy: [`${column} desc`], limit: 2 }
      const found = await call('query_table', ordered)
      expect(found.columns[0].name).toBe(column)
      expect(found.rows, column).toEqual([[at(2)], [at(1)]])
      const grouped = await call('query_table', {
        table,
        columns: [column],
        aggregates: [`max(${column})`],
        where: [{ column, op: 'in', value: [at(0), at(1)] }],
        orderBy: [column],
      })
      expect(grouped.columns[1].name).toBe(`max(${column})`)
      const numbers = grouped.rows.map((row: unknown[]) => row.map(Number))
      expect(numbers, column).toEqual([0, 1].map((r) => [at(r), at(r)]))
    }
  })

  test('query and explain_query accept each name in the quotes of the dialect', async () => {
    for (const [t, name] of names.entries()) {
      const own = quote(name)
      const sql = `select ${own} from ${own} where ${own} > $1 order by ${own}`
      const params = [valueAt(t, t, 0)]
      const { rows, columns } = await call('query', { sql, params })
      expect(columns[0].name).toBe(name)
      expect(rows, name).toEqual([[valueAt(t, t, 1)], [valueAt(t, t, 2)]])
      if (dialect === 'clickhouse') continue
      expect((await call('explain_query', { sql, params })).summary.length).toBeGreaterThan(0)
    }
  })
})

const inSchemas = (reader: string) => `
  create schema app; grant usage on schema app to ${reader};
  create table items (place text); insert into items values ('public');
  create table app.items (place text); insert into app.items values ('app');
  create table "app.items" (place text); insert into "app.items" values ('a name with a dot');
  create table app.parts (place text); insert into app.parts values ('app');
  grant select on all tables in schema app to ${reader};
  alter role ${reader} set search_path = app, public`

await describePostgres('a role with another search_path', inSchemas, (postgres) => {
  const server = endpointBefore(postgres.tcp(postgres.reader))
  const placeOf = async (table: string) => {
    const { rows } = await structureOf(server, 'query_table', { table })
    return rows[0][0]
  }

  test('finds each table by its listed name, and tables in the search_path by bare name', async () => {
    const { tables } = await structureOf(server, 'list_tables')
    const places = tables.map(async ({ name }: { name: string }) => [name, await placeOf(name)])
    expect(await Promise.all(places)).toEqual([
      ['app.items', 'app'],
      ['app.parts', 'app'],
      ['public.app.items', 'a name with a dot'],
      ['items', 'public'],
    ])
    expect(await placeOf('parts')).toBe('app')
  })
})

import { afterAll, describe, expect, test } from 'vitest'
import { endpointBefore, resultOf, structureOf } from '../support/endpoint.ts'
import { startEngines, type Way } from '../support/engines.ts'

/** The number of tables. Some engines need a minute for as many as others create in a second. */
const TABLES: Record<Way['dialect'], number> = {
  sqlite: 10_000,
  postgres: 10_000,
  mysql: 300,
  clickhouse: 300,
}

/** The maximum number of columns in a table, or 2,000 if there is no maximum. */
const COLUMNS: Record<Way['dialect'], number> = {
  sqlite: 2_000,
  postgres: 1_600,
  mysql: 1_017,
  clickhouse: 2_000,
}

const digits = (i: number) => String(i).padStart(5, '0')
const tableAt = (i: number) => `table_of_things_${digits(i)}`
const columnAt = (i: number) => `column_of_values_${digits(i)}`
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

function wide(dialect: Way['dialect'], type: string, engine = ''): string[] {
  const all = numbers(COLUMNS[dialect])
  return [
    `create table wide (${all.map((i) => `${columnAt(i)} ${type}`)})${engine}`,
    ...[0, 1].map((row) => `insert into wide values (${all.map((i) => (i + row) % 100)})`),
  ]
}

/** A table that many others refer to, with more details than fit in an answer. */
const SPOKES = 300
const hub = [
  'create table hub (id integer primary key, name text)',
  ...numbers(SPOKES).map(
    (i) =>
      `create table spoke_${digits(i)} (hub_id integer, foreign key (hub_id) references hub (id))`,
  ),
]
const COMMENT = 'é'.repeat(1_000)
const inPostgres = [
  ...wide('postgres', 'smallint'),
  ...hub,
  `comment on table hub is '${COMMENT.repeat(30)}'`,
  `comment on column hub.name is '${COMMENT.repeat(30)}'`,
]

const many = (dialect: Way['dialect'], rest: string) =>
  numbers(TABLES[dialect]).map((i) => `create table ${tableAt(i)} ${rest}`)

const engines = await startEngines({
  sqlite: [...many('sqlite', '(id integer, thing text)'), ...wide('sqlite', 'integer'), ...hub],
  // It commits in between, because one transaction cannot hold more locks.
  postgres: [
    `do $$ begin
      ${inPostgres.map((it) => `execute '${it.replaceAll("'", "''")}';`).join('\n')}
      commit;
      for i in 0..${TABLES.postgres - 1} loop
        execute format('create table table_of_things_%s (id int, thing text)', lpad(i::text, 5, '0'));
        if i % 1000 = 999 then commit; end if;
      end loop;
    end $$`,
  ],
  mysql: [
    ...many('mysql', '(id int, thing text)'),
    ...wide('mysql', 'tinyint'),
    ...hub,
    `alter table hub comment '${COMMENT}', modify name text comment '${COMMENT}'`,
  ],
  clickhouse: [
    ...many('clickhouse', '(id UInt32, thing String) engine = Memory'),
    ...wide('clickhouse', 'UInt8', ' engine = Memory'),
  ],
})
afterAll(() => engines.drop())

/** Bytes of an answer. The text around rows and lists comes on top of the cap. */
const CAP = 10_000
const AROUND = 600
const bytesOf = (text: string) => Buffer.byteLength(text)

const ways = engines.ways.filter(({ name }) => name !== 'neon' && name !== 'planetscale')

describe.each(ways)('on $name', ({ dialect, url }) => {
  const server = endpointBefore(url, { caps: { bytes: CAP } })
  const call = (tool: string, args?: object) => structureOf(server, tool, args)
  const refers = dialect !== 'clickhouse'
  const total = TABLES[dialect] + 1 + (refers ? 1 + SPOKES : 0)
  const width = COLUMNS[dialect]
  const namesIn = (answer: { tables: { name: string }[] }) => answer.tables.map((it) => it.name)

  /** The names on some pages, and the cursor after them. */
  async function pages(count: number, cursor?: string) {
    const names: string[] = []
    let next = cursor
    for (let page = 0; page < count; page++) {
      const args = next === undefined ? {} : { cursor: next }
      const { structuredContent, content } = await resultOf(server, 'list_tables', args)
      expect(bytesOf(content[0].text)).toBeLessThanOrEqual(4_096)
      expect(structuredContent.total).toBe(total)
      names.push(...namesIn(structuredContent))
      next = structuredContent.nextCursor
      if (next === undefined) break
    }
    return { names, next }
  }

  test('list_tables has pages of at most 4 KB, up to the last table', async () => {
    const first = await pages(2)
    expect(new Set(first.names).size).toBe(Number(first.next))
    // A cursor is the number of tables before it, so this skips some hundred pages.
    const last = await pages(20, total > 2_000 ? String(total - 500) : first.next)
    expect(last.next).toBeUndefined()
    const before = total > 2_000 ? total - 500 : Number(first.next)
    expect(new Set([...first.names, ...last.names]).size).toBe(first.names.length + total - before)
  })

  test('one table among many can be found, described, queried and explained', async () => {
    const table = tableAt(TABLES[dialect] - 7)
    const found = await call('list_tables', { search: table.slice(-9) })
    expect([namesIn(found), found.total]).toEqual([[table], 1])
    const detailed = await call('list_tables', { search: table, detail: true })
    expect(detailed.tables[0].columns).toHaveLength(2)
    expect((await call('describe_table', { table })).columns).toHaveLength(2)
    const { rows } = await call('query_table', { table, aggregates: ['count(*)'] })
    expect(rows.map(([it]: unknown[]) => Number(it))).toEqual([0])
    const sql = `select thing from ${table} where id = $1`
    expect((await call('query', { sql, params: [1] })).rows).toEqual([])
    if (dialect === 'clickhouse') return
    expect((await call('explain_query', { sql, params: [1] })).summary.join()).toMatch(/\w/)
  })

  test('an error about a misspelled table suggests a name', async () => {
    const wrong = tableAt(TABLES[dialect] - 7).replace('things', 'thimgs')
    for (const name of ['describe_table', 'query_table']) {
      const { isError, content } = await resultOf(server, name, { table: wrong })
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining('Did you mean')])
      expect(bytesOf(content[0].text)).toBeLessThanOrEqual(1_000)
    }
  })

  test('a table with the most columns stays within the cap in every tool, and the answers say so', async () => {
    const told = async (name: string, args: object, most = CAP) => {
      const { isError, content, structuredContent } = await resultOf(server, name, args)
      expect(isError, content[0].text).toBeUndefined()
      expect(bytesOf(content[0].text)).toBeLessThanOrEqual(most + AROUND)
      return structuredContent
    }
    const listed = await told('list_tables', { search: 'wide', detail: true }, 4_000)
    const { columns } = listed.tables[0]
    expect(columns.at(-1)).toBe(`… ${width - columns.length + 1} more`)
    expect((await told('list_tables', { search: 'wide' })).tables[0].columns).toBe(width)

    const described = await told('describe_table', { table: 'wide' })
    expect(described.hint).toContain(`first ${described.columns.length} of ${width} columns`)

    for (const [name, args] of [
      ['query_table', { table: 'wide' }],
      ['query', { sql: 'select * from wide' }],
    ] as const) {
      const answer = await told(name, args)
      expect(answer.truncated).toBe(true)
      expect(answer.hint).toContain(`first ${answer.columns.length} of ${width} columns`)
      expect(answer.rows[0]).toHaveLength(answer.columns.length)
    }
    const last = columnAt(width - 1)
    const { rows } = await told('query_table', {
      table: 'wide',
      columns: [last],
      where: [{ column: columnAt(width - 2), op: 'gte', value: 0 }],
      orderBy: [last],
    })
    expect(rows.map(([it]: unknown[]) => it).sort()).toEqual(
      [(width - 1) % 100, width % 100].sort(),
    )
    if (dialect !== 'clickhouse') await told('explain_query', { sql: 'select * from wide' })
  })

  test('a table with many keys and long comments is described within the cap', async () => {
    if (!refers) return
    const { content, structuredContent: table } = await resultOf(server, 'describe_table', {
      table: 'hub',
    })
    expect(bytesOf(content[0].text)).toBeLessThanOrEqual(CAP + AROUND)
    expect(table.columns.map((it: { name: string }) => it.name)).toEqual(['id', 'name'])
    expect(table.referencedBy.length).toBeGreaterThan(10)
    expect(table.hint).toContain(`first ${table.referencedBy.length} of ${SPOKES} referencedBy`)
    const listed = await resultOf(server, 'list_tables', { search: 'hub', detail: true })
    expect(bytesOf(listed.content[0].text)).toBeLessThanOrEqual(4_096)
    if (dialect === 'sqlite') return
    expect(table.comment).toMatch(/^é+… \(\+\d+ characters\)$/)
    expect(table.columns[1].comment).toMatch(/^é+… \(\+\d+ characters\)$/)
  })
})

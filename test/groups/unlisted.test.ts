import { afterAll, describe, expect, test } from 'vitest'
import type { GroupRules } from '../../src/gateway/index.ts'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'
import { type Group, groupBefore } from './group.ts'

/** Tables that the group can read by name, but cannot list. */
const TABLES = ['zqx_invoices', 'zqx_ledger', 'zqx_payroll']
const setup = TABLES.map((it, i) => {
  const key = i > 0 ? `, foreign key (parent) references ${TABLES[i - 1]} (id)` : ''
  return `create table ${it} (id integer primary key, note varchar(40), parent integer${key});`
}).join('\n')

/** An endpoint with an example question, which names a table. */
const endpoint = {
  questions: [
    {
      ...{ name: 'invoices', question: 'How many invoices?', as: 'example' },
      ...{
        sql: `select count(*) from ${TABLES[0]}`,
        by: 'ada@example.com',
        at: '2026-11-22T14:00:00Z',
      },
    },
  ],
}

/** Guesses of a caller: whole names, prefixes, other parts and misspellings. */
const guesses = TABLES.flatMap((name) => [
  name,
  ...[1, 3, 4, 6].map((length) => name.slice(0, length)),
  ...[name.slice(4), name.slice(0, -1), `${name}s`, name.replace('_', ''), name.toUpperCase()],
  ...[`${name.slice(0, 5)}x${name.slice(6)}`, `main.${name.slice(0, -1)}`],
])

/** The arguments of every tool, for a table of this name. */
const argumentsFor = (table: string): Readonly<Record<string, readonly object[]>> => ({
  list_tables: [{}, { search: table }, { detail: true }],
  describe_table: [{ table }],
  query_table: [{ table }, { table, columns: ['note'] }, { table, where: [] }],
  query: [
    { sql: `select * from ${table}` },
    { sql: `select note from ${table} where nothing = 1` },
  ],
  explain_query: [{ sql: `select * from ${table}` }],
  search: [{ query: table }],
  fetch: [{ id: `main/${table}/1` }],
})

/** Sends every request with every guess. No answer may contain a name that is not in its request. */
function namesNone(groupOf: () => Group): void {
  test('never names a table that the caller did not name', async () => {
    const group = groupOf()
    const told: unknown[] = []
    const look = async (method: string, params: Record<string, unknown>) => {
      const answer = JSON.stringify(await group.request(method, params)).toLowerCase()
      const asked = JSON.stringify(params).toLowerCase()
      const named = TABLES.filter((it) => answer.includes(it) && !asked.includes(it))
      if (named.length > 0) told.push([method, params, answer])
      return answer
    }
    const listed = JSON.parse(await look('tools/list', {})).result.tools as { name: string }[]
    const offered = listed.map(({ name }) => name)
    expect(offered).not.toContain('list_tables')
    expect(offered.length).toBeGreaterThan(1)
    // A new tool needs its arguments above.
    expect(offered.filter((it) => !(it in argumentsFor('x')))).toEqual([])
    const { prompts } = JSON.parse(await look('prompts/list', {})).result
    await look('server/discover', {})
    for (const method of ['resources/list', 'resources/templates/list']) await look(method, {})
    for (const guess of ['', ...guesses]) {
      for (const [name, all] of Object.entries(argumentsFor(guess))) {
        for (const args of all) await look('tools/call', { name, arguments: args })
      }
      for (const { name, arguments: own = [] } of prompts) {
        await look('prompts/get', { name, arguments: { table: guess } })
        for (const { name: argument } of own) {
          const ref = { type: 'ref/prompt', name }
          await look('completion/complete', { ref, argument: { name: argument, value: guess } })
        }
      }
      const ref = { type: 'ref/resource', uri: 'schema://main/{table}' }
      await look('completion/complete', { ref, argument: { name: 'table', value: guess } })
      await look('resources/read', { uri: `schema://main/${guess}` })
      await look('resources/read', { uri: 'schema://main' })
    }
    expect(told).toEqual([])
  })

  test('reads a table if the caller knows its name', async () => {
    const { rows } = await groupOf().structure('query_table', { table: TABLES[0] })
    expect(rows).toEqual([])
  })
}

/** Rules without list_tables, for all tables and for some. */
const RULES: readonly (readonly [string, GroupRules])[] = [
  ['that sees all tables', { tools: ['describe_table', 'query_table', 'query', 'explain_query'] }],
  [
    'that sees some tables',
    {
      tools: ['describe_table', 'query_table'],
      databases: { main: { tables: Object.fromEntries(TABLES.map((it) => [it, true as const])) } },
    },
  ],
]

const hrana = await startHrana(setup.split('\n'))
afterAll(() => hrana.close())

describe.each(RULES)('a group on SQLite without list_tables %s', (_, rules) => {
  namesNone(() =>
    groupBefore(`libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`, rules, { endpoint }),
  )
})

await describePostgres(
  'a group on PostgreSQL without list_tables',
  (reader) => `${setup} grant select on all tables in schema public to ${reader};`,
  (postgres) => {
    const url = postgres.tcp(postgres.reader)
    describe.each(RULES)('%s', (_, rules) => {
      namesNone(() => groupBefore(url, rules, { endpoint }))

      test('also reads it with a cost limit, which plans every statement first', async () => {
        const read = (cost: object) =>
          groupBefore(url, rules, { endpoint: { caps: { cost } } }).call('query_table', {
            table: TABLES[0],
          })
        const under = await read({ plan: 100_000, rows: 1_000_000 })
        expect(under.result.structuredContent.rows).toEqual([])
        const over = await read({ plan: 1, rows: 1_000_000 })
        expect(over.result.content[0].text).toMatch(/cost|estimate/i)
      })
    })
  },
)

await describeMariaDb('a group on MariaDB without list_tables', setup, (mariadb) => {
  const url = mariadb.url(mariadb.reader)
  describe.each(RULES)('%s', (_, rules) => namesNone(() => groupBefore(url, rules, { endpoint })))
})

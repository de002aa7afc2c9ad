import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { statements } from '../groups/evasions.ts'
import { groupBefore } from '../groups/group.ts'
import { rules, sqliteSetup } from '../groups/place.ts'

const bindings = { ...env } as unknown as { readonly GROUPS_DB: D1Database }

beforeAll(async () => {
  const { GROUPS_DB: database } = bindings
  const made = sqliteSetup.split(/;\s*\n/).filter((it) => it.trim())
  await database.batch(made.map((statement) => database.prepare(statement)))
})

describe.each([
  ['D1 as a binding', 'd1:GROUPS_DB', rules, 'orders'],
  ['the demo store', 'demo:', { tables: { orders: true, customers: ['id'] } }, 'orders'],
])('a group in front of %s', (name, url, tables, visible) => {
  const rules = { databases: { main: tables } }
  const group = groupBefore('', rules as never, {
    bindings,
    endpoint: { databases: { main: { url } } },
  })

  test.each([
    `select count(*) from ${visible}`,
    `with a as (select * from ${visible}) select a.id from a join ${visible} b on b.id = a.id limit 3`,
    `select customer_id, count(*) from ${visible} group by 1 having count(*) > 1 order by 2 limit 1`,
    // The demo runs no recursive query.
    ...(name.startsWith('D1')
      ? [
          'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select sum(i) from n',
        ]
      : []),
  ])('can run a statement that reads only visible tables: %s', async (sql) => {
    expect((await group.structure('query', { sql })).rows.length).toBeGreaterThan(0)
    expect((await group.structure('explain_query', { sql })).summary).toBeInstanceOf(Array)
  })

  test('cannot see anything else with any statement', async () => {
    const hidden = name.startsWith('D1') ? 'zqx_secrets' : 'products'
    for (const written of statements.sqlite) {
      const sql = written.replaceAll('zqx_secrets', hidden)
      const reads = /\b(from|join|in|table_info)\b/i.test(sql) && !/ from orders( |$)/.test(sql)
      const { result } = await group.call('query', { sql })
      expect([sql, JSON.stringify(result)]).toEqual([sql, expect.not.stringMatching(/planted-/)])
      if (reads) expect([sql, result.isError]).toEqual([sql, true])
    }
  })

  test('sees only its columns', async () => {
    const { columns } = await group.structure('query_table', { table: 'customers', limit: 1 })
    const names = columns.map((it: { name: string }) => it.name)
    expect(names).toEqual(name.startsWith('D1') ? ['id', 'name', 'city'] : ['id'])
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, post, type RunningWorker, startWorker } from './support/worker.ts'

let worker: RunningWorker
beforeAll(async () => {
  worker = await startWorker()
  await callTool(`${worker.url}/mcp`, 'list_tables')
})
afterAll(() => worker.close())

const spaces = ' '.repeat(200_000)
const many = (text: string, count = 10_000) => Array.from({ length: count }, () => text)
const table = { table: 'orders' }

// If one of these takes more than linear time, it blocks the other requests, and the test times out.
test.each<[name: string, args: Record<string, unknown>]>([
  ['query_table', { ...table, aggregates: [`count(${spaces}x`] }],
  ['query_table', { ...table, aggregates: [`count(${' '.repeat(900)}x`] }],
  ['query_table', { ...table, orderBy: [`id${spaces}x`] }],
  ['query_table', { ...table, orderBy: many('id desc') }],
  ['query_table', { ...table, where: [{ column: 'id', op: 'not_in', value: many('1') }] }],
  ['query_table', { ...table, where: [{ column: 'id', op: 'like', value: '%a'.repeat(50_000) }] }],
  ['query_table', { ...table, columns: many('id') }],
  ['query_table', { table: spaces }],
  ['describe_table', { table: 'a.'.repeat(400) }],
  ['query', { sql: `select [${`' ' `.repeat(1_600)}](1)` }],
  ['query', { sql: `select cast('${'" '.repeat(3_200)}' as int) from nowhere` }],
  ['query', { sql: `select ${'()'.repeat(49_000)}` }],
  ['query', { sql: `with ${'a as ('.repeat(12_000)}` }],
  ['query', { sql: `select ${'$1,'.repeat(30_000)}$1`, params: ['x'] }],
  ['query', { sql: 'select $1', params: many('x') }],
  ['query', { sql: `select 1 ${'/* '.repeat(30_000)}` }],
  ['explain_query', { sql: `explain ${'( '.repeat(40_000)}` }],
  [
    'query',
    { sql: "select sum(length(printf('%.100000c', a.id))) from order_items a, order_items b" },
  ],
  [
    'query',
    {
      sql: `${'select x + x as x from ('.repeat(40)}select quantity as x from order_items${')'.repeat(40)}`,
    },
  ],
  [
    'query',
    {
      sql: `with c0 as (select 1 x), ${many('', 25)
        .map((_, i) => `c${i + 1} as (select a.* from c${i} a, c${i} b)`)
        .join(', ')} select count(*) from c25`,
    },
  ],
  [
    'query',
    {
      sql: `with recursive t(x) as (select 1 union select random() from t, orders)
        select count(*) from t`,
    },
  ],
])('an ordinary request is answered during a hostile %s', async (name, arguments_) => {
  const params = { name, arguments: arguments_ }
  const hostile = post(`${worker.url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const beside = await callTool(`${worker.url}/mcp`, 'query', { sql: 'select 1 + 1' })
  expect(beside.structuredContent.rows).toEqual([[2]])
  expect((await fetch(`${worker.url}/health`)).status).toBe(200)
  const { result, error } = (await hostile).json()
  expect(result ?? error).toBeDefined()
})

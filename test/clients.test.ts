import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoRows } from '../src/database/demo/rows.ts'
import { type RunningWorker, startWorker } from './support/worker.ts'

let worker: RunningWorker
let url: URL
beforeAll(async () => {
  worker = await startWorker()
  url = new URL(`${worker.url}/mcp`)
})
afterAll(() => worker.close())

interface Connected {
  readonly era: string | undefined
  listTools(): Promise<{ tools: { name: string }[] }>
  // biome-ignore lint/suspicious/noExplicitAny: three clients, three types of result
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<any>
  listResources(): Promise<{ resources: { uri: string }[] }>
  readResource(call: { uri: string }): Promise<{ contents: { text: string }[] }>
  listPrompts(): Promise<{ prompts: { name: string }[] }>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getPrompt(call: { name: string; arguments: Record<string, string> }): Promise<any>
  complete(call: object): Promise<{ completion: { values: string[] } }>
  close(): Promise<void>
}

const v2 = async (mode?: 'auto' | { pin: string }): Promise<Connected> => {
  const client = new ClientV2(
    { name: 'test', version: '1' },
    mode && { versionNegotiation: { mode } },
  )
  await client.connect(new TransportV2(url))
  return Object.assign(client, { era: client.getProtocolEra() }) as unknown as Connected
}

const v1 = async (): Promise<Connected> => {
  const client = new ClientV1({ name: 'test', version: '1' })
  // biome-ignore lint/suspicious/noExplicitAny: its types do not know exactOptionalPropertyTypes
  await client.connect(new TransportV1(url) as any)
  return Object.assign(client, { era: 'legacy' }) as unknown as Connected
}

/** The customers who paid most in 2025, computed from the rows of the demo. */
function expected(): [string, number][] {
  const rows = demoRows()
  const customerOf = new Map(rows.orders!.map((it) => [it.id, it.customer_id]))
  const paid = new Map<unknown, number>()
  for (const { order_id, amount, paid_at } of rows.payments!) {
    if (!String(paid_at).startsWith('2025')) continue
    const customer = customerOf.get(order_id!)
    paid.set(customer, (paid.get(customer) ?? 0) + Math.round(Number(amount) * 100))
  }
  const names = new Map(rows.customers!.map((it) => [it.id, String(it.name)]))
  return [...paid]
    .sort((a, b) => b[1] - a[1] || Number(a[0]) - Number(b[0]))
    .slice(0, 10)
    .map(([id, cents]) => [names.get(id as number)!, cents])
}

const sql = `
  select c.name, round(sum(p.amount) * 100) as cents
  from payments p join orders o on o.id = p.order_id join customers c on c.id = o.customer_id
  where p.paid_at >= ? and p.paid_at < ?
  group by c.id, c.name order by cents desc, c.id limit 10`

describe.each([
  ['the v2 client', () => v2(), 'legacy'],
  ["the v2 client, mode 'auto'", () => v2('auto'), 'modern'],
  ['the v2 client, pinned to 2026-07-28', () => v2({ pin: '2026-07-28' }), 'modern'],
  ['the v1 client', v1, 'legacy'],
] as const)('%s', (_, connect, era) => {
  test('finds the ten customers who paid most in 2025', async () => {
    const client = await connect()
    expect(client.era).toBe(era)
    const { tools } = await client.listTools()
    expect(tools.map((it) => it.name)).toContain('list_tables')

    const { structuredContent: found } = await client.callTool({
      name: 'list_tables',
      arguments: { search: 'payment' },
    })
    expect(found.tables.map((it: { name: string }) => it.name)).toContain('payments')

    const { structuredContent: table } = await client.callTool({
      name: 'describe_table',
      arguments: { table: 'payments' },
    })
    expect(table.columns.map((it: { name: string }) => it.name)).toContain('amount')

    const answer = await client.callTool({
      name: 'query',
      arguments: { sql, params: ['2025-01-01', '2026-01-01'] },
    })
    expect(answer.structuredContent.rows).toEqual(expected())
    expect(JSON.parse(answer.content[0].text)).toEqual(answer.structuredContent)
    await client.close()
  })
})

describe.each([
  ['the v2 client', () => v2({ pin: '2026-07-28' })],
  ['the v1 client', v1],
] as const)('%s', (_, connect) => {
  test('reads the schema, and completes a prompt’s table', async () => {
    const client = await connect()
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['schema://demo', 'schema://demo/orders']),
    )
    const { contents } = await client.readResource({ uri: 'schema://demo' })
    expect(contents[0]!.text).toContain('customer_id integer not null -> customers.id')
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual([
      ...['explore', 'answer_question', 'profile_table', 'explain_slow_query', 'document_schema'],
    ])
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'profile_table' },
      argument: { name: 'table', value: 'pay' },
    })
    expect(completion.values).toEqual(['payments'])
    const name = 'profile_table'
    const { messages } = await client.getPrompt({ name, arguments: { table: 'payments' } })
    expect(messages[0].content.text).toContain('the table payments')
    await client.close()
  })
})

describe('the Inspector', () => {
  // Any other error status is a lost connection to it: it then lists no tools, without an error.
  test('gets 405 if it asks for a stream without a session', async () => {
    const headers = { accept: 'text/event-stream' }
    const response = await fetch(url, { headers })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain('POST')
  })

  const inspect = async (...args: string[]) =>
    promisify(execFile)(
      'npx',
      ['mcp-inspector', '--cli', url.href, '--transport', 'http', ...args],
      { timeout: 60_000 },
    )

  test.each(['legacy', 'modern'])('reports no problems in the %s era', async (era) => {
    const { stdout, stderr } = await inspect(
      '--protocol-era',
      era,
      '--method',
      'tools/list',
      '--strict',
    )
    expect(JSON.parse(stdout).tools).toHaveLength(5)
    expect(stderr).not.toMatch(/warn|error/i)
  })
})

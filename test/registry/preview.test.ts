import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { post, type RunningWorker, startWorker } from '../support/worker.ts'

let worker: RunningWorker

const ask = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)
const preview = (body: object, name = 'shop') => ask('POST', `/api/endpoints/${name}/preview`, body)

const RULES = { databases: { main: { tables: { customers: ['id', 'country'], orders: true } } } }

beforeAll(async () => {
  worker = await startWorker(operated)
  const databases = { main: { url: 'demo:', purpose: 'what was sold' } }
  await ask('POST', '/api/endpoints', { name: 'shop', title: 'Shop', active: false, databases })
  await ask('POST', '/api/groups', { name: 'sales', endpoints: { shop: RULES } })
})
afterAll(() => worker.close())

describe('a preview', () => {
  test('of an inactive endpoint shows the same tools and tables as once it is active', async () => {
    const { status, json } = await preview({})
    expect(status).toBe(200)
    await ask('PATCH', '/api/endpoints/shop', { active: true })
    const key = { authorization: `Bearer ${OPERATOR_KEY}` }
    const asked = async (method: string, params: object = {}) => {
      const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
      const name = 'name' in params ? { 'mcp-name': String(params.name) } : {}
      const headers = {
        ...key,
        ...name,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
      }
      return (await post(`${worker.url}/mcp/shop`, body, headers)).json().result
    }
    const { tools } = await asked('tools/list')
    const list = { name: 'list_tables', arguments: { detail: true } }
    const { structuredContent } = await asked('tools/call', list)
    const { instructions } = await asked('server/discover')
    expect(json).toMatchObject({ instructions, tools, tables: structuredContent, notes: [] })
    await ask('PATCH', '/api/endpoints/shop', { active: false })
  })

  test('leaves no record of a call', async () => {
    await preview({ search: 'only-looked-at' })
    const { text } = await ask('GET', '/api/records?endpoint=shop')
    expect(text).not.toContain('only-looked-at')
  })

  test('estimates tokens to within a quarter of their true number', async () => {
    const { json } = await preview({})
    const real = {
      tools: encode(JSON.stringify(json.tools)).length,
      tables: encode(JSON.stringify(json.tables)).length,
    }
    for (const part of ['tools', 'tables'] as const) {
      expect(Math.abs(json.tokens[part] / real[part] - 1)).toBeLessThan(0.25)
    }
    const { instructions, tools, tables, total } = json.tokens
    expect(total).toBe(instructions + tools + tables)
  })

  test('for a group has its tables and columns, and notes', async () => {
    const { json } = await preview({ group: 'sales' })
    const { tables } = json.tables
    expect(tables.map((it: { name: string }) => it.name)).toEqual(['customers', 'orders'])
    expect(tables[0].columns.map((it: string) => it.split(' ')[0])).toEqual(['id', 'country'])
    expect(JSON.stringify(json.notes)).toContain('customers')
    expect(JSON.stringify(json)).not.toContain('products')
  })

  test('with rules that are not stored leaves the group unchanged', async () => {
    const rules = { tools: ['list_tables'], databases: { main: { tables: { reviews: true } } } }
    const { json } = await preview({ group: 'sales', rules })
    expect(json.tools.map((it: { name: string }) => it.name)).toEqual(['list_tables'])
    expect(json.tables.tables).toMatchObject([{ name: 'reviews' }])
    const group = await ask('GET', '/api/groups/sales')
    expect(group.json.endpoints).toEqual({ shop: RULES })
    const alone = await preview({ rules })
    expect(alone.json.tables).toEqual(json.tables)
  })

  test('has pages of tables, and can be searched', async () => {
    const { json } = await preview({ search: 'order' })
    expect(json.tables.tables.length).toBeLessThan(8)
    const later = await preview({ cursor: '7' })
    expect(later.json.tables.tables).toHaveLength(1)
  })

  test('of an unreachable database has its tools, and says why it has no tables', async () => {
    const databases = { main: { url: 'postgres://a:Planted-Passw0rd@127.0.0.1:1/x' } }
    await ask('POST', '/api/endpoints', { name: 'away', title: 'Away', active: false, databases })
    const { status, json, text } = await preview({}, 'away')
    expect(status).toBe(200)
    expect(json.tools.length).toBeGreaterThan(3)
    expect(json.tables).toBeUndefined()
    expect(json.problem).toContain('cannot be reached')
    expect(text).not.toContain('Planted')
  })

  test('uses the named database, and the first one without a name', async () => {
    const named = await preview({ database: 'main' })
    expect(named.json.tables.tables.length).toBeGreaterThan(0)
    const databases = { one: { url: 'demo:' }, two: { url: 'demo:' } }
    await ask('POST', '/api/endpoints', { name: 'both', title: 'Both', databases })
    for (const body of [
      {},
      { database: 'two' },
      { database: 'two', rules: { databases: { two: {} } } },
    ]) {
      expect((await preview(body, 'both')).json.tables.tables.length).toBeGreaterThan(0)
    }
    const hidden = await preview({ database: 'one', rules: { databases: { two: {} } } }, 'both')
    expect([hidden.status, hidden.json.error.message]).toEqual([
      422,
      'database names an unknown database. There are: two.',
    ])
    expect((await preview({ database: 'none' })).status).toBe(422)
  })

  test('opens no database with one of Tidegate’s own secrets', async () => {
    const rules = { databases: { main: { url: 'secret:TIDEGATE_KEY' } } }
    const { status, json } = await preview({ rules })
    expect([status, json.error.field]).toEqual([422, 'rules.databases.main.url'])
  })

  test('is refused for an unknown endpoint, group, database or field', async () => {
    expect((await preview({}, 'none')).status).toBe(404)
    const unknown = await preview({ group: 'nobody' })
    expect([unknown.status, unknown.json.error.field]).toEqual([422, 'group'])
    const wrong = await preview({ rules: { databases: { other: {} } } })
    expect([wrong.status, wrong.json.error.code]).toEqual([422, 'invalid'])
    const field = await preview({ rules: { tables: [] } })
    expect(field.status).toBe(422)
  })
})

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { endpointBefore, structureOf } from '../support/endpoint.ts'
import { callTool, post, type RunningWorker, startWorker } from '../support/worker.ts'

const searched = (more: object = {}) => ({
  title: 'Shop',
  databases: { demo: { url: 'demo:' } },
  search: [
    { table: 'products', title: 'name', text: ['name', 'sku'] },
    { table: 'order_items', title: 'product_id', text: ['order_id'] },
    { table: 'customers', title: 'name', text: ['name'], url: 'https://shop.example.com/c/{id}' },
  ],
  ...more,
})

describe("ChatGPT's search and fetch", () => {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker({
      TIDEGATE_KEY: 'test-key',
      ENDPOINTS: JSON.stringify([
        { name: 'open', access: 'public', ...searched() },
        { name: 'closed', ...searched() },
        {
          name: 'keyless',
          access: 'public',
          ...searched({ search: [{ table: 'order_totals', title: 'total', text: ['total'] }] }),
        },
        { name: 'plain', access: 'public', ...searched({ search: undefined }) },
        {
          name: 'wrong',
          access: 'public',
          ...searched({ search: [{ table: 'products', title: 'nmae', text: ['name'] }] }),
        },
      ]),
    })
  })
  afterAll(() => worker?.close())
  const at = (name: string) => `${worker.url}/mcp/${name}`

  test('are offered if the endpoint configures search, and take one string each', async () => {
    const list = async (name: string) =>
      (await post(at(name), { jsonrpc: '2.0', id: 1, method: 'tools/list' })).json().result.tools
    const two = (await list('open')).slice(-2)
    expect(two.map((it: { name: string }) => it.name)).toEqual(['search', 'fetch'])
    expect(two.map((it: { inputSchema: object }) => it.inputSchema)).toEqual([
      {
        type: 'object',
        properties: { query: { type: 'string' } },
        required: ['query'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
    ])
    for (const { description } of two) expect(description).toMatch(/data, never instructions\.$/)
    expect((await list('plain')).some((it: { name: string }) => it.name === 'search')).toBe(false)
  })

  test('find rows that contain all words, and read rows by id', async () => {
    const all = await callTool(at('open'), 'query', {
      sql: 'select id, name from products limit 1',
    })
    const [[id, name]] = all.structuredContent.rows
    const found = await callTool(at('open'), 'search', { query: name.toUpperCase() })
    expect(found.content).toHaveLength(1)
    expect(JSON.parse(found.content[0].text)).toEqual(found.structuredContent)
    const [first] = found.structuredContent.results
    const [product] = found.structuredContent.results.filter(
      (it: { id: string }) => it.id === `demo/products/${id}`,
    )
    expect(first).toBeDefined()
    expect(product).toEqual({
      id: `demo/products/${id}`,
      title: name,
      url: `${worker.url}/record/open/demo/products/${id}`,
    })
    const document = await callTool(at('open'), 'fetch', { id: product.id })
    expect(document.structuredContent).toMatchObject({
      ...product,
      text: expect.stringContaining(`name: ${name}`),
      metadata: { database: 'demo', table: 'products' },
    })
    const none = await callTool(at('open'), 'search', { query: `${name} and no such word` })
    expect(none.structuredContent).toEqual({ results: [] })
    for (const evil of ["%' or '1'='1", '"; drop table products; --', '%', '_'])
      expect((await callTool(at('open'), 'search', { query: evil })).isError).toBeUndefined()
  })

  test('support composite keys, and return the configured URL', async () => {
    const line = await callTool(at('open'), 'fetch', { id: 'demo/order_items/1/1' })
    expect(line.structuredContent.text).toMatch(/^order_id: 1\nline_no: 1\n/)
    const { structuredContent } = await callTool(at('open'), 'fetch', { id: 'demo/customers/7' })
    expect(structuredContent.url).toBe('https://shop.example.com/c/7')
  })

  test('report errors, and do not read tables without a search entry', async () => {
    const refused = async (name: string, tool: string, args: object) => {
      const { isError, content } = await callTool(at(name), tool, args as never)
      expect(isError).toBe(true)
      return content[0].text
    }
    for (const id of ['demo/products/999999', 'demo/orders/1', 'demo/products', 'x', '%', ''])
      expect(await refused('open', 'fetch', { id })).toContain('no record with this id')
    expect(await refused('wrong', 'search', { query: 'x' })).toContain('products.nmae')
  })

  test('return URLs that open in a browser, with the key if the endpoint needs one', async () => {
    const page = await fetch(`${worker.url}/record/open/demo/products/1`)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await page.text()).toContain('Row from products')
    expect((await fetch(`${worker.url}/record/closed/demo/products/1`)).status).toBe(401)
    const headers = { authorization: 'Bearer test-key' }
    const shown = await fetch(`${worker.url}/record/closed/demo/products/1`, { headers })
    expect(shown.status).toBe(200)
    for (const path of ['open/demo/orders/1', 'plain/demo/products/1', 'open/demo/products/x%zz']) {
      expect((await fetch(`${worker.url}/record/${path}`)).status).toBe(404)
    }
    // A view has no primary key.
    const unreadable = await fetch(`${worker.url}/record/keyless/demo/order_totals/1`)
    expect(unreadable.status).toBe(503)
    expect(await unreadable.json()).toMatchObject({
      error: { message: expect.stringContaining('order_totals has no primary key') },
    })
    expect((await fetch(`${worker.url}/record/nowhere/demo/products/1`)).status).toBe(401)
  })
})

describe('the documents of a table', async () => {
  const BYTES = 1_000
  const hrana = await startHrana([
    'create table notes (id integer primary key, body text)',
    "insert into notes values (1, 'short'), (2, 'long ' || replace(hex(zeroblob(5000)), '0', 'x'))",
    "insert into notes values (3, replace(hex(zeroblob(2000)), '00', '🐘é'))",
    "insert into notes values (4, replace(hex(zeroblob(1000)), '00', char(10) || '\"' || char(1)))",
  ])
  afterAll(() => hrana.close())
  const server = endpointBefore(`libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`, {
    caps: { bytes: BYTES },
    search: [
      {
        ...{ table: 'notes', title: 'id', text: ['body'] },
        url: 'https://example.com/{constructor}/{__proto__}/{id}',
      },
    ],
  })
  const documentOf = (id: number) => structureOf(server, 'fetch', { id: `main/notes/${id}` })

  test('are complete if they fit', async () => {
    expect((await documentOf(1)).text).toBe('id: 1\nbody: short')
  })

  test.each([2, 3, 4])(
    'are truncated to the byte limit of an answer, not to that many characters: %i',
    async (id) => {
      const { text } = await documentOf(id)
      const bytes = new TextEncoder().encode(JSON.stringify(text)).byteLength
      expect(bytes).toBeLessThanOrEqual(BYTES)
      expect(bytes).toBeGreaterThan(BYTES - 50)
      expect(text).toMatch(/… \(\+\d+ characters\)$/)
      expect(text.isWellFormed()).toBe(true)
    },
  )

  test('have a URL with values of their own columns only', async () => {
    expect((await documentOf(1)).url).toBe('https://example.com///1')
    const search = structureOf(server, 'search', { query: 'short' })
    await expect(search).rejects.toThrow('notes.constructor, which does not exist')
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool, post, type RunningWorker, startWorker } from './support/worker.ts'

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('a deployment with nothing configured', () => {
  let worker: RunningWorker
  let mcp: string
  beforeAll(async () => {
    worker = await startWorker()
    mcp = `${worker.url}/mcp`
  })
  afterAll(() => worker.close())

  test('serves the demo to a client without special headers', async () => {
    const { status, json } = await post(mcp, list)
    expect(status).toBe(200)
    const names = json().result.tools.map((it: { name: string }) => it.name)
    expect(names).toEqual([
      'list_tables',
      'describe_table',
      'query_table',
      'query',
      'explain_query',
    ])
  })

  test('serves the demo under its name, with or without a trailing slash', async () => {
    for (const path of ['/mcp/', '/mcp/demo', '/mcp/demo/']) {
      expect((await post(worker.url + path, list)).status).toBe(200)
    }
  })

  test('has no other endpoint', async () => {
    const { status, json } = await post(`${mcp}/other`, list)
    expect(status).toBe(404)
    expect(json().error).toEqual({ code: 4040, message: 'There is no endpoint at this URL.' })
  })

  test('names the endpoint if a client posts to another path', async () => {
    for (const path of ['/', '/sse', '/v1/mcp', '/.well-known/oauth-protected-resource/mcp']) {
      const { status, json } = await post(worker.url + path, list)
      expect(status).toBe(404)
      expect(json().error.message).toContain(mcp)
    }
  })

  test('explains the URL to a browser, and lists the allowed methods for any other GET', async () => {
    const browser = await fetch(mcp, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([browser.status, browser.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(await browser.text()).toContain(`add --transport http --scope user tidegate ${mcp}`)
    expect(browser.headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const accept of ['text/event-stream', '*/*', 'application/json, text/event-stream']) {
      const response = await fetch(mcp, { headers: { accept } })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
      await response.text()
    }
  })

  test('answers a preflight request from any origin, without a key', async () => {
    const response = await fetch(mcp, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(response.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version')
    expect(response.headers.get('vary')).toContain('Origin')
  })

  test('refuses a page from another origin, and the page can read why', async () => {
    const { status, headers } = await post(mcp, list, { origin: 'https://evil.example.com' })
    expect(status).toBe(403)
    expect(headers.get('access-control-allow-origin')).toBe('https://evil.example.com')
    expect((await post(mcp, list, { origin: 'http://localhost:6274' })).status).toBe(200)
  })

  test.each([
    ['an empty body', '', 400, -32700],
    ['a version number as the body', '1.0.0.1', 400, -32700],
    ['3 MB of brackets', '['.repeat(3 * 1024 * 1024), 413, -32600],
    ['10 MB', ' '.repeat(10 * 1024 * 1024), 413, -32600],
    ['deep nesting within the limit', `${'['.repeat(400_000)}${']'.repeat(400_000)}`, 400, -32600],
    ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 400, -32700],
    ['id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['an empty array', '[]', 400, -32600],
  ])('answers %s with an error, and continues to serve', async (_, body, status, code) => {
    const answer = await post(mcp, body)
    expect([answer.status, answer.json().error.code]).toEqual([status, code])
    expect(
      (await post(mcp, '{"jsonrpc":"2.0","id":0,"method":"ping","params":null}')).json(),
    ).toEqual({ jsonrpc: '2.0', id: 0, result: {} })
  })

  test('refuses a form post', async () => {
    expect(
      (await post(mcp, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(415)
  })

  test('answers with one event if the client accepts only a stream', async () => {
    const { text, headers } = await post(
      mcp,
      { ...list, method: 'ping' },
      { accept: 'text/event-stream' },
    )
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(text).toBe('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
  })

  test('accepts a notification with 202, without a body or content type', async () => {
    const { status, text, headers } = await post(mcp, {
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    })
    expect([status, text, headers.get('content-type')]).toEqual([202, '', null])
  })
})

test('serves the transport of 2024-11-05 if it is enabled', async () => {
  const worker = await startWorker({ LEGACY_SSE: '1' })
  const stream = await fetch(`${worker.url}/sse`)
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  const { value } = await reader.read()
  const [, address] = /^event: endpoint\ndata: (.+)\n\n$/.exec(value ?? '') ?? []
  const params = {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  }
  const opened = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  expect((await post(worker.url + address, opened)).status).toBe(202)
  expect((await reader.read()).value).toContain('"protocolVersion":"2024-11-05"')
  await post(worker.url + address, list)
  expect((await reader.read()).value).toContain('list_tables')
  await reader.cancel()
  await worker.close()
})

describe('a deployment with a database', () => {
  const url = 'postgresql://reader:hunter2@ep-test-1.eu-central-1.aws.neon.tech/shop'

  test('refuses to serve it without a key, and says what to set', async () => {
    const worker = await startWorker({ DATABASE_URL: url })
    const { status, text, json } = await post(`${worker.url}/mcp`, list)
    expect(status).toBe(503)
    expect(json().error.message).toContain('wrangler secret put TIDEGATE_KEY')
    // It is not the caller's fault.
    expect(json().error.code).toBe(-32603)
    expect(text).not.toContain('hunter2')
    await worker.close()
  })

  test('answers 401 without a key before it checks anything else', async () => {
    const worker = await startWorker({ DATABASE_URL: url, TIDEGATE_KEY: 'tg_right' })
    const mcp = `${worker.url}/mcp`
    for (const authorization of [
      '',
      'Bearer',
      'Bearer wrong',
      'Bearer tg_righ',
      'Bearer tg_right2',
      'Basic tg_right',
      'tg_right',
    ]) {
      for (const method of ['POST', 'GET', 'DELETE']) {
        const body = method === 'POST' ? '['.repeat(100) : null
        const response = await fetch(mcp, {
          method,
          body,
          headers: { authorization, origin: 'https://evil.example.com' },
        })
        expect(response.status).toBe(401)
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
        await response.text()
      }
    }
    expect((await post(`${mcp}/other`, list)).status).toBe(401)
    const key = { authorization: 'Bearer tg_right' }
    expect((await post(mcp, list, key)).json().result.tools).toHaveLength(5)
    expect((await post(mcp, list, { ...key, origin: 'https://app.example.com' })).status).toBe(200)
    expect((await post(`${mcp}/other`, list, key)).status).toBe(404)
    await worker.close()
  })
})

describe('ENDPOINTS', () => {
  test('serves each endpoint under its name, and the first one at /mcp too', async () => {
    const worker = await startWorker({
      TIDEGATE_KEY: 'k',
      SHOP: 'postgresql://reader:hunter2@ep-test-1.eu-central-1.aws.neon.tech/shop',
      ENDPOINTS: JSON.stringify([
        {
          name: 'open',
          title: 'Open',
          access: 'public',
          databases: { demo: { url: 'demo:' } },
          tools: ['query', 'list_tables'],
        },
        {
          name: 'shop',
          title: 'Shop',
          databases: { shop: { url: 'secret:SHOP' }, demo: { url: 'demo:' } },
        },
        {
          name: 'gone',
          title: 'Gone',
          access: 'public',
          databases: { gone: { url: 'secret:GONE' } },
        },
      ]),
    })
    const tools = async (path: string, headers = {}) =>
      (await post(worker.url + path, list, headers)).json().result.tools
    expect((await tools('/mcp')).map((it: { name: string }) => it.name)).toEqual([
      'list_tables',
      'query',
    ])
    expect(await tools('/mcp/open')).toEqual(await tools('/mcp'))
    expect((await post(`${worker.url}/mcp/shop`, list)).status).toBe(401)
    const shop = await tools('/mcp/shop', { authorization: 'Bearer k' })
    for (const { inputSchema } of shop) {
      expect(inputSchema.properties.database.enum).toEqual(['shop', 'demo'])
      expect(inputSchema.required).toContain('database')
    }
    const gone = await post(`${worker.url}/mcp/gone`, list)
    expect([gone.status, gone.json().error.message]).toEqual([
      503,
      expect.stringContaining('wrangler secret put GONE'),
    ])
    await worker.close()
  })

  test('serves the other databases if one does not open, and reports why', async () => {
    const databases = {
      ...{ demo: { url: 'demo:' }, unset: { url: 'secret:UNSET' }, odd: { url: 'secret:ODD' } },
      bound: { url: 'hyperdrive:NOWHERE' },
    }
    const own = { name: 'lost', description: 'A tool of the operator.', database: 'odd' }
    const search = [
      { database: 'demo', table: 'products', title: 'name', text: ['name'] },
      { database: 'odd', table: 'products', title: 'name', text: ['name'] },
    ]
    const tools = ['list_tables', 'describe_table', 'query', { ...own, sql: 'select 1::int' }]
    const endpoint = { name: 'shop', title: 'Shop', access: 'public', databases, tools, search }
    const worker = await startWorker({
      TIDEGATE_KEY: 'k',
      ODD: 'postgres://app:hunter2@db.example/shop?no_such=1',
      ENDPOINTS: JSON.stringify([endpoint]),
    })
    const call = (name: string, args: object) => callTool(`${worker.url}/mcp`, name, { ...args })
    const rows = await call('query', { database: 'demo', sql: 'select 42' })
    expect(rows.structuredContent.rows).toEqual([[42]])
    for (const [name, args] of [
      ['query', { database: 'unset', sql: 'select 42' }],
      ['query', { database: 'odd', sql: 'drop table x' }],
      ['list_tables', { database: 'bound' }],
      ['describe_table', { database: 'odd', table: 'x' }],
      ['lost', {}],
      ['search', { query: 'x' }],
    ] as const) {
      const { isError, content } = await call(name, args)
      expect([name, isError]).toEqual([name, true])
      expect(content[0].text).toMatch(/cannot be opened\. Its operator has to fix this: [A-Z]/)
      expect(content[0].text).not.toContain('hunter2')
    }
    const unset = await call('query', { database: 'unset', sql: 'select 42' })
    expect(unset.content[0].text).toContain('npx wrangler secret put UNSET')
    expect(unset.content[0].text).toContain('UNSET=… in .dev.vars')
    const list = { jsonrpc: '2.0', id: 1, method: 'resources/list' }
    const { resources } = (await post(`${worker.url}/mcp`, list)).json().result
    expect(resources.map(({ uri }: { uri: string }) => uri)).toContain('schema://demo/orders')
    expect((await fetch(`${worker.url}/record/shop/demo/products/1`)).status).toBe(200)

    const headers = { authorization: 'Bearer k' }
    const doctor = await fetch(`${worker.url}/doctor`, { headers })
    const told = await doctor.text()
    expect(doctor.status).toBe(503)
    expect(told).toMatch(/^shop\/demo: SQLite/m)
    expect(told).toMatch(/^shop\/unset: The secret UNSET is not set/m)
    expect(told).toMatch(/^shop\/odd: [A-Z]/m)
    expect(told).toMatch(/^shop\/bound: /m)
    expect(told).not.toContain('hunter2')
    await worker.close()
  })

  test.each([
    ['that is not JSON', '{', 'not JSON'],
    ['that is not a list', '{}', 'expected array'],
    [
      'with a URL instead of a secret',
      '[{"name":"a","title":"A","databases":{"a":{"url":"postgres://u:hunter2@h/d"}}}]',
      'secret:NAME',
    ],
    [
      'with an unknown field',
      '[{"name":"a","title":"A","databases":{"a":{"url":"demo:"}},"colour":"red"}]',
      'colour',
    ],
    [
      'with two equal names',
      '[{"name":"a","title":"A","databases":{"a":{"url":"demo:"}}},{"name":"a","title":"B","databases":{"a":{"url":"demo:"}}}]',
      'same name',
    ],
  ])('%s serves nothing and says why, without its contents', async (_, ENDPOINTS, why) => {
    const worker = await startWorker({ ENDPOINTS, TIDEGATE_KEY: 'k' })
    const { status, text } = await post(`${worker.url}/mcp`, list, { authorization: 'Bearer k' })
    expect(status).toBe(503)
    expect(text).toContain(why)
    expect(text).not.toContain('hunter2')
    await worker.close()
  })
})

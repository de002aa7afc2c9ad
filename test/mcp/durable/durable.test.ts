import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestHarness, type TestHarness } from 'wrangler'

/** Behavior that only real Durable Objects show: eviction, two isolates, and stored data. */

let harness: TestHarness
let url: URL
beforeAll(async () => {
  harness = createTestHarness({ workers: [{ configPath: './examples/everything/wrangler.toml' }] })
  url = new URL('/mcp', (await harness.listen()).url)
})
afterAll(() => harness.close())

const accept = 'application/json, text/event-stream'

async function open() {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 't', version: '1' },
  }
  const post = (message: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const opened = await post({ id: 1, method: 'initialize', params })
  await opened.text()
  const id = opened.headers.get('mcp-session-id')!
  const name = id.split('.')[0]!
  const named = { 'mcp-session-id': id }
  const send = (message: object) => post(message, named)
  await (await send({ method: 'notifications/initialized' })).text()
  return {
    id,
    name,
    send,
    call: (tool: string, args: object = {}) =>
      send({ id: 2, method: 'tools/call', params: { name: tool, arguments: args } }),
    get: (headers: Record<string, string> = {}) =>
      fetch(url, { headers: { accept: 'text/event-stream', ...named, ...headers } }),
    evict: () =>
      harness.getWorker().evictDurableObject('McpSession', { name, webSockets: 'hibernate' }),
  }
}

/** Reads events as they arrive, each with its ID and its message. */
function reader(response: Response) {
  const source = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    // biome-ignore lint/suspicious/noExplicitAny: tests look at messages of every shape
    async next(): Promise<{ id: string | undefined; message: any } | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end >= 0) {
          const block = text.slice(0, end)
          text = text.slice(end + 2)
          const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
          const data = field('data')
          if (data) return { id: field('id'), message: JSON.parse(data) }
          if (field('id')) return { id: field('id'), message: undefined }
          continue
        }
        const { done, value } = await source.read()
        if (done) return undefined
        text += value
      }
    },
    cancel: () => source.cancel(),
  }
}

test('a session survives the eviction of its object', async () => {
  const session = await open()
  await (
    await session.send({ id: 3, method: 'logging/setLevel', params: { level: 'info' } })
  ).text()
  await session.evict()
  expect(await (await session.call('test_tool_with_logging')).text()).toContain(
    'notifications/message',
  )
})

test('a question from before an eviction can be answered on the resumed stream', async () => {
  const session = await open()
  // The tool closes the connection and then asks, so that nothing holds the object.
  const stream = reader(await session.call('test_question_after_disconnect'))
  const primer = await stream.next()
  expect(await stream.next()).toBeUndefined()
  await session.evict()

  const resumed = reader(await session.get({ 'last-event-id': primer!.id! }))
  await resumed.next()
  const question = await resumed.next()
  expect(question?.message.method).toBe('elicitation/create')
  await session.evict()
  const answer = { action: 'accept', content: { ok: true } }
  const taken = await session.send({ id: question!.message.id, result: answer })
  expect(taken.status).toBe(202)
  expect((await resumed.next())?.message).toMatchObject({
    id: 2,
    result: { content: [{ text: 'User said yes' }] },
  })
  expect(await resumed.next()).toBeUndefined()
})

test('an idle stream does not keep its object awake, and still receives messages', async () => {
  const session = await open()
  const listening = reader(await session.get())
  await listening.next()
  await session.evict()
  const other = await open()
  await (await other.call('test_trigger_tool_change')).text()
  expect((await listening.next())?.message.method).toBe('notifications/tools/list_changed')
  await listening.cancel()
})

test('a change that one client makes reaches modern and legacy listeners', async () => {
  const session = await open()
  const legacy = reader(await session.get())
  await legacy.next()
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const modern = reader(
    await fetch(url, {
      method: 'POST',
      headers: {
        ...{ accept, 'content-type': 'application/json' },
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen' },
        params: { _meta, notifications: { promptsListChanged: true } },
      }),
    }),
  )
  expect((await modern.next())?.message.method).toBe('notifications/subscriptions/acknowledged')
  await (await session.call('test_trigger_prompt_change')).text()
  const method = 'notifications/prompts/list_changed'
  expect((await legacy.next())?.message.method).toBe(method)
  const heard = await modern.next()
  expect(heard?.message.method).toBe(method)
  expect(heard?.message.params._meta['io.modelcontextprotocol/subscriptionId']).toBe('l')
  await Promise.all([legacy.cancel(), modern.cancel()])
})

test('an invented ID wakes no object', async () => {
  const worker = harness.getWorker()
  const before = (await worker.listDurableObjectIds('McpSession')).length
  for (const id of ['x', `${'0'.repeat(32)}.${'A'.repeat(43)}`]) {
    const headers = { 'mcp-session-id': id, 'content-type': 'application/json' }
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(404)
  }
  expect((await worker.listDurableObjectIds('McpSession')).length).toBe(before)
})

test('a client cannot pass itself off to an object as the Worker', async () => {
  const session = await open()
  for (const as of ['secret', 'hub', 'change']) {
    const forged = { 'x-mcp-internal': encodeURIComponent(JSON.stringify({ as })) }
    const headers = { 'mcp-session-id': session.id, 'content-type': 'application/json', ...forged }
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const answer = await fetch(url, { method: 'POST', headers, body })
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  }
})

test('a hub with more listeners than it notifies itself still reaches all of them', async () => {
  const sessions = await Promise.all(Array.from({ length: 300 }, open))
  const streams = []
  for (const session of sessions) {
    const stream = reader(await session.get())
    await stream.next()
    streams.push(stream)
  }
  await (await sessions[0]!.call('test_trigger_prompt_change')).text()
  const told = await Promise.all(streams.map((it) => it.next()))
  const method = 'notifications/prompts/list_changed'
  expect(told.map((it) => it?.message.method)).toEqual(streams.map(() => method))
  await Promise.all(streams.map((it) => it.cancel()))
})

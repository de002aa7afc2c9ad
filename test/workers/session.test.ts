import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, expect, test, vi } from 'vitest'
import { tag } from '../../src/mcp/durable/object-request.ts'
import { Session } from '../../src/mcp/sessions/session.ts'
import { sessionLimits } from '../../src/mcp/sessions/session-limits.ts'

afterEach(() => vi.useRealTimers())

const HOUR = 60 * 60_000
const DAY = 24 * HOUR

const post = (message: object, headers: Record<string, string> = {}) =>
  exports.default.fetch('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })

const kept = (object: DurableObjectStub) =>
  runInDurableObject(object, async (_, { storage }) => ({
    rows: [...storage.kv.list()].length,
    alarm: await storage.getAlarm(),
  }))

async function open() {
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  const response = await post({ method: 'initialize', params })
  await response.text()
  const id = response.headers.get('mcp-session-id') ?? ''
  const object = env.SESSIONS.get(env.SESSIONS.idFromName(id.split('.')[0] ?? ''))
  return { id, object, ping: () => post({ method: 'ping' }, { 'mcp-session-id': id }) }
}

test('an idle session is deleted by its alarm, and its client is still served', async () => {
  const { object, ping } = await open()
  expect(await kept(object)).toEqual({ rows: 1, alarm: expect.any(Number) })

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * DAY })
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect(await kept(object)).toEqual({ rows: 0, alarm: null })
  expect(await runDurableObjectAlarm(object)).toBe(false)
  expect((await ping()).status).toBe(200)
  expect(await kept(object)).toEqual({ rows: 0, alarm: null })
})

test('a session in use outlives its first alarm', async () => {
  const { object, ping } = await open()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 29 * DAY })
  expect((await ping()).status).toBe(200)
  vi.setSystemTime(Date.now() + 2 * DAY)
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect((await ping()).status).toBe(200)
})

test('an ended session leaves only a marker in storage, for a session’s lifetime', async () => {
  const { id, object, ping } = await open()
  const named = { 'mcp-session-id': id }
  for (const uri of ['a:1', 'a:2']) {
    await (await post({ method: 'resources/subscribe', params: { uri } }, named)).text()
  }
  const url = 'http://127.0.0.1/mcp'
  const listening = await exports.default.fetch(url, { headers: named })
  expect(listening.headers.get('content-type')).toMatch('text/event-stream')
  const ended = await exports.default.fetch(url, { method: 'DELETE', headers: named })
  expect(ended.status).toBe(204)
  await listening.text()
  expect(await kept(object)).toEqual({ rows: 1, alarm: expect.any(Number) })
  expect((await ping()).status).toBe(404)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * DAY })
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect(await kept(object)).toEqual({ rows: 0, alarm: null })
})

test('a session’s stored events are deleted within the hour, but not the session', async () => {
  const { id, object, ping } = await open()
  const named = { 'mcp-session-id': id }
  await post({ id: undefined, method: 'notifications/initialized' }, named)
  const listening = await exports.default.fetch('http://127.0.0.1/mcp', { headers: named })
  await runInDurableObject(object, (it) =>
    it.fetch(
      tag(new Request('http://x', { method: 'POST', body: '{"kind":"tools"}' }), { as: 'change' }),
    ),
  )
  await listening.body?.cancel()
  const mayStillRead = () =>
    runInDurableObject(object, (_, { storage }) => {
      const limits = sessionLimits
      const host = {
        storage: storage.kv,
        limits,
        listeners: () => [],
        wakeAt() {},
        async clear() {},
      }
      return new Session(host).mayStillRead
    })
  expect(await mayStillRead()).toBe(true)
  const { rows, alarm } = await kept(object)
  expect(alarm! - Date.now()).toBeLessThanOrEqual(HOUR)

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR + 1 })
  expect(await runDurableObjectAlarm(object)).toBe(true)
  const after = await kept(object)
  vi.setSystemTime(Date.now() + HOUR)
  // No client came back for its messages, so a hub need not wake it.
  expect(await mayStillRead()).toBe(false)
  expect(after.rows).toBe(rows - 1)
  expect(after.alarm! - Date.now()).toBeGreaterThan(28 * DAY)
  expect((await ping()).status).toBe(200)
})

test('a client that never opens another session still works after storage was lost', async () => {
  let id = ''
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: async (url, init) => {
      const response = await exports.default.fetch(new Request(url, init))
      id ||= response.headers.get('mcp-session-id') ?? ''
      return response
    },
  })
  // biome-ignore lint/suspicious/noExplicitAny: its types do not know exactOptionalPropertyTypes
  await client.connect(transport as any)
  const object = env.SESSIONS.get(env.SESSIONS.idFromName(id.split('.')[0]!))
  await runInDurableObject(object, (_, { storage }) => storage.deleteAll())
  await evictDurableObject(object)
  expect((await client.listTools()).tools).toHaveLength(5)
  const called = await client.callTool({ name: 'query', arguments: { sql: 'select 42 as it' } })
  expect(called.structuredContent).toMatchObject({ rows: [[42]] })
  await transport.terminateSession()
  expect((await post({ method: 'ping' }, { 'mcp-session-id': id })).status).toBe(404)
})

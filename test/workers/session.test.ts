import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.useRealTimers())

const HOUR = 60 * 60_000

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

test('an idle session ends by its alarm and leaves nothing in storage', async () => {
  const { object, ping } = await open()
  expect(await kept(object)).toEqual({ rows: 1, alarm: expect.any(Number) })

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * HOUR })
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect(await kept(object)).toEqual({ rows: 0, alarm: null })
  expect(await runDurableObjectAlarm(object)).toBe(false)
  expect((await ping()).status).toBe(404)
})

test('a session in use outlives its first alarm', async () => {
  const { object, ping } = await open()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20 * HOUR })
  expect((await ping()).status).toBe(200)
  vi.setSystemTime(Date.now() + 6 * HOUR)
  expect(await runDurableObjectAlarm(object)).toBe(true)
  expect((await ping()).status).toBe(200)
})

test('a session that is ended leaves nothing in storage, whatever it was doing', async () => {
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
  expect(await kept(object)).toEqual({ rows: 0, alarm: null })
  expect((await ping()).status).toBe(404)
})

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { MODERN, requestOf } from '../support/mcp.ts'

afterEach(() => vi.useRealTimers())

const HOUR = 60 * 60_000
/** The default size of a stored result, sealed and in base64, with its header. */
const BOUND = 250_000 * 1.4 + 10_000

/** Requests more rows than fit into a response, and returns the object that stores them. */
async function large(n: number): Promise<DurableObjectStub> {
  const sql = `select ${n} as n, o.*, c.* from orders o join customers c on c.id = customer_id`
  const params = { name: 'query', arguments: { sql } }
  const request = requestOf(MODERN, { method: 'tools/call', params })
  const { method, headers } = request
  const init = { method, headers, body: await request.text() }
  const response = await exports.default.fetch('http://127.0.0.1/mcp', init)
  const { result } = await response.json<{ result: { structuredContent: { result: string } } }>()
  const [, name = ''] = /^result:\/\/([0-9a-f]+)\./.exec(result.structuredContent.result) ?? []
  return env.SESSIONS.get(env.SESSIONS.idFromName(name))
}

const kept = (object: DurableObjectStub) =>
  runInDurableObject(object, async (_, { storage }) => {
    const entries = [...storage.kv.list()]
    const bytes = entries.reduce((sum, it) => sum + JSON.stringify(it).length, 0)
    return { bytes, entries: entries.length, alarm: await storage.getAlarm() }
  })

test('two hundred large results stay within each object’s limit, then disappear', async () => {
  const objects: DurableObjectStub[] = []
  for (let n = 0; n < 200; n++) objects.push(await large(n))
  expect(new Set(objects.map(({ id }) => `${id}`)).size).toBe(200)
  for (const object of objects) {
    const { bytes, alarm } = await kept(object)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(BOUND)
    expect(alarm).not.toBeNull()
  }

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR })
  for (const object of objects) {
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(await kept(object)).toEqual({ bytes: 0, entries: 0, alarm: null })
  }
})

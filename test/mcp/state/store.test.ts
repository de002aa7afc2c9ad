import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestHarness, type TestHarness } from 'wrangler'
import * as z from 'zod'
import {
  type Caller,
  memorySessions,
  memoryStores,
  memoryTasks,
  type Server,
  type SessionStore,
  type Stores,
  serve,
  sessionLimits,
  storeLimits,
  tool,
} from '../../../src/mcp/index.ts'
import { MODERN, requestOf } from '../../support/mcp.ts'

/** State that handlers keep between calls, first in memory and then in Durable Objects. */

const LEGACY = '2025-11-25'
const DAY = 24 * 60 * 60_000
const TASKS = 'io.modelcontextprotocol/tasks'

/** The function that the next call applies to its store. */
let use: (store: SessionStore) => unknown = () => undefined

const input = z.object({ handle: z.string().optional() })
const server: Server = {
  name: 'keeper',
  version: '1.0.0',
  tools: [
    tool({
      name: 'use',
      description: 'Uses a store.',
      input,
      async run({ handle }, context) {
        const store = await context.store(handle)
        return { handle: store.handle, value: (await use(store)) ?? null }
      },
    }),
    tool({
      name: 'use_in_task',
      description: 'Uses a store in a task.',
      input,
      task: 'required',
      async run({ handle }, context) {
        const store = await context.store(handle)
        return { handle: store.handle, value: (await use(store)) ?? null }
      },
    }),
  ],
}

let stores: Stores
beforeEach(() => {
  stores = memoryStores()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Sent {
  readonly caller?: Caller
  readonly path?: string
  readonly headers?: Record<string, string>
}
type Send = (request: Request, caller: Caller | undefined) => Promise<Response>

const ada: Caller = { subject: 'ada', scopes: [] }
const bob: Caller = { subject: 'bob', scopes: [] }

const alone: Send = (request, caller) => serve(request, { server, stores, caller })

/** Calls the tool, and returns its handle and value, or the text that the model reads. */
async function call(
  version: string,
  handle: string | undefined,
  doing: typeof use = () => undefined,
  { caller, path = '/mcp', headers = {} }: Sent = {},
  send = alone,
): Promise<{ handle: string; value: unknown; refusal: string | undefined }> {
  use = doing
  const params = { name: 'use', arguments: { handle } }
  const request = requestOf(version, { method: 'tools/call', params })
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
  const there = new Request(new URL(path, request.url), request)
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  const { result } = (await (await send(there, caller)).json()) as any
  const refusal = result.isError ? result.content[0].text : undefined
  return { ...result.structuredContent, refusal }
}

const put = (key: string, value: unknown) => (store: SessionStore) => store.put(key, value)
const get = (key: string) => (store: SessionStore) => store.get(key)

const NOTHING = /^Nothing is stored under this handle.*Leave it out/

describe.each([MODERN, LEGACY])('a store outside sessions (%s)', (version) => {
  test('is found again by the handle that a call has returned', async () => {
    const { handle } = await call(version, undefined, put('place', { row: 7 }))
    expect((await call(version, handle, get('place'))).value).toEqual({ row: 7 })
    expect((await call(version, handle)).handle).toBe(handle)
  })

  test('is new for each call without a handle or with an empty handle', async () => {
    const { handle } = await call(version, undefined, put('a', 1))
    for (const none of [undefined, '']) {
      const other = await call(version, none, get('a'))
      expect(other).toMatchObject({ value: null })
      expect(other.handle).not.toBe(handle)
    }
  })

  test('rejects an invented handle, and says what to do', async () => {
    const { handle } = await call(version, undefined)
    const [name] = handle.split('.')
    for (const made of ['x', `${name}`, `${name}.`, `${name}.${'A'.repeat(43)}`, `${handle}.`]) {
      expect((await call(version, made)).refusal).toMatch(NOTHING)
    }
  })

  test('opens only for its own caller at its own path', async () => {
    const { handle } = await call(version, undefined, put('a', 1), { caller: ada })
    expect((await call(version, handle, get('a'), { caller: ada })).value).toBe(1)
    expect((await call(version, handle, get('a'), { caller: bob })).refusal).toMatch(NOTHING)
    expect((await call(version, handle, get('a'))).refusal).toMatch(NOTHING)
    const elsewhere = { caller: ada, path: '/mcp/other' }
    expect((await call(version, handle, get('a'), elsewhere)).refusal).toMatch(NOTHING)
  })

  test('does not exist in a server without stores, which is logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { refusal } = await call(version, undefined, undefined, {}, (request) =>
      serve(request, { server }),
    )
    expect(refusal).toContain('was logged')
    expect(String(log.mock.calls[0])).toContain('has no stores')
  })
})

describe('a session’s store', () => {
  const limits = { ...sessionLimits, store: { ...sessionLimits.store, keys: 2 } }
  const sessions = memorySessions(() => server, limits)
  const send: Send = (request, caller) => serve(request, { server, sessions, stores, caller })
  const open = async () => {
    const params = { protocolVersion: LEGACY, capabilities: {} }
    const opened = await send(requestOf(LEGACY, { method: 'initialize', params }), undefined)
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
    return {
      headers,
      call: (handle?: string, doing?: typeof use) => call(LEGACY, handle, doing, { headers }, send),
    }
  }

  test('needs no handle, but has a handle', async () => {
    const session = await open()
    const { handle } = await session.call(undefined, put('a', 1))
    expect(await session.call(undefined, get('a'))).toMatchObject({ handle, value: 1 })
    expect(await session.call(handle, get('a'))).toMatchObject({ handle, value: 1 })
    await session.call(undefined, (store) => store.delete('a'))
    expect(await session.call(undefined, get('a'))).toMatchObject({ handle, value: null })
  })

  test('opens only in that session', async () => {
    const session = await open()
    const other = await open()
    const { handle } = await session.call(undefined, put('a', 1))
    expect((await other.call(undefined, get('a'))).value).toBeNull()
    expect((await other.call(handle)).refusal).toMatch(NOTHING)
    expect((await call(MODERN, handle)).refusal).toMatch(NOTHING)
    const outside = await call(MODERN, undefined)
    expect((await session.call(outside.handle)).refusal).toMatch(NOTHING)
  })

  test('obeys the session’s limits', async () => {
    const session = await open()
    await session.call(undefined, async (store) => {
      for (const key of ['a', 'b']) await store.put(key, key)
    })
    expect((await session.call(undefined, put('c', 1))).refusal).toContain('at most 2 keys')
  })

  test('accepts nothing more when the session has ended', async () => {
    const session = await open()
    const ended = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<SessionStore>()
    const late = session.call(undefined, async (store) => {
      begun.resolve(store)
      await ended.promise
      return store.put('a', 1)
    })
    const store = await begun.promise
    const { headers } = session
    await send(new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers }), undefined)
    ended.resolve()
    await expect(store.put('a', 1)).rejects.toThrow(NOTHING)
    await late.catch(() => {})
  })
})

describe('a store', () => {
  const within = async (doing: typeof use) => (await call(MODERN, undefined, doing)).refusal

  test('keeps only values that JSON can express', async () => {
    const said = { text: 'é', list: [1, null], when: new Date(0) }
    const kept = await call(MODERN, undefined, async (store) => {
      await store.put('said', said)
      return store.get('said')
    })
    expect(kept.value).toEqual({ ...said, when: said.when.toISOString() })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await within(put('a', undefined))).toContain('was logged')
  })

  test('holds a value of up to 128 KB, and not a byte more', async () => {
    const { valueBytes } = storeLimits
    expect(valueBytes).toBe(128 * 1024)
    // The quotation marks take two bytes, and each é takes two bytes.
    expect(await within(put('a', 'é'.repeat(valueBytes / 2 - 1)))).toBeUndefined()
    expect(await within(put('a', `${'é'.repeat(valueBytes / 2 - 1)}x`))).toBe(
      'A value can have at most 131072 bytes as JSON, not 131073.',
    )
  })

  test('holds at most 100 keys, and another only after a deletion', async () => {
    const fill = async (store: SessionStore, count: number) => {
      for (let i = 0; i < count; i++) await store.put(`key ${i}`, i)
    }
    expect(await within((store) => fill(store, 100))).toBeUndefined()
    expect(await within((store) => fill(store, 101))).toContain('at most 100 keys')
    const replaced = async (store: SessionStore) => {
      await fill(store, 100)
      await store.put('key 1', 'again')
      await store.delete('key 1')
      await store.put('another', 1)
    }
    expect(await within(replaced)).toBeUndefined()
    const nothingDeleted = async (store: SessionStore) => {
      await fill(store, 100)
      await store.delete('none')
      await store.put('another', 1)
    }
    expect(await within(nothingDeleted)).toContain('at most 100 keys')
  })

  test('has keys of up to 256 characters, and not a character more', async () => {
    expect(await within(put('k'.repeat(256), 1))).toBeUndefined()
    expect(await within(put('k'.repeat(257), 1))).toBe('A key can have at most 256 characters.')
    const none = await call(MODERN, undefined, get('k'.repeat(257)))
    expect(none).toMatchObject({ value: null, refusal: undefined })
  })

  test('is deleted after a day without use, but not while in use', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const used = await call(MODERN, undefined, put('a', 1))
    const unused = await call(MODERN, undefined, put('a', 1))
    for (let i = 0; i < 3; i++) {
      await vi.advanceTimersByTimeAsync(DAY - 1)
      expect((await call(MODERN, used.handle, get('a'))).value).toBe(1)
    }
    expect((await call(MODERN, unused.handle, get('a'))).refusal).toMatch(NOTHING)
    await vi.advanceTimersByTimeAsync(DAY + 300_000)
    expect(vi.getTimerCount()).toBe(0)
    expect((await call(MODERN, used.handle, get('a'))).refusal).toMatch(NOTHING)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('lasts as long as the server sets', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    stores = memoryStores({ ...storeLimits, idleMs: 1_000 })
    const { handle } = await call(MODERN, undefined)
    await vi.advanceTimersByTimeAsync(999)
    expect((await call(MODERN, handle)).refusal).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1_100)
    expect((await call(MODERN, handle)).refusal).toMatch(NOTHING)
  })

  test('opens in a task as it does in a call', async () => {
    const tasks = memoryTasks(() => server, undefined, stores)
    const { handle } = await call(MODERN, undefined, put('a', 1), { caller: ada })
    const done = Promise.withResolvers<unknown>()
    use = async (store) => {
      done.resolve([store.handle, await store.get('a')])
    }
    const _meta = {
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
    }
    const params = { name: 'use_in_task', arguments: { handle }, _meta }
    const request = requestOf(MODERN, { method: 'tools/call', params })
    await (await serve(request, { server, tasks, caller: ada })).text()
    expect(await done.promise).toEqual([handle, 1])
  })
})

describe('a store in a Durable Object', () => {
  const CONFORMANCE = 'everything'
  let harness: TestHarness
  beforeAll(async () => {
    const brief = {
      ...{ name: 'brief', main: './test/servers/brief.ts' },
      ...{ compatibility_date: '2026-10-30', compatibility_flags: ['enable_request_signal'] },
      durable_objects: { bindings: [{ name: 'SESSIONS', class_name: 'McpSession' }] },
      exports: { McpSession: { type: 'durable-object' as const, storage: 'sqlite' as const } },
    }
    const workers = [{ configPath: './examples/everything/wrangler.toml' }, { config: brief }]
    harness = createTestHarness({ workers })
    await harness.listen()
  })
  afterAll(() => harness.close())

  const send = async (worker: string, request: Request) => {
    const init = { method: 'POST', headers: [...request.headers], body: await request.text() }
    return (await harness.getWorker(worker).fetch('/mcp', init)) as unknown as Response
  }
  const count = async (worker: string, version: string, given: object, session?: string) => {
    const params = { name: 'count', arguments: given }
    const request = requestOf(version, { method: 'tools/call', params })
    if (session) request.headers.set('mcp-session-id', session)
    // biome-ignore lint/suspicious/noExplicitAny: results of every shape
    const { result } = (await (await send(worker, request)).json()) as any
    return { ...result.structuredContent, refusal: result.isError && result.content[0].text }
  }
  const open = async (worker: string) => {
    const params = { protocolVersion: LEGACY, capabilities: {} }
    const opened = await send(worker, requestOf(LEGACY, { method: 'initialize', params }))
    await opened.text()
    return opened.headers.get('mcp-session-id')!
  }
  const nameOf = (id: string) => ({ name: id.split('.')[0]! })
  const evict = (id: string) =>
    harness.getWorker(CONFORMANCE).evictDurableObject('McpSession', nameOf(id))
  const stored = async (id: string) =>
    (await harness.getWorker('brief').fetch(`/stored?name=${nameOf(id).name}`)).json()
  const NONE = { rows: 0, alarm: null }

  test.each([MODERN, LEGACY])('outlives the memory of its object (%s)', async (version) => {
    const { handle } = await count(CONFORMANCE, version, {})
    await evict(handle)
    expect(await count(CONFORMANCE, version, { handle })).toMatchObject({ handle, count: 2 })
  })

  test('is the session’s own object in a session', async () => {
    const id = await open(CONFORMANCE)
    const { handle } = await count(CONFORMANCE, LEGACY, {}, id)
    await evict(id)
    expect(await count(CONFORMANCE, LEGACY, {}, id)).toMatchObject({ handle, count: 2 })
    expect(await count(CONFORMANCE, LEGACY, { handle }, id)).toMatchObject({ count: 3 })
    expect((await count(CONFORMANCE, MODERN, { handle })).refusal).toMatch(NOTHING)
  })

  test('rejects an invented handle or a session ID, without creating an object', async () => {
    const session = await open(CONFORMANCE)
    const worker = harness.getWorker(CONFORMANCE)
    const before = await worker.listDurableObjectIds('McpSession')
    for (const handle of ['x', `${'0'.repeat(32)}.${'A'.repeat(43)}`, session]) {
      expect((await count(CONFORMANCE, MODERN, { handle })).refusal).toMatch(NOTHING)
    }
    expect(await worker.listDurableObjectIds('McpSession')).toEqual(before)
  })

  test('leaves nothing behind when it expires, and one row when its session ends', async () => {
    const { handle } = await count('brief', MODERN, {})
    const session = await open('brief')
    await count('brief', LEGACY, {}, session)
    expect(await stored(handle)).toEqual({ rows: 3, alarm: expect.any(Number) })
    const headers = { 'mcp-session-id': session }
    await harness.getWorker('brief').fetch('/mcp', { method: 'DELETE', headers })
    expect(await stored(session)).toEqual({ rows: 1, alarm: expect.any(Number) })
    await vi.waitFor(async () => expect(await stored(handle)).toEqual(NONE), {
      ...{ timeout: 10_000, interval: 200 },
    })
    expect((await count('brief', MODERN, { handle })).refusal).toMatch(NOTHING)
    expect(await stored(handle)).toEqual(NONE)
  })
})

import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { app } from '../../src/door/app.ts'
import type { Env } from '../../src/door/deployment.ts'
import { makeKey } from '../../src/registry/keys/key.ts'

afterEach(() => vi.useRealTimers())

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** A deployment with these variables, and the requests to its registry. */
function deployment(vars: Partial<Env>, fails = false) {
  const asked: string[] = []
  const objects = new Set<string>()
  const answered: Promise<unknown>[] = []
  const real = (env as unknown as Env).REGISTRY
  const REGISTRY = {
    idFromName(name: string) {
      objects.add(name)
      return real.idFromName(name)
    },
    get: (id: DurableObjectId) => ({
      async fetch(url: string, init: RequestInit) {
        asked.push(String(init.body))
        if (fails) throw new Error('The object is gone.')
        const answer = real.get(id).fetch(url, init)
        answered.push(answer)
        return (await answer).clone()
      },
    }),
  }
  const bindings = { ...env, ...vars, REGISTRY } as unknown as Env
  let kept = new Response()
  const ask = async (path: string, key?: string, more: Record<string, string> = {}) => {
    const headers = {
      'content-type': 'application/json',
      ...(key && { 'x-api-key': key }),
      ...more,
    }
    const request = new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: list })
    const answer = await app.fetch(request, bindings)
    kept = answer.clone()
    await answer.text()
    // This includes background requests.
    await Promise.all(answered)
    await new Promise((resolve) => setTimeout(resolve))
    return answer.status
  }
  return { asked, objects, ask, last: () => kept }
}

const ENDPOINTS = JSON.stringify([
  { name: 'mine', title: 'Mine', databases: { demo: { url: 'demo:' } }, access: 'key' },
  { name: 'open', title: 'Open', databases: { demo: { url: 'demo:' } }, access: 'public' },
])

test('the registry is not asked about the demo or about configured endpoints', async () => {
  const demo = deployment({})
  for (let i = 0; i < 10; i++) expect(await demo.ask('/mcp')).toBe(200)
  expect(await demo.ask('/mcp/demo')).toBe(200)
  expect(await demo.ask('/mcp/none')).toBe(404)
  expect(demo.asked).toEqual([])

  const configured = deployment({ TIDEGATE_KEY: 'k', ENDPOINTS })
  for (let i = 0; i < 10; i++) {
    expect(await configured.ask('/mcp', 'k')).toBe(200)
    expect(await configured.ask('/mcp/open')).toBe(200)
    expect(await configured.ask('/mcp/mine', 'wrong')).toBe(401)
    expect(await configured.ask('/mcp/mine', 'tg_mistyped')).toBe(401)
    expect(await configured.ask('/mcp/NO%20NAME', 'k')).toBe(404)
    expect(await configured.ask('/health')).toBe(404)
    expect(await configured.ask('/k/tg_x/mcp/open')).toBe(404)
  }
  expect(configured.asked).toEqual([])
})

test('a secret URL does not replace a key, with or without an operator', async () => {
  expect(await deployment({}).ask('/k/tg_x/mcp')).toBe(404)
  expect(await deployment({ TIDEGATE_KEY: 'tg_operator' }).ask('/k/tg_operator/mcp')).toBe(404)
})

test('only the operator can read about all endpoints at once', async () => {
  expect(await deployment({}).ask('/doctor')).toBe(405)
  expect(await deployment({ TIDEGATE_KEY: 'k' }).ask('/doctor')).toBe(401)
})

test('while the registry does not respond, only requests that need it are refused', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { key } = await makeKey()
  const { ask, last } = deployment({ TIDEGATE_KEY: 'k', ENDPOINTS }, true)
  for (const path of ['/mcp', '/mcp/open', `/k/${key}/mcp/open`]) {
    expect(await ask(path, key)).toBe(503)
    expect(last().headers.get('retry-after')).toBe('5')
    expect(await last().json()).toMatchObject({ id: null, error: { code: 5031 } })
  }
  expect(await ask('/mcp/elsewhere')).toBe(503)
  expect(log.mock.calls.join()).not.toContain(key)
  expect(await ask('/mcp/open')).toBe(200)
  expect(await ask('/mcp', 'k')).toBe(200)
  const fresh = deployment({ TIDEGATE_KEY: 'k' }, true)
  expect(await fresh.ask('/mcp')).toBe(503)
  log.mockRestore()
})

test('an isolate asks the registry at most once in five seconds', async () => {
  const { key, id, hash } = await makeKey()
  const put = (order: string, input: object) =>
    env.REGISTRY.get(env.REGISTRY.idFromName('registry')).fetch('https://registry/', {
      method: 'POST',
      body: JSON.stringify({ order, input }),
    })
  const entry = { id, hash, label: '', endpoints: ['*'], scopes: ['db:read'], createdAt: 1 }
  await put('putKey', { entry: { ...entry, usedAt: Date.now() } })

  const { asked, ask } = deployment({ TIDEGATE_KEY: 'k', ENDPOINTS })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  for (let second = 0; second < 60; second++) {
    for (let i = 0; i < 5; i++) expect(await ask('/mcp', key)).toBe(200)
    vi.setSystemTime(Date.now() + 1_000)
  }
  const orders = asked.map((it) => JSON.parse(it).order)
  expect(orders.filter((it) => it === 'lookup').length).toBeLessThanOrEqual(12)
  expect(orders.filter((it) => it !== 'lookup').length).toBeLessThanOrEqual(1)
})

test('an isolate checks an access token at most once in nine seconds', async () => {
  const tokens: unknown[] = []
  const granted = {
    person: { id: 'x', name: 'ada@example.com', groups: [] },
    allowed: true,
    scopes: ['db:read'],
    audience: 'http://127.0.0.1/mcp',
    endpoints: ['mine'],
    expiresAt: Date.now() + 3_600_000,
  }
  const take = async (order: string, input: unknown) => {
    tokens.push([order, input])
    return granted
  }
  const AUTHORIZATION = { idFromName: () => 'id', get: () => ({ take }) }
  const secrets = { TIDEGATE_SECRET: 'x'.repeat(32), TIDEGATE_PASSPHRASE: 'y'.repeat(20) }
  const vars = { TIDEGATE_KEY: 'k', ENDPOINTS, ...secrets, AUTHORIZATION }
  const { asked, ask } = deployment(vars as unknown as Partial<Env>)
  const token = `${'a'.repeat(43)}:${'b'.repeat(16)}:${'c'.repeat(32)}`
  const authorization = `Bearer ${token}`
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  for (let second = 0; second < 60; second++) {
    for (let i = 0; i < 5; i++) expect(await ask('/mcp', undefined, { authorization })).toBe(200)
    vi.setSystemTime(Date.now() + 1_000)
  }
  expect(tokens.length).toBeLessThanOrEqual(7)
  expect(new Set(tokens.map((it) => JSON.stringify(it)))).toEqual(
    new Set([JSON.stringify(['granted', { token }])]),
  )
  // Only the registry has the person's groups.
  const orders = asked.map((it) => JSON.parse(it).order)
  expect(new Set(orders)).toEqual(new Set(['lookup']))
  expect(orders.length).toBeLessThanOrEqual(12)
})

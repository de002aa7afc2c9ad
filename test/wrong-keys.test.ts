import { afterAll, beforeAll, expect, test } from 'vitest'
import { cameFrom } from './support/came-from.ts'
import { post, type RunningWorker, startWorker } from './support/worker.ts'

const KEY = 'the key of the operator, 0123456789 abcdef'
const WEAK = 'a-weak-key'
const LIKE_A_VARIABLE = '$hunter2'
const ENDPOINTS = JSON.stringify([
  { name: 'shop', title: 'Shop', databases: { main: { url: 'demo:' } }, access: 'key' },
  { name: 'open', title: 'Open', databases: { main: { url: 'demo:' } }, access: 'public' },
])
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

let strong: RunningWorker
let weak: RunningWorker
let unset: RunningWorker
beforeAll(async () => {
  strong = await startWorker({ ENDPOINTS, TIDEGATE_KEY: KEY })
  weak = await startWorker({ ENDPOINTS, TIDEGATE_KEY: WEAK })
  unset = await startWorker({ ENDPOINTS, TIDEGATE_KEY: LIKE_A_VARIABLE })
})
afterAll(async () => {
  await strong?.close()
  await weak?.close()
  await unset?.close()
})

const ask = ({ url }: RunningWorker, address: string, key: string, path = '/mcp/shop') =>
  post(`${url}${path}`, list, { ...cameFrom(address), authorization: `Bearer ${key}` })

async function guess(
  worker: RunningWorker,
  times: number,
  address: (i: number) => string,
  path?: string,
) {
  const statuses: number[] = []
  for (let i = 0; i < times; i++)
    statuses.push((await ask(worker, address(i), `guess ${i}`, path)).status)
  return statuses
}

test.each(['/mcp/shop', '/api/status'])(
  'more than sixty wrong keys a minute from one network are refused with 429: %s',
  async (path) => {
    const site = path === '/mcp/shop' ? '2001:db8:1' : '2001:db8:2'
    const statuses = await guess(strong, 70, (i) => `${site}:1::${i + 1}`, path)
    expect(statuses.filter((it) => it === 401)).toHaveLength(60)
    const last = await ask(strong, `${site}:1::ffff`, 'guess', path)
    expect([last.status, last.headers.get('retry-after')]).toEqual([429, '60'])
    if (path === '/api/status')
      expect(last.json()).toMatchObject({ error: { code: 'rate_limited' } })
    // Another network of the same site has its own count.
    expect((await ask(strong, `${site}:2::1`, 'guess', path)).status).toBe(401)
  },
)

test('the right key still works, even from the same address', async () => {
  await guess(strong, 61, () => '192.0.2.1')
  expect((await ask(strong, '192.0.2.1', 'guess')).status).toBe(429)
  expect((await ask(strong, '192.0.2.1', KEY)).status).toBe(200)
})

test.each(['/mcp/shop', '/api/status'])(
  'made-up keys in the format of the registry are also refused with 429: %s',
  async (path) => {
    const address = path === '/mcp/shop' ? '192.0.2.7' : '192.0.2.8'
    const statuses: number[] = []
    // The count can start again in between, but not twice.
    for (let i = 0; i < 125; i++) {
      const key = `tg_${String(i).padStart(12, '0')}_${'a'.repeat(40)}`
      statuses.push((await ask(strong, address, key, path)).status)
    }
    expect([...new Set(statuses)].sort()).toEqual([401, 429])
    expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(60)
  },
)

test('a /24 or a /48 has a limit of three hundred wrong keys in total', async () => {
  for (const address of [
    (i: number) => `198.51.100.${i % 250}`,
    (i: number) => `2001:db8:9:${i.toString(16)}::1`,
  ]) {
    const statuses = await guess(strong, 305, address)
    expect(statuses.indexOf(429)).toBe(300)
  }
  expect((await ask(strong, '198.51.101.1', 'guess')).status).toBe(401)
})

test('127.0.0.0/8 is one network, because a local program can use each address', async () => {
  // The count can start again in between, but not twice.
  const statuses = await guess(strong, 125, (i) => `127.0.${i}.1`)
  expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(60)
})

test('the name of a variable, and any key at a public endpoint, do not count as guesses', async () => {
  const at = '203.0.113.1'
  for (let i = 0; i < 70; i++) {
    expect((await ask(strong, at, `\${TIDEGATE_KEY}`)).status).toBe(401)
    expect((await ask(strong, at, 'of something else', '/mcp/open')).status).toBe(200)
  }
  expect((await ask(strong, at, 'guess')).status).toBe(401)
})

test('a weak key is refused from a network that sent many wrong ones, and accepted from others', async () => {
  expect((await ask(weak, '192.0.2.1', WEAK)).status).toBe(200)
  await guess(weak, 61, () => '192.0.2.1')
  expect((await ask(weak, '192.0.2.1', WEAK)).status).toBe(429)
  expect((await ask(weak, '192.0.3.1', WEAK)).status).toBe(200)
})

test.each([
  ['/mcp/open', '2001:db8:11::1'],
  ['/ready', '2001:db8:12::1'],
  ['/doctor/open', '2001:db8:13::1'],
  ['/api/status', '2001:db8:14::1'],
])('a weak key cannot be guessed at %s either', async (path, network) => {
  await guess(weak, 61, () => network, path)
  // Neither the right key nor a wrong one is compared, so nothing tells them apart.
  expect((await ask(weak, network, WEAK, path)).status).toBe(429)
  expect((await ask(weak, network, 'guess', path)).status).toBe(429)
})

test.each(['$guess', `\${guess}`, '%guess%'])(
  'a weak key that looks like a variable cannot be guessed with others that do: %s',
  async (text) => {
    const at = `2001:db8:${20 + text.length}::1`
    for (let i = 0; i < 61; i++) await ask(unset, at, text)
    expect((await ask(unset, at, LIKE_A_VARIABLE)).status).toBe(429)
    expect((await ask(unset, '192.0.4.1', LIKE_A_VARIABLE)).status).toBe(200)
  },
)

test('a host with an unset variable locks nobody out, unless the key looks like a variable', async () => {
  const at = '203.0.113.9'
  for (let i = 0; i < 70; i++) expect((await ask(weak, at, `\${TIDEGATE_KEY}`)).status).toBe(401)
  expect((await ask(weak, at, WEAK)).status).toBe(200)
})

test('the log, the doctor and the status warn about a weak key, and not about a strong one', async () => {
  for (const [worker, key, isWeak] of [
    [weak, WEAK, true],
    [strong, KEY, false],
  ] as const) {
    const headers = { authorization: `Bearer ${key}` }
    const get = async (path: string) => (await fetch(`${worker.url}${path}`, { headers })).text()
    const words = 'TIDEGATE_KEY may be guessed'
    expect((await get('/doctor?hosts=no')).includes(words)).toBe(isWeak)
    expect((await get('/api/status')).includes(words)).toBe(isWeak)
    expect(worker.logs().join('\n').includes(words)).toBe(isWeak)
  }
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PlainWorker, startPlainWorker } from './support/plain-worker.ts'
import { post, startWorker } from './support/worker.ts'

/** In plain workerd, since wrangler's own proxy looks at a request before the Worker does. */

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const search = [{ table: 'products', title: 'name', text: ['name'] }]
const ENDPOINTS = JSON.stringify([
  {
    ...{ name: 'open', title: 'Open', access: 'public' },
    ...{ databases: { demo: { url: 'demo:' } }, search },
  },
  { name: 'closed', title: 'Closed', databases: { demo: { url: 'demo:' } }, search },
])

/** Every route: what a stranger gets there who comes from this machine. */
const ROUTES: readonly [string, string, number][] = [
  ['GET', '/', 200],
  ['GET', '/health', 200],
  ['POST', '/mcp', 200],
  ['GET', '/mcp', 405],
  ['POST', '/mcp/open', 200],
  ['POST', '/mcp/closed', 401],
  ['POST', '/%6dcp/%63losed', 401],
  ['GET', '/sse', 200],
  ['POST', '/sse?sessionId=x', 404],
  ['GET', '/record/open/demo/products/1', 200],
  ['GET', '/record/closed/demo/products/1', 401],
  ['GET', '/doctor', 401],
  ['GET', '/doctor/open', 200],
  ['GET', '/doctor/closed', 401],
  ['POST', '/register', 400],
  ['GET', '/.well-known/oauth-authorization-server', 404],
  ['GET', '/.well-known/oauth-protected-resource/mcp', 404],
  ['POST', '/messages', 404],
  ['GET', '/nowhere', 404],
]

let worker: PlainWorker
let here: string
beforeAll(async () => {
  const origins = 'https://app.example.com http://gate.example.com'
  worker = await startPlainWorker({
    ENDPOINTS,
    TIDEGATE_KEY: 'k',
    LEGACY_SSE: '1',
    ORIGINS: origins,
  })
  here = `127.0.0.1:${worker.port}`
})
afterAll(() => worker.stop())

const ask = (method: string, path: string, host: string, ...more: string[]) => {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json']
  return worker.send([...head, ...more], method === 'POST' ? ping : '')
}

describe.each(ROUTES)('%s %s', (method, path, status) => {
  const from = async (host: string, ...more: string[]) =>
    (await ask(method, path, host, ...more)).status

  test('is there for who comes from this machine, or from a page that is listed', async () => {
    expect(await from(here)).toBe(status)
    expect(await from('localhost')).toBe(status)
    expect(await from('[::1]:8787')).toBe(status)
    expect(await from('gate.example.com')).toBe(status)
    for (const page of ['http://localhost:6274', 'http://[::1]', 'https://app.example.com']) {
      expect([page, await from(here, `Origin: ${page}`)]).toEqual([page, status])
    }
  })

  test('shows nothing to a page from elsewhere, by whatever host', async () => {
    const refused = status === 401 ? 401 : 403
    for (const page of [
      'http://evil.example',
      'null',
      'https://app.example.com.evil.example',
      'http://localhost.evil.example',
      `http://${here}.evil.example`,
      'file://',
      '"><script>',
    ]) {
      expect([page, await from(here, `Origin: ${page}`)]).toEqual([page, refused])
    }
    expect(await from('evil.example')).toBe(refused)
    expect(await from('evil.example', 'Origin: http://evil.example')).toBe(refused)
    expect(await from('127.0.0.1.evil.example')).toBe(refused)
  })

  test('makes nothing of a host that is none', async () => {
    for (const host of [
      'evil"><script>',
      'evil.example:99999',
      'a b',
      'user@127.0.0.1',
      '127.0.0.1/mcp',
      '127.0.0.1?x',
      '127.0.0.1#x',
      '127.0.0.1\\',
      '[::1',
      '[evil]',
      'a,b',
      'a..b',
      'ü.example',
      `${'a'.repeat(300)}`,
    ]) {
      const { status, body } = await ask(method, path, host)
      expect([host, status]).toEqual([host, 400])
      expect(body).toContain('The Host header is not valid.')
      expect(body).not.toContain('evil')
    }
    expect(worker.log()).toBe('')
  })

  test('lets in who shows the key, from any page', async () => {
    const key = 'Authorization: Bearer k'
    const asked = await from('evil.example', 'Origin: http://evil.example', key)
    expect(asked).toBe(status === 401 ? 200 : status)
  })
})

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('where a key is needed', () => {
  test('a wrong key is told from a missing one, by the name that hosts know', async () => {
    const challenge = async (...more: string[]) =>
      /^www-authenticate: (.+)$/im.exec((await ask('POST', '/mcp/closed', here, ...more)).head)?.[1]
    const missing = 'Bearer realm="Tidegate"'
    const wrong = `${missing}, error="invalid_token", error_description="This key is wrong. Ask the operator of this endpoint for the key."`
    expect(await challenge()).toBe(missing)
    expect(await challenge('Authorization: Bearer')).toBe(missing)
    expect(await challenge('Authorization: Basic abc')).toBe(missing)
    expect(await challenge('Authorization: Bearer kk')).toBe(wrong)
    expect(await challenge('authorization: bearer "k"')).toBe(wrong)
  })

  test('a host that looks for a sign-in is told in OAuth words that there is none', async () => {
    const answer = await ask('POST', '/register', here)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toEqual({
      error: 'invalid_client_metadata',
      error_description:
        'This endpoint has no sign-in. Add its key as the header Authorization: Bearer KEY.',
    })
    const looked = await ask('GET', '/.well-known/oauth-authorization-server', here)
    expect(JSON.parse(looked.body).error.message).toMatch(/no sign-in. Add its key/)
  })
})

test('where no key is set, nobody is told to add one', async () => {
  const open = await startWorker()
  const { status, text } = await post(`${open.url}/register`, list)
  expect([status, text.includes('key')]).toEqual([404, false])
  await open.close()
})

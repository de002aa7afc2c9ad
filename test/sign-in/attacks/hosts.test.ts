import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser, CALLBACK, person, question, register, type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const SERVER = '/.well-known/oauth-authorization-server'
const RESOURCE = '/.well-known/oauth-protected-resource/mcp/shop'

describe('over plain http, only this machine is an issuer', () => {
  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1.',
    'localhost.',
    '127.1',
    '2130706433',
    '0.0.0.0',
    '10.0.0.1',
    '192.168.1.1:8787',
    '[::2]',
    '[::ffff:127.0.0.1]',
    'gateway',
    'xn--80ak6aa92e.com',
  ])('and %s is not an issuer', async (host) => {
    // Some of these are other spellings of this machine, which is then named in the usual way.
    const own = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/
    for (const path of [SERVER, RESOURCE]) {
      const answer = await scene.ask('GET', path, { host })
      if (answer.status === 200) {
        const { issuer, authorization_servers = [issuer] } = answer.json
        for (const it of authorization_servers) expect(it).toMatch(own)
      } else expect([path, answer.status]).toEqual([path, 404])
    }
    const { headers } = await scene.tools(undefined, '/mcp/shop', { host })
    expect(headers.get('www-authenticate') ?? '').not.toContain('evil')
    if (!own.test(`http://${new URL(`http://${host}`).host}`)) {
      const page = await scene.ask('GET', '/authorize', { host })
      expect([page.status, page.headers.get('set-cookie')]).toEqual([403, null])
    }
    const json = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }
    if (host.includes('evil')) {
      expect((await scene.ask('POST', '/register', { host, json })).status).toBe(403)
      expect((await scene.ask('POST', '/token', { host, form: { a: 'b' } })).status).toBe(403)
    }
  })

  test('whatever a header says about another host', async () => {
    for (const [name, value] of [
      ['x-forwarded-host', 'evil.example'],
      ['x-forwarded-proto', 'https'],
      ['forwarded', 'host=evil.example;proto=https'],
      ['x-original-url', '/evil'],
      ['x-rewrite-url', '/evil'],
      ['x-host', 'evil.example'],
      ['x-forwarded-server', 'evil.example'],
      ['referer', 'https://evil.example/'],
    ] as const) {
      const headers = { [name]: value }
      const server = await scene.ask('GET', SERVER, { headers })
      expect([name, server.json.issuer]).toEqual([name, scene.origin])
      const resource = await scene.ask('GET', RESOURCE, { headers })
      expect([name, resource.json.resource]).toEqual([name, `${scene.origin}/mcp/shop`])
      const { headers: told } = await scene.tools(undefined, '/mcp/shop', { headers })
      expect(told.get('www-authenticate')).toContain(`"${scene.origin}/.well-known/`)
    }
  })

  test.each(['https://evil.example/mcp', 'http://evil.example/mcp', 'http://user@127.0.0.1/mcp'])(
    'whatever the request line says: %s',
    async (path) => {
      const { status, headers } = await scene.tools(undefined, path)
      expect([400, 401, 404]).toContain(status)
      expect(headers.get('www-authenticate') ?? '').not.toMatch(/evil|user/)
    },
  )
})

describe('no header repeats text from a stranger', () => {
  test.each([
    'shop"',
    'shop%22',
    'shop%22,%20error=%22x',
    'shop%0d%0aX-Evil:%201',
    'shop%0aX-Evil:1',
    'shop%5c',
    '%22%3e%3cscript%3e',
    'shop%E2%80%A8',
    `${'a'.repeat(3_000)}`,
  ])('in an endpoint’s name: %s', async (name) => {
    for (const path of [`/mcp/${name}`, `/.well-known/oauth-protected-resource/mcp/${name}`]) {
      for (const method of ['GET', 'POST']) {
        const { status, headers, text } = await scene.ask(method, path)
        expect([400, 401, 404]).toContain(status)
        expect(headers.get('x-evil')).toBe(null)
        const challenge = headers.get('www-authenticate') ?? ''
        expect(challenge).not.toMatch(/shop|error|script|aaa|resource_metadata/)
        expect(text).not.toMatch(/script|aaaa/)
      }
    }
  })

  test('in a page’s origin', async () => {
    for (const origin of [
      'https://a.example\r\nX-Evil: 1',
      'null',
      '*',
      '"',
      'https://a.example, *',
    ]) {
      const { headers } = await scene.ask('GET', SERVER, { headers: { origin } })
      expect(headers.get('access-control-allow-credentials')).toBe(null)
    }
  })
})

test('no sign-in response is cached', async () => {
  const app = await register(scene)
  const { path } = question(app)
  for (const [method, where] of [
    ['GET', SERVER],
    ['GET', RESOURCE],
    ['GET', '/.well-known/nothing'],
    ['GET', '/authorize'],
    ['GET', path],
    ['GET', '/signin'],
    ['GET', '/signin/nothing'],
    ['GET', '/signout'],
    ['POST', '/token'],
    ['GET', '/token'],
    ['POST', '/register'],
    ['GET', '/register'],
    ['POST', '/mcp/shop'],
    ['GET', '/mcp/shop'],
    ['GET', '/api/endpoints'],
    ['GET', '/authorize.css'],
    ['GET', '/authorize/x.js'],
    ['GET', '/signin/x.css'],
    ['GET', '/token/x.png'],
  ] as const) {
    const { headers } = await scene.ask(method, where)
    expect([method, where, headers.get('cache-control')]).toEqual([
      ...[method, where, expect.stringContaining('no-store')],
    ])
  }
})

test('an ambiguous path is not a sign-in page and accepts no request', async () => {
  for (const path of [
    '/authorize/../token',
    '/signin/../token',
    '/signin/%2e%2e/token',
    '/signin/./callback',
    '//authorize',
    '/%61uthorize',
    '/authorize%2f',
    '/authorize;x',
    '/authorize%00',
    '/AUTHORIZE',
    '/token/',
    '/token%3fx',
    '//token',
    '/register/',
    '/k/../authorize',
    '/mcp/../authorize',
  ]) {
    for (const method of ['GET', 'POST']) {
      const form = { grant_type: 'refresh_token', passphrase: 'x' }
      const answer = await scene.ask(method, path, { form })
      const isEndpoint = path.startsWith('/mcp/')
      expect([method, path, answer.status]).toEqual([method, path, isEndpoint ? 401 : 404])
      expect(answer.text).not.toMatch(/<form|invalid_grant|invalid_client/)
    }
  }
})

describe('an app that looks like another', () => {
  test.each([
    ['markup', '<b>Claude</b><script>alert(1)</script><img src=x onerror=alert(1)>'],
    ['an attribute', '" onmouseover="alert(1)" x="'],
    ['an entity', '&lt;script&gt;&#60;script&#62;'],
    ['text that runs backwards', 'Claude\u202e\u2066evil\u2069\u200f'],
    ['invisible text', 'Cl\u200baude\u2060\ufeff\u00ad'],
    ['letters of another script', 'Сlаude'],
    ['control characters', 'Claude\u0000\u001b[2J\u0085'],
    ['lines', 'Claude\n\n\n\nThis app is verified.'],
    ['a host', 'claude.ai'],
    ['Tidegate’s own name', 'Tidegate'],
    ['many words', 'Claude '.repeat(3_000)],
    ['many marks', `C${'\u0301'.repeat(5_000)}`],
    ['a form', '</form><form action="https://evil.example"><input name=passphrase>'],
    ['a template', '{{7*7}} <%= 7*7 %>'],
  ])('with %s in its name is shown safely', async (_, client_name) => {
    const app = await register(scene, {
      client_name,
      client_uri: 'https://claude.ai',
      logo_uri: 'https://claude.ai/logo.svg',
    })
    const { path } = question(app, { redirect_uri: CALLBACK })
    const browser = await person(scene)
    const { status, text, headers } = await browser.ask('GET', path)
    expect(status).toBe(200)
    expect(text).not.toMatch(/<script|<img|<b>Claude|onerror=alert\(1\)>|"\s*onmouseover="alert/)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(text).not.toContain('action="https://evil')
    expect(text).not.toContain('logo.svg')
    expect(text.length).toBeLessThan(20_000)
    expect(text).toContain('127.0.0.1')
    expect(text).toMatch(/not verified|nobody vouches|registered itself/i)
    for (const [, value] of headers) expect(value).not.toMatch(/Claude|alert/)
    // Nobody sees an app's name before they are signed in.
    expect((await new Browser(scene).ask('GET', path)).text).not.toMatch(/laude|alert/)
  })

  test('with a name that is not a string cannot register', async () => {
    for (const client_name of [{}, [], 7, true, { toString: 'x' }]) {
      const json = { client_name, redirect_uris: [CALLBACK] }
      expect((await scene.ask('POST', '/register', { json })).status).toBe(400)
    }
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PlainWorker, startPlainWorker } from '../support/plain-worker.ts'
import { REGISTRY_WORKER, rowsOf } from '../support/registry-rows.ts'
import {
  type Answer,
  type Asked,
  type Browser,
  OPERATOR_KEY,
  person,
  register,
  type Scene,
  startScene,
  tokens,
  VARS,
} from './attacks/scene.ts'

let scene: Scene
let browser: Browser
let metadata: string
beforeAll(async () => {
  scene = await startScene()
  browser = await person(scene)
  metadata = `${scene.origin}/.well-known/oauth-protected-resource`
})
afterAll(() => scene.stop())

const SEND_KEY = 'Send the key for this endpoint as Authorization: Bearer KEY.'

const challengeIn = ({ headers }: Answer) => headers.get('www-authenticate')
const messageIn = ({ json }: Answer): string => json.error.message

/** A token for `/mcp` with these endpoints, or for a single endpoint. */
async function tokenFor(endpoints: readonly string[], name?: string, scopes?: readonly string[]) {
  const resource = name === undefined ? undefined : `${scene.origin}/mcp/${name}`
  const app = await register(scene)
  return (await tokens(scene, browser, app, { endpoints, ...(scopes && { scopes }) }, { resource }))
    .access_token
}

describe('without a token', () => {
  const leading = (path: string) =>
    `Bearer realm="Tidegate", resource_metadata="${metadata}${path}", scope="db:read"`

  test.each(['POST', 'GET', 'HEAD', 'DELETE', 'PUT'])(
    'a protected endpoint says where to sign in, before anything else: %s',
    async (method) => {
      const requests: Asked[] = [
        {},
        { headers: { accept: 'image/png' } },
        { headers: { accept: 'text/event-stream' } },
        { headers: { 'mcp-protocol-version': '1999-01-01', 'mcp-session-id': 'x' } },
        { headers: { 'content-type': 'text/plain' }, body: '{' },
        { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
        { body: `"${'x'.repeat(2_000_000)}"` },
        { headers: { origin: 'https://app.example' } },
      ]
      for (const path of ['/mcp', '/mcp/shop', '/mcp/books', '/mcp/none']) {
        for (const asked of requests) {
          const answer = await scene.ask(method, path, asked)
          expect([answer.status, challengeIn(answer)]).toEqual([401, leading(path)])
          expect(answer.headers.get('cache-control')).toBe('no-store')
          if (method !== 'HEAD') expect(answer.text).toContain('Sign in, or send the key')
        }
      }
    },
  )

  test('a preflight is answered, and a browser can read where to sign in', async () => {
    for (const path of ['/mcp', '/mcp/shop', '/mcp/none', '/sse']) {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
      const asked = await scene.ask('OPTIONS', path, { headers })
      expect([asked.status, asked.text, challengeIn(asked)]).toEqual([204, '', null])
      const { headers: told } = await scene.ask('POST', path, { headers })
      expect(told.get('access-control-allow-origin')).toBe('https://app.example')
      expect(told.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    }
  })

  test('a person who opens an endpoint sees a page', async () => {
    for (const path of ['/mcp', '/mcp/shop', '/mcp/none']) {
      const { status, headers } = await scene.ask('GET', path, { headers: { accept: 'text/html' } })
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    }
  })

  test('the oldest transport refers to /mcp', async () => {
    for (const method of ['GET', 'POST', 'HEAD']) {
      const answer = await scene.ask(method, '/sse')
      expect([answer.status, challengeIn(answer)]).toEqual([401, leading('/mcp')])
    }
    expect(messageIn(await scene.ask('POST', '/sse'))).toMatch(
      /^Connect to \/mcp and sign in there/,
    )
  })

  test('a path that is not an endpoint refers to no sign-in', async () => {
    for (const path of ['/doctor', '/doctor/shop', '/record/shop/demo/products/1']) {
      const answer = await scene.ask('GET', path)
      expect([path, answer.status, challengeIn(answer)]).toEqual([
        ...[path, 401, `Bearer realm="Tidegate: ${SEND_KEY}"`],
      ])
    }
  })

  test('a public endpoint does not require a sign-in', async () => {
    const answer = await scene.tools(undefined, '/mcp/open')
    expect([answer.status, challengeIn(answer)]).toEqual([200, null])
  })

  test('a POST to / gets the endpoint’s URL, without a mention of keys', async () => {
    const answer = await scene.ask('POST', '/', { json: {} })
    expect(answer.status).toBe(404)
    expect(messageIn(answer)).toBe(`The MCP endpoint is ${scene.origin}/mcp.`)
  })
})

describe('with a token', () => {
  const WRONG =
    'This access token is not for this endpoint, has expired, or was revoked. Sign in again.'

  test('an invalid token is reported with a message on every method', async () => {
    const token = await tokenFor(['books'])
    for (const method of ['POST', 'GET', 'HEAD', 'DELETE']) {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await scene.ask(method, '/mcp/shop', { headers })
      expect([answer.status, challengeIn(answer)]).toEqual([
        401,
        `Bearer realm="Tidegate", resource_metadata="${metadata}/mcp/shop", scope="db:read", error="invalid_token", error_description="${WRONG}"`,
      ])
      if (method !== 'HEAD') expect(messageIn(answer)).toBe(WRONG)
    }
  })

  test('a token opens the endpoints that were ticked, at its own URL and below', async () => {
    const both = await tokenFor(['shop', 'books'])
    const one = await tokenFor(['books'], 'books')
    const opened = async (token: string) => {
      const paths = ['/mcp', '/mcp/shop', '/mcp/books', '/mcp/open']
      return Promise.all(paths.map(async (it) => (await scene.tools(token, it)).status))
    }
    expect(await opened(both)).toEqual([200, 200, 200, 200])
    expect(await opened(await tokenFor(['shop']))).toEqual([200, 200, 401, 200])
    expect(await opened(one)).toEqual([401, 401, 200, 200])
  })

  test('a token without the right to read gets the scope to request', async () => {
    const answer = await scene.tools(await tokenFor(['shop'], undefined, []), '/mcp/shop')
    const why = 'This access token does not allow reading. Sign in again and allow it.'
    expect([answer.status, answer.json.error.code, messageIn(answer)]).toEqual([403, 4032, why])
    expect(challengeIn(answer)).toBe(
      `Bearer realm="Tidegate", resource_metadata="${metadata}/mcp/shop", scope="db:read", error="insufficient_scope", error_description="${why}"`,
    )
  })

  test('a token can read records, but the doctor and the API are for the operator', async () => {
    const headers = { authorization: `Bearer ${await tokenFor(['shop'])}` }
    const status = async (path: string) => (await scene.ask('GET', path, { headers })).status
    expect(await status('/record/shop/demo/products/1')).toBe(200)
    expect(await status('/record/books/demo/products/1')).toBe(401)
    expect(await status('/doctor/shop')).toBe(403)
    expect(await status('/doctor/books')).toBe(401)
    expect(await status('/doctor')).toBe(403)
    for (const path of ['/api/endpoints', '/api/keys', '/api/nothing']) {
      const answer = await scene.ask('GET', path, { headers })
      expect([path, answer.status, challengeIn(answer)]).toEqual([
        ...[path, 401, expect.stringMatching(/^Bearer realm="Tidegate", error="invalid_token", /)],
      ])
      expect(messageIn(answer)).toMatch(/Send the admin key/)
    }
  })

  test('the oldest transport accepts a token for /mcp', async () => {
    const { status, head } = await scene.send([
      ...[
        'GET /sse HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${await tokenFor(['books'])}`,
      ],
    ])
    expect([status, /error="invalid_token"/.test(head)]).toEqual([401, true])
    const good = [
      ...['GET /sse HTTP/1.1', `Host: 127.0.0.1:${scene.port}`],
      `Authorization: Bearer ${await tokenFor(['shop'])}`,
    ]
    expect((await scene.send(good)).status).toBe(200)
  })

  test('a public endpoint accepts a token for another endpoint', async () => {
    const token = await tokenFor(['books'], 'books')
    expect((await scene.tools(token, '/mcp/open')).status).toBe(200)
  })

  test('keys still work alongside tokens', async () => {
    expect((await scene.tools(OPERATOR_KEY, '/mcp/shop')).status).toBe(200)
    const answer = await scene.tools('not a key', '/mcp/shop')
    expect([answer.status, challengeIn(answer)]).toEqual([
      401,
      `Bearer realm="Tidegate", resource_metadata="${metadata}/mcp/shop", scope="db:read", error="invalid_token", error_description="This key is wrong, or was revoked. Ask the operator of this endpoint for another."`,
    ])
  })
})

describe('the metadata', () => {
  const described = (path: string, asked: Asked = {}) => scene.ask('GET', path, asked)
  const server = '/.well-known/oauth-authorization-server'

  test('for an endpoint is at its own well-known URL, and any page can read it', async () => {
    for (const path of ['/mcp', '/mcp/shop', '/mcp/none']) {
      for (const headers of [{}, { origin: 'https://app.example' }]) {
        const url = `/.well-known/oauth-protected-resource${path}`
        const answer = await described(url, { headers })
        expect([answer.status, answer.json]).toEqual([
          200,
          {
            resource: `${scene.origin}${path}`,
            authorization_servers: [scene.origin],
            scopes_supported: ['db:read'],
            bearer_methods_supported: ['header'],
            resource_name: 'Tidegate',
          },
        ])
        expect(answer.headers.get('cache-control')).toBe('no-store')
        expect(answer.headers.get('access-control-allow-origin')).toBe(
          'origin' in headers ? 'https://app.example' : null,
        )
      }
    }
  })

  test.each([server, '/.well-known/oauth-protected-resource/mcp/shop'])(
    'can be read with GET and HEAD: %s',
    async (path) => {
      const whole = await described(path)
      const head = await scene.ask('HEAD', path)
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers.get('content-type')).toBe(whole.headers.get('content-type'))
      const asked = await scene.ask('OPTIONS', path, { headers: { origin: 'https://app.example' } })
      expect(asked.status).toBe(204)
      expect(asked.headers.get('access-control-allow-origin')).toBe('https://app.example')
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const { status, headers } = await scene.ask(method, path)
        expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS'])
      }
    },
  )

  test('is nowhere else, and other paths return JSON that repeats nothing', async () => {
    const key = `tg_${'Ab3'.repeat(15)}`
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/',
      '/.well-known/oauth-protected-resource/mcp/open',
      '/.well-known/oauth-protected-resource/mcp/NO%20NAME',
      '/.well-known/oauth-protected-resource/mcp/shop/more',
      '/.well-known/oauth-protected-resource/sse',
      `/.well-known/oauth-protected-resource/k/${key}/mcp`,
      `/.well-known/oauth-protected-resource/k/${key}/mcp/shop`,
      `/.well-known/oauth-protected-resource/mcp/${key}`,
      `/k/${key}/mcp/.well-known/oauth-protected-resource`,
      `/k/${key}/.well-known/oauth-protected-resource`,
      `${server}/mcp`,
      `${server}/mcp/shop`,
      `${server}/k/${key}/mcp`,
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration/mcp',
      '/.well-known/oauth-client',
      '/mcp/.well-known/openid-configuration',
      '/mcp/.well-known/oauth-authorization-server',
      '/mcp/.well-known/oauth-protected-resource',
      '/mcp/.well-known',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const headers = { origin: 'https://app.example', accept: 'text/html' }
        const answer = await scene.ask(method, path, { headers })
        expect([method, path, answer.status, challengeIn(answer)]).toEqual([
          method,
          path,
          404,
          null,
        ])
        expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
        expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example')
        expect(answer.headers.get('cache-control')).toBe('no-store')
        expect(answer.text).not.toMatch(/Ab3Ab3|shop|NAME/)
        if (method !== 'HEAD')
          expect(messageIn(answer)).toMatch(/^There is (?:nothing|no endpoint)/)
      }
    }
  })
})

describe('other sites can read', () => {
  const headers = { origin: 'https://app.example' }

  test('the endpoints that programs use', async () => {
    for (const [method, path] of [
      ['POST', '/token'],
      ['POST', '/register'],
      ['OPTIONS', '/token'],
      ['OPTIONS', '/register'],
    ] as const) {
      const answer = await scene.ask(method, path, { headers })
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(answer.headers.get('access-control-allow-credentials')).toBe(null)
    }
  })

  test('no page', async () => {
    for (const path of ['/authorize', '/signin', '/signin/callback', '/signout', '/authorize/']) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD', 'PUT']) {
        const answer = await scene.ask(method, path, { headers })
        expect([path, method, answer.headers.get('access-control-allow-origin')]).toEqual([
          ...[path, method, null],
        ])
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    }
  })
})

describe('if nobody can sign in', () => {
  let plain: PlainWorker
  beforeAll(async () => {
    const { TIDEGATE_PASSPHRASE: _, ...vars } = VARS
    plain = await startPlainWorker(vars, REGISTRY_WORKER)
    await rowsOf(plain).endpoint('kept')
  })
  afterAll(() => plain.stop())
  const ask = (method: string, path: string) =>
    plain.send([`${method} ${path} HTTP/1.1`, 'Host: localhost'])

  test('an endpoint requests a key, and does not refer to a sign-in', async () => {
    const { status, head } = await ask('POST', '/mcp/kept')
    expect(status).toBe(401)
    const [, challenge] = /^www-authenticate: (.+)$/im.exec(head) ?? []
    expect(challenge).toBe(`Bearer realm="Tidegate: ${SEND_KEY}"`)
  })

  test('well-known paths do not exist, and the response says that a key is needed', async () => {
    for (const path of [
      '/.well-known/oauth-protected-resource/mcp/kept',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/mcp/.well-known/oauth-protected-resource',
      '/mcp/.well-known/openid-configuration',
      '/authorize',
      '/token',
    ]) {
      const { status, head, body } = await ask('GET', path)
      expect([path, status]).toEqual([path, 404])
      expect(head).toMatch(/^content-type: application\/json/im)
      expect(body).toContain('This endpoint has no sign-in: it takes a key')
    }
  })
})

import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type App,
  type Browser,
  OPERATOR_KEY,
  PASSPHRASE,
  person,
  refresh,
  register,
  type Scene,
  startScene,
  type Tokens,
  tokens,
  VARS,
} from './scene.ts'

let scene: Scene
let browser: Browser
let app: App
let given: Tokens
beforeAll(async () => {
  scene = await startScene({ TOKEN_ISSUER: 'https://issuer.example' })
  browser = await person(scene)
  app = await register(scene)
  given = await tokens(scene, browser, app)
})
afterAll(() => scene.stop())

const status = async (token: string, path = '/mcp') => (await scene.tools(token, path)).status

describe('a token is valid only for its purpose', () => {
  test('and not for another endpoint, however its path is written', async () => {
    const resource = `${scene.origin}/mcp/books`
    const { access_token } = await tokens(
      scene,
      browser,
      app,
      { endpoints: ['books'] },
      { resource },
    )
    expect(await status(access_token, '/mcp/books')).toBe(200)
    for (const path of [
      '/mcp',
      '/mcp/',
      '/mcp/shop',
      '/mcp/shop/',
      '/mcp/%73hop',
      '/%6dcp/shop',
      '/mcp/books/../shop',
      '/mcp/books/%2e%2e/shop',
      '/mcp/books%2f..%2fshop',
      '/mcp/books%2F%2E%2E%2Fshop',
      '/mcp/books\\..\\shop',
      '/mcp/./shop',
      '/mcp//shop',
      '//mcp/shop',
      '/mcp%2fshop',
      '/mcp/%2573hop',
      '/mcp/%252e%252e/mcp/shop',
      '/mcp;/books/../shop',
      '/mcp/shop;books',
      '/mcp/shop;/books',
      '/mcp/shop%00',
      '/mcp/shop%00books',
      '/mcp/shop%20',
      '/mcp/shop.',
      '/mcp/shop?/mcp/books',
      '/mcp/shop?resource=/mcp/books',
      '/mcp/shop%3fbooks',
      '/mcp/shop%23books',
      '/MCP/shop',
      '/mcp/SHOP',
      '/mcp/ｓhop',
      '/k/../mcp/shop',
      '/k/x/../../mcp/shop',
      '/api/../mcp/shop',
      '/.well-known/../mcp/shop',
      `/k/${access_token}/mcp/shop`,
      `/k/${access_token}/mcp/books`,
      `http://127.0.0.1:${scene.port}/mcp/shop`,
    ]) {
      const { status, text } = await scene.tools(access_token, path)
      expect([path, status === 401 || status === 404]).toEqual([path, true])
      expect(text).not.toContain(access_token.slice(-20))
    }
  })

  test('and not for the API, however its path is written', async () => {
    for (const path of [
      '/api/endpoints',
      '/api/keys',
      '/mcp/../api/endpoints',
      '/mcp/shop/../../api/endpoints',
      '/mcp%2f..%2fapi%2fendpoints',
      '//api/endpoints',
      '/API/endpoints',
      '/api//endpoints',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const headers = { authorization: `Bearer ${given.access_token}` }
        const answer = await scene.ask(method, path, { headers, json: { name: 'x' } })
        expect([method, path, [401, 404].includes(answer.status)]).toEqual([method, path, true])
      }
    }
  })

  test('and not at another origin of the same deployment', async () => {
    for (const host of [
      `localhost:${scene.port}`,
      '127.0.0.1',
      `[::1]:${scene.port}`,
      'a.example',
    ]) {
      expect([host, (await scene.tools(given.access_token, '/mcp', { host })).status]).toEqual([
        ...[host, 401],
      ])
    }
    // Headers from a proxy do not count.
    for (const name of ['x-forwarded-host', 'forwarded', 'x-original-host', 'x-host']) {
      const headers = { [name]: `127.0.0.1:${scene.port}` }
      const asked = { host: 'a.example', headers }
      expect((await scene.tools(given.access_token, '/mcp', asked)).status).toBe(401)
    }
  })

  test('and not at another deployment, even with the same secrets', async () => {
    const other = await startScene()
    try {
      const host = `127.0.0.1:${scene.port}`
      for (const asked of [{}, { host }]) {
        expect((await other.tools(given.access_token, '/mcp', asked)).status).toBe(401)
        const form = { grant_type: 'refresh_token', refresh_token: given.refresh_token }
        const more = { form: { ...form, client_id: app.client_id }, ...asked }
        expect((await other.ask('POST', '/token', more)).status).toBeGreaterThanOrEqual(400)
      }
    } finally {
      await other.stop()
    }
  })

  test('and not for more than the person ticked, whatever the form says', async () => {
    for (const endpoints of [['*'], [''], ['nothing'], ['shop,books'], ['../books'], ['SHOP']]) {
      const made = await tokens(scene, browser, app, { endpoints: [...endpoints, 'shop'] })
      expect(await status(made.access_token, '/mcp/books')).toBe(401)
      expect(await status(made.access_token, '/mcp/nothing')).toBe(401)
      expect(await status(made.access_token, '/mcp/shop')).toBe(200)
    }
  })

  test('and a refresh does not add rights', async () => {
    const made = await tokens(scene, browser, app, { scopes: ['db:read'] })
    for (const more of [
      { scope: 'db:write' },
      { scope: 'db:read db:write' },
      { scope: '*' },
      { scope: 'offline_access' },
    ]) {
      const answer = await refresh(scene, app, made.refresh_token, more)
      if (answer.status === 200) expect(answer.json.scope).toBe('db:read')
      else expect(answer.json.error).toMatch(/^invalid_(scope|grant|request)$/)
    }
    const narrow = await tokens(scene, browser, app, { scopes: [] })
    expect(narrow.scope ?? '').not.toContain('db:read')
    const wider = await refresh(scene, app, narrow.refresh_token, { scope: 'db:read' })
    expect(wider.status === 200 && /db:read/.test(wider.json.scope ?? '')).toBe(false)
    if (wider.status === 200) expect(await status(wider.json.access_token)).toBe(403)
  })

  test('and a refresh changes neither its endpoint nor its person', async () => {
    const resource = `${scene.origin}/mcp/shop`
    const made = await tokens(scene, browser, app, {}, { resource })
    const more = {
      resource: `${scene.origin}/mcp/books`,
      endpoint: 'books',
      user: 'ada',
      props: '{}',
    }
    const { json } = await refresh(scene, app, made.refresh_token, more)
    expect(await status(json.access_token, '/mcp/shop')).toBe(200)
    expect(await status(json.access_token, '/mcp/books')).toBe(401)
    expect(await status(json.access_token, '/mcp')).toBe(401)
  })
})

describe('tokens are not mixed up', () => {
  test('a refresh token opens nothing', async () => {
    expect(await status(given.refresh_token)).toBe(401)
    expect(await status(given.refresh_token, '/mcp/shop')).toBe(401)
  })

  test('an access token is accepted neither as a refresh token nor as a code', async () => {
    for (const form of [
      { grant_type: 'refresh_token', refresh_token: given.access_token },
      { grant_type: 'authorization_code', code: given.access_token, code_verifier: 'a'.repeat(43) },
      {
        grant_type: 'authorization_code',
        code: given.refresh_token,
        code_verifier: 'a'.repeat(43),
      },
    ]) {
      const more = { ...form, client_id: app.client_id, redirect_uri: app.redirect_uris[0]! }
      const answer = await scene.ask('POST', '/token', { form: more })
      expect([answer.status, answer.json.error]).toEqual([400, 'invalid_grant'])
    }
    expect(await status(given.access_token)).toBe(200)
  })

  test('a refresh token is useless to another app, and survives the attempt', async () => {
    const mine = await tokens(scene, browser, app)
    const other = await register(scene)
    const secret = await register(scene, { token_endpoint_auth_method: 'client_secret_post' })
    for (const it of [other, secret, { client_id: 'nobody' }, { client_id: '' }]) {
      const answer = await refresh(scene, it, mine.refresh_token)
      expect([400, 401]).toContain(answer.status)
      expect(answer.text).not.toContain('access_token')
    }
    expect((await refresh(scene, app, mine.refresh_token)).status).toBe(200)
  })

  test('an app cannot end another app’s grant', async () => {
    const mine = await tokens(scene, browser, app)
    const other = await register(scene)
    for (const token of [mine.refresh_token, mine.access_token]) {
      await scene.ask('POST', '/token', { form: { token, client_id: other.client_id } })
    }
    expect(await status(mine.access_token)).toBe(200)
    expect((await refresh(scene, app, mine.refresh_token)).status).toBe(200)
  })

  test('an invented or changed token opens nothing', async () => {
    const [user = '', grant = '', secret = ''] = given.access_token.split(':')
    const flipped = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A')
    for (const token of [
      `${user}:${grant}:${flipped(secret)}`,
      `${user}:${flipped(grant)}:${secret}`,
      `${flipped(user)}:${grant}:${secret}`,
      `${user}:${grant}:${secret.toLowerCase()}`,
      `${user}:${grant}`,
      `${user}:${grant}:${secret}:x`,
      `${given.access_token} x`,
      `"${given.access_token}"`,
      `${given.access_token},${given.access_token}`,
      `${'A'.repeat(43)}:${'A'.repeat(16)}:${'A'.repeat(32)}`,
      `${'%'.repeat(43)}:${'%'.repeat(16)}:${'%'.repeat(32)}`,
      'a'.repeat(100_000),
    ]) {
      const { status, text } = await scene.tools(token)
      expect([token.slice(0, 120), [401, 400, 431].includes(status)]).toEqual([
        ...[token.slice(0, 120), true],
      ])
      expect(text).not.toContain(secret)
    }
    for (const authorization of [
      given.access_token,
      `Basic ${given.access_token}`,
      `Token ${given.access_token}`,
      `DPoP ${given.access_token}`,
      `BearerX ${given.access_token}`,
      `Bearer: ${given.access_token}`,
      `Bearer`,
    ]) {
      const answer = await scene.tools(undefined, '/mcp', { headers: { authorization } })
      expect([authorization.slice(0, 10), answer.status]).toEqual([authorization.slice(0, 10), 401])
    }
  })

  test('a second header cannot hide an invalid token', async () => {
    const line = (token: string) => `Authorization: Bearer ${token}`
    const head = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${scene.port}`]
    const bad = `${given.access_token.slice(0, -3)}abc`
    const type = ['Content-Type: application/json', 'Accept: application/json']
    for (const pair of [
      [bad, given.access_token],
      [given.access_token, bad],
    ]) {
      const { status } = await scene.send([...head, ...type, ...pair.map(line)], '{}')
      expect([400, 401]).toContain(status)
    }
    const key = `X-API-Key: ${OPERATOR_KEY}`
    expect((await scene.send([...head, ...type, line(bad), key], '{}')).status).toBe(401)
  })
})

describe('a JWT', () => {
  const encoded = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const claims = () => ({
    iss: 'https://issuer.example',
    aud: `${scene.origin}/mcp`,
    sub: 'ada',
    email: 'ada@example.com',
    email_verified: true,
    scope: 'db:read',
    client_id: 'x',
    jti: 'x',
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 600,
  })
  const jwk = () => publicKey.export({ format: 'jwk' })
  const pem = () => publicKey.export({ format: 'pem', type: 'spki' })

  function forged(): [string, string][] {
    const part = (header: object, body: object = claims()) => `${encoded(header)}.${encoded(body)}`
    const hmac = (text: string, key: string) =>
      `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    const rsa = (text: string) =>
      `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
    const own = { ...claims(), iss: scene.origin }
    return [
      ['that says it needs no signature', `${part({ alg: 'none' })}.`],
      ['that says so with a signature', `${part({ alg: 'none' })}.AAAA`],
      ['that says so in capitals', `${part({ alg: 'None' })}.AAAA`],
      ['without an algorithm', `${part({})}.AAAA`],
      ['signed with a public key as a secret', hmac(part({ alg: 'HS256' }), `${pem()}`)],
      ['signed with an empty secret', hmac(part({ alg: 'HS256' }), '')],
      ['signed with the passphrase', hmac(part({ alg: 'HS256' }), PASSPHRASE)],
      ['signed with the key of the operator', hmac(part({ alg: 'HS256' }), OPERATOR_KEY)],
      ['that brings its own key', rsa(part({ alg: 'RS256', jwk: jwk() }))],
      ['that says where its key is', rsa(part({ alg: 'RS256', jku: 'https://evil.example/' }))],
      [
        'that brings a certificate',
        rsa(part({ alg: 'RS256', x5c: ['AAAA'], x5u: 'https://e.x/' })),
      ],
      ['whose key is a path', rsa(part({ alg: 'RS256', kid: '../../../dev/null' }))],
      ['of this deployment', rsa(part({ alg: 'RS256' }, own))],
      ['of this deployment without a signature', `${part({ alg: 'none' }, own)}.AAAA`],
      ['that has to be understood', rsa(part({ alg: 'RS256', crit: ['exp'], b64: false }))],
      ['that is no JSON', `eyJ${encoded('x')}.${encoded('{')}.AAAA`],
      ['that is nested deeply', `${encoded(`{"alg":${'['.repeat(1_000)}`)}.${encoded('{}')}.AAAA`],
      ['that is encrypted', `${part({ alg: 'dir', enc: 'A256GCM' })}.AAAA.AAAA.AAAA`],
      ['that is huge', `${part({ alg: 'none' }, { ...claims(), x: 'x'.repeat(10_000) })}.AAAA`],
    ]
  }

  test('that is forged is refused, with or without a trusted issuer', async () => {
    const { TOKEN_ISSUER: _, ...none } = { ...VARS, TOKEN_ISSUER: '' }
    const alone = await startScene(none)
    try {
      for (const [what, token] of forged()) {
        for (const where of [scene, alone]) {
          const answer = await where.tools(token)
          // If the issuer does not respond, its signature cannot be checked.
          expect([what, [401, 503].includes(answer.status)]).toEqual([what, true])
          expect(answer.text).not.toContain(token.slice(0, 60))
          if (where === alone) expect([what, answer.status]).toEqual([what, 401])
        }
      }
    } finally {
      await alone.stop()
    }
  })

  test('is accepted neither as an API key nor as app credentials', async () => {
    for (const [, token] of forged().slice(0, 6)) {
      const headers = { authorization: `Bearer ${token}` }
      expect((await scene.ask('GET', '/api/endpoints', { headers })).status).toBe(401)
      const form = {
        ...{ grant_type: 'refresh_token', refresh_token: given.refresh_token },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: token,
        client_id: app.client_id,
      }
      const answer = await scene.ask('POST', '/token', { form })
      expect([400, 401]).toContain(answer.status)
      expect(answer.text).not.toContain('access_token')
    }
  })
})

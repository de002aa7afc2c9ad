import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type App,
  type Browser,
  broughtBack,
  codeFor,
  decide,
  exchange,
  person,
  question,
  register,
  type Scene,
  startScene,
} from './scene.ts'

let scene: Scene
let browser: Browser
let app: App
let other: App
beforeAll(async () => {
  scene = await startScene()
  browser = await person(scene)
  app = await register(scene)
  other = await register(scene, { client_name: 'Another app' })
})
afterAll(() => scene.stop())

function expectNone(answer: Answer, error = 'invalid_grant', status = 400): void {
  expect([answer.status, answer.json.error]).toEqual([status, error])
  expect(answer.text).not.toMatch(/access_token|refresh_token/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

describe('a code', () => {
  test('can be exchanged once, and a second try revokes its tokens', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const first = await exchange(scene, app, asked, code)
    expect(first.status).toBe(200)
    expectNone(await exchange(scene, app, asked, code))
    expect((await scene.tools(first.json.access_token)).status).toBe(401)
    const form = { grant_type: 'refresh_token', refresh_token: first.json.refresh_token }
    const again = await scene.ask('POST', '/token', { form: { ...form, client_id: app.client_id } })
    expectNone(again)
  })

  test('that is sent many times at once yields at most one grant', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => exchange(scene, app, asked, code)),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    for (const answer of answers) if (answer.status !== 200) expectNone(answer)
  })

  test('for one app is useless to another, and survives the attempt', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    expectNone(await exchange(scene, other, asked, code))
    expect((await exchange(scene, app, asked, code)).status).toBe(200)
  })

  test('that is injected into somebody else’s sign-in does not match their verifier', async () => {
    const stolen = await codeFor(browser, question(app))
    expectNone(await exchange(scene, app, question(app), stolen))
  })

  test('that is invented, cut or changed is rejected', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const [user, grant, secret] = code.split(':')
    const elsewhere = (await codeFor(browser, question(app))).split(':')
    for (const it of [
      'x',
      ':',
      '::',
      code.slice(0, -1),
      `${code}A`,
      `${code}\u0000`,
      `${user}:${grant}:${'A'.repeat(32)}`,
      `${user}:${elsewhere[1]}:${secret}`,
      `${'A'.repeat(43)}:${grant}:${secret}`,
      `${user}:${grant}:%`,
      `${user}:${grant}`,
      `*:*:*`,
      `../${code}`,
      `${'x'.repeat(20_000)}`,
    ]) {
      expectNone(await exchange(scene, app, asked, it))
    }
    expect((await exchange(scene, app, asked, code)).status).toBe(200)
  })

  test('opens nothing on its own', async () => {
    const code = await codeFor(browser, question(app))
    expect((await scene.tools(code)).status).toBe(401)
    expect((await scene.ask('GET', `/mcp?code=${encodeURIComponent(code)}`)).status).toBe(401)
  })

  test('is valid only for the endpoint that was requested', async () => {
    const asked = question(app, { resource: `${scene.origin}/mcp/shop` })
    const code = await codeFor(browser, asked)
    const at = (resource: string) => exchange(scene, app, asked, code, { resource })
    expectNone(await at(`${scene.origin}/mcp/books`), 'invalid_target')
    expectNone(await at(`${scene.origin}/mcp`), 'invalid_target')
    expectNone(await at('https://other.example/mcp/shop'), 'invalid_target')
    const { json } = await at(`${scene.origin}/mcp/shop`)
    expect((await scene.tools(json.access_token, '/mcp/shop')).status).toBe(200)
    expect((await scene.tools(json.access_token, '/mcp')).status).toBe(401)
  })

  test('can be exchanged only at the origin that issued it', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const host = `localhost:${scene.port}`
    const answer = await exchange(scene, app, asked, code, {}, { host })
    expect([answer.status >= 400, /access_token/.test(answer.text)]).toEqual([true, false])
  })

  test('is not accepted in a URL, and neither is a token', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const query = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, client_id: app.client_id },
      ...{ code_verifier: asked.verifier, redirect_uri: asked.redirectUri },
    })
    for (const method of ['GET', 'HEAD', 'PUT', 'POST']) {
      const answer = await scene.ask(method, `/token?${query}`)
      expect([method, answer.status >= 400, /access_token/.test(answer.text)]).toEqual([
        ...[method, true, false],
      ])
    }
    const { json } = await exchange(scene, app, asked, code)
    for (const name of ['access_token', 'token', 'authorization', 'key']) {
      expect((await scene.tools(undefined, `/mcp?${name}=${json.access_token}`)).status).toBe(401)
    }
    const form = { access_token: json.access_token }
    expect((await scene.ask('POST', '/mcp', { form })).status).toBe(401)
    const headers = { 'x-api-key': json.access_token }
    expect((await scene.tools(undefined, '/mcp', { headers })).status).toBe(401)
    const cookie = { cookie: `access_token=${json.access_token}` }
    expect((await scene.tools(undefined, '/mcp', { headers: cookie })).status).toBe(401)
  })
})

describe('PKCE cannot be left out', () => {
  test.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['an empty challenge', { code_challenge: '' }],
    ['plain', { code_challenge_method: 'plain' }],
    ['PLAIN', { code_challenge_method: 'PLAIN' }],
    ['no method', { code_challenge_method: undefined }],
    ['an empty method', { code_challenge_method: '' }],
    ['s256', { code_challenge_method: 's256' }],
    ['none', { code_challenge_method: 'none' }],
    ['a challenge that is too short', { code_challenge: 'A'.repeat(42) }],
    ['a challenge that is too long', { code_challenge: 'A'.repeat(44) }],
    ['a challenge with padding', { code_challenge: `${'A'.repeat(42)}=` }],
    ['a challenge in hexadecimal', { code_challenge: 'a'.repeat(64) }],
    ['a challenge with other characters', { code_challenge: `${'A'.repeat(42)}+` }],
  ])('by an app that sends %s', async (_, more) => {
    for (const type of ['none', 'client_secret_post']) {
      const asking = await register(scene, { token_endpoint_auth_method: type })
      const answer = await browser.ask('GET', question(asking, more).path)
      expect(broughtBack(answer).get('error')).toBe('invalid_request')
      expect(broughtBack(answer).get('code')).toBe(null)
    }
  })

  test('by an app that exchanges its code', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const challenge = createHash('sha256').update(asked.verifier).digest('base64url')
    for (const code_verifier of [
      undefined,
      '',
      challenge,
      asked.verifier.slice(0, 42),
      `${asked.verifier}A`,
      ` ${asked.verifier}`,
      asked.verifier.toUpperCase(),
      'A'.repeat(129),
      `${'A'.repeat(60_000)}`,
      'ü'.repeat(43),
    ]) {
      const answer = await exchange(scene, app, asked, code, { code_verifier })
      expect([code_verifier, answer.status]).toEqual([code_verifier, 400])
      expect(answer.text).not.toContain('access_token')
    }
    expect((await exchange(scene, app, asked, code)).status).toBe(200)
  })

  test('with an invalid verifier that matches its challenge', async () => {
    for (const verifier of ['a', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)} `]) {
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const asked = { ...question(app, { code_challenge: challenge }), verifier }
      const answer = await exchange(scene, app, asked, await codeFor(browser, asked))
      expect([verifier, answer.status]).toEqual([verifier, 400])
    }
  })
})

describe('an app', () => {
  test('with a secret must send it in the registered way', async () => {
    const secret = await register(scene, { token_endpoint_auth_method: 'client_secret_post' })
    const asked = question(secret)
    const code = await codeFor(browser, asked)
    const { client_id, client_secret = '' } = secret
    const basic = (text: string) => ({ headers: { authorization: `Basic ${btoa(text)}` } })
    for (const [more, how] of [
      [{}, {}],
      [{ client_secret: '' }, {}],
      [{ client_secret: 'x' }, {}],
      [{ client_secret: `${client_secret}x` }, {}],
      [{ client_secret: undefined, client_id: undefined }, basic(`${client_id}:${client_secret}x`)],
      [{ client_secret }, basic(`${client_id}:${client_secret}`)],
      [{ client_assertion: 'x', client_assertion_type: 'y' }, {}],
    ] as const) {
      const answer = await exchange(scene, secret, asked, code, more, how)
      expect([more, [400, 401].includes(answer.status)]).toEqual([more, true])
      expect(answer.text).not.toContain('access_token')
      expect(answer.text).not.toContain(client_secret)
    }
    expect((await exchange(scene, secret, asked, code, { client_secret })).status).toBe(200)
  })

  test('that is unknown gets nothing, and cannot learn which apps exist', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    for (const client_id of ['nobody', '', 'client:x', app.client_id.slice(0, -1), '*', '%']) {
      const answer = await exchange(scene, app, asked, code, { client_id })
      expect(answer.status).toBe(401)
      expect(answer.json.error).toBe('invalid_client')
    }
  })

  test('that sends a parameter twice is refused', async () => {
    const asked = question(app)
    const code = await codeFor(browser, asked)
    const parameters = {
      ...{ grant_type: 'authorization_code', code, client_id: app.client_id },
      ...{ code_verifier: asked.verifier, redirect_uri: asked.redirectUri },
    }
    for (const [name, value] of Object.entries(parameters)) {
      const form = new URLSearchParams(parameters)
      form.append(name, value)
      const answer = await scene.ask('POST', '/token', { form })
      expect([name, answer.status]).toEqual([name, 400])
    }
    expect((await exchange(scene, app, asked, code)).status).toBe(200)
  })

  test('gets no token with any other grant type', async () => {
    for (const grant_type of [
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'urn:ietf:params:oauth:grant-type:token-exchange',
      'AUTHORIZATION_CODE',
      '',
    ]) {
      const form = {
        ...{ grant_type, client_id: app.client_id, username: 'x', password: 'x', assertion: 'x' },
        ...{ subject_token: 'x', subject_token_type: 'x', scope: 'db:read' },
      }
      const answer = await scene.ask('POST', '/token', { form })
      expect([grant_type, answer.status >= 400]).toEqual([grant_type, true])
      expect(answer.text).not.toContain('access_token')
    }
  })

  test('gets the issuer’s name, so that it cannot mix up two issuers', async () => {
    for (const ticks of [{}, { decision: 'deny' }]) {
      const brought = broughtBack(await decide(browser, question(app), ticks))
      expect(brought.getAll('iss')).toEqual([scene.origin])
      expect(brought.getAll('state')).toEqual(['the state of the app'])
    }
    const metadata = await scene.ask('GET', '/.well-known/oauth-authorization-server')
    expect(metadata.json.issuer).toBe(scene.origin)
    expect(metadata.json.authorization_response_iss_parameter_supported).toBe(true)
    expect(metadata.json.code_challenge_methods_supported).toEqual(['S256'])
    expect(metadata.json.response_types_supported).toEqual(['code'])
  })

  test('gets its response in the query, never in a fragment or a form', async () => {
    for (const more of [
      { response_type: 'token' },
      { response_type: 'id_token' },
      { response_type: 'code token' },
      { response_type: 'code id_token' },
      { response_type: undefined },
      { response_mode: 'fragment' },
      { response_mode: 'form_post' },
      { response_mode: 'web_message' },
      { request: 'eyJhbGciOiJub25lIn0.e30.' },
      { request_uri: 'https://evil.example/request' },
    ]) {
      const answer = await decide(browser, question(app, more))
      expect(answer.headers.get('location') ?? '').not.toContain('#')
      expect(answer.text).not.toContain('<script')
      expect(answer.text).not.toMatch(/name="code"/)
    }
  })
})

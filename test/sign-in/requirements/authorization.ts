import { beforeAll, expect, test } from 'vitest'
import { type App, CALLBACK, decide, person, question, register, sentBack } from './app.ts'
import { BY_HTTPS, type Host, PASSPHRASE } from './host.ts'
import { Visitor } from './visitor.ts'

/** The requirements of RFC 7636, RFC 8707, RFC 9207 and RFC 9700 for the authorization endpoint. */
export function authorization(given: () => Host): void {
  let host: Host
  let visitor: Visitor
  let app: App
  let remote: App
  beforeAll(async () => {
    host = given()
    visitor = await person(host)
    app = await register(host)
    remote = await register(host, { redirect_uris: ['https://app.example/callback'] })
  })

  /** Expects a page that redirects the browser nowhere. */
  const expectPage = async (url: string, who = visitor) => {
    const { status, headers } = await who.open(url)
    expect(headers.get('location')).toBe(null)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  }

  test.each([
    'https://app.example/callback/',
    'https://app.example/callback?more=1',
    'https://app.example/Callback',
    'https://APP.example/callback',
    'https://app.example:443/callback',
    'https://app.example:8443/callback',
    'https://app.example/x/../callback',
    'https://app.example/%63allback',
    'https://app.example/callback#',
    'https://user@app.example/callback',
    'https://app.example.evil.example/callback',
    'https://evil.example/callback',
    'http://app.example/callback',
    'javascript:alert(1)',
    '',
  ])('a redirect URI that does not match exactly gets a page: %s', async (uri) => {
    await expectPage(question(host, remote, { redirect_uri: uri }).url)
  })

  test.each([
    'http://127.0.0.1:4711/callback/',
    'http://127.0.0.1:4711/callback?more=1',
    'http://127.0.0.1:4711/x/../callback',
    'http://127.0.0.1:4711/%63allback',
    'http://localhost:4711/callback',
    'https://127.0.0.1:4711/callback',
    'http://user@127.0.0.1:4711/callback',
    'http://127.1:4711/callback',
    ' http://127.0.0.1:4711/callback',
    'HTTP://127.0.0.1:4711/callback',
    'http:\\\\127.0.0.1:4711\\callback',
  ])('on this machine, only the port of a redirect URI can differ: %s', async (uri) => {
    await expectPage(question(host, app, { redirect_uri: uri }).url)
  })

  test('on this machine, the port of a redirect URI can differ', async () => {
    const asked = question(host, app, { redirect_uri: 'http://127.0.0.1:50001/callback' })
    const { headers } = await decide(visitor, asked)
    expect(headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:50001\/callback\?code=/)
  })

  test('an unknown app gets a page', async () => {
    for (const id of ['nobody', '', undefined]) {
      await expectPage(question(host, app, { client_id: id }).url)
    }
  })

  test('no browser is redirected to an app before a sign-in, whatever the request', async () => {
    const wrong = [
      {},
      { scope: '"' },
      { code_challenge: undefined },
      { resource: 'x' },
      { prompt: 'none' },
    ]
    for (const more of wrong) {
      const stranger = new Visitor(host.url)
      const { headers } = await stranger.open(question(host, remote, more).url)
      const location = headers.get('location')
      expect(location === null || new URL(location, host.url).origin === host.url).toBe(true)
    }
  })

  test('no browser is redirected to a URL in a parameter', async () => {
    const evil = 'https://evil.example/'
    const names = [
      'next',
      'url',
      'to',
      'return',
      'return_to',
      'continue',
      'redirect',
      'redirect_uri',
    ]
    const query = new URLSearchParams(names.map((name) => [name, evil]))
    const { pathname } = new URL(host.server.authorization_endpoint)
    for (const path of [pathname, '/signin', '/signin/callback', '/', '/mcp/shop']) {
      for (const who of [visitor, new Visitor(host.url)]) {
        const { headers } = await who.open(`${host.url}${path}?${query}`)
        expect(headers.get('location') ?? '').not.toContain('evil')
        expect(headers.get('refresh')).toBe(null)
      }
    }
  })

  test.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['no method, which means plain', { code_challenge_method: undefined }],
    ['an unknown method', { code_challenge_method: 'S512' }],
  ])('an app without an S256 challenge gets invalid_request: %s', async (_, more) => {
    const answer = await visitor.open(question(host, app, more).url)
    expect(sentBack(answer).get('error')).toBe('invalid_request')
    expect(sentBack(answer).has('code')).toBe(false)
  })

  test('an app with a secret needs a challenge, too', async () => {
    const confidential = await register(host, { token_endpoint_auth_method: 'client_secret_post' })
    const without = { code_challenge: undefined, code_challenge_method: undefined }
    const answer = await visitor.open(question(host, confidential, without).url)
    expect(sentBack(answer).get('error')).toBe('invalid_request')
  })

  test.each(['token', 'id_token', 'code token', 'none'])(
    'only the response type code is supported: %s',
    async (type) => {
      const answer = await visitor.open(question(host, app, { response_type: type }).url)
      expect(sentBack(answer).get('error')).toBe('unsupported_response_type')
      expect(answer.headers.get('location')).not.toContain('#')
    },
  )

  test.each([
    ['relative', '/mcp/shop'],
    ['with a fragment', '/mcp/shop#part'],
    ['on another host', 'https://other.example/mcp/shop'],
    ['that only looks like an endpoint', '/mcp/ｓhop'],
    ['written in another way', '/mcp/%73hop'],
  ])(
    'a resource that is not exactly an endpoint gets invalid_target: %s',
    async (which, resource) => {
      const isPath = resource.startsWith('/') && which !== 'relative'
      const full = isPath ? `${host.url}${resource}` : resource
      const answer = await visitor.open(question(host, app, { resource: full }).url)
      expect(sentBack(answer).get('error')).toBe('invalid_target')
    },
  )

  test('a code, a refusal and an error come with the issuer and the state', async () => {
    const answers = [
      await decide(visitor, question(host, app)),
      await decide(visitor, question(host, app), { decision: 'deny' }),
      await visitor.open(question(host, app, { code_challenge_method: 'plain' }).url),
    ]
    const [granted, denied, wrong] = answers.map(sentBack)
    expect(granted!.get('code')).toMatch(/./)
    expect(denied!.get('error')).toBe('access_denied')
    expect(wrong!.get('error')).toBe('invalid_request')
    for (const parameters of [granted!, denied!, wrong!]) {
      expect(parameters.getAll('iss')).toEqual([host.server.issuer])
      expect(parameters.getAll('state')).toEqual(['the state of the app'])
    }
  })

  test('an error uses only allowed characters', async () => {
    for (const more of [{ response_type: '"\\\n<é>' }, { code_challenge_method: '"\\\n<é>' }]) {
      const parameters = sentBack(await visitor.open(question(host, app, more).url))
      expect(parameters.get('error')).toMatch(/^[a-z_]+$/)
      expect(parameters.get('error_description') ?? '').toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/)
    }
  })

  test('a form is answered with 303, so no browser forwards the passphrase', async () => {
    const stranger = new Visitor(host.url)
    const asked = question(host, app)
    const signedIn = await stranger.send(asked.url, { passphrase: 'not the passphrase' })
    expect(signedIn.headers.get('location')).toBe(null)
    for (const decision of ['allow', 'deny']) {
      const answer = await decide(visitor, question(host, app), { decision })
      expect(answer.status).toBe(303)
    }
  })

  test('no sign-in page can be framed, runs a script or is cached', async () => {
    const pages = [
      await new Visitor(host.url).open(question(host, app).url),
      await visitor.open(question(host, app).url),
      await visitor.open(question(host, app, { client_id: 'nobody' }).url),
      await visitor.send(question(host, app).url, { passphrase: 'not the passphrase' }),
    ]
    for (const { headers } of pages) {
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('script-src')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cache-control')).toContain('no-store')
      expect(headers.get('referrer-policy')).toMatch(/^(?:no-referrer|same-origin)$/)
    }
  })

  test('no script from another site can read the authorization endpoint', async () => {
    const { url } = question(host, app)
    const headers = { origin: 'https://evil.example' }
    const asking = { ...headers, 'access-control-request-method': 'POST' }
    const answers = [
      await fetch(url, { headers, redirect: 'manual' }),
      await fetch(url, { method: 'OPTIONS', headers: asking }),
      await fetch(url, {
        method: 'POST',
        headers,
        redirect: 'manual',
        body: new URLSearchParams(),
      }),
    ]
    for (const answer of answers) {
      await answer.body?.cancel()
      expect(answer.headers.get('access-control-allow-origin')).toBe(null)
    }
  })

  test('every request asks for consent, and shows the rights and the callback host', async () => {
    for (const asking of [app, app, remote]) {
      const { status, text, headers } = await visitor.open(question(host, asking).url)
      expect(status).toBe(200)
      expect(headers.get('location')).toBe(null)
      expect(text).toContain(new URL(asking.redirect_uris[0]!).hostname)
      expect(text).toMatch(/name="endpoint" value="shop"/)
      expect(text).toMatch(/name="scope" value="db:read"/)
    }
  })

  test('a decision counts once, for its own request, in the browser that opened it', async () => {
    const asked = question(host, app)
    const { text } = await visitor.open(asked.url)
    const handle = /name="handle" value="([^"]*)"/.exec(text)![1]!
    const form = { handle, endpoint: 'shop', scope: 'db:read', decision: 'allow' }
    const other = await person(host)
    const isRefused = async (who: Visitor, more: object = {}) => {
      const { status, headers } = await who.send(asked.url, { ...form, ...more })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers.get('location')).toBe(null)
    }
    await isRefused(other)
    await isRefused(visitor, { handle: 'made up' })
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const forged = await visitor.send(asked.url, { ...form, handle: '' }, foreign)
    expect(forged.headers.get('location')).toBe(null)
    expect((await visitor.send(asked.url, form)).headers.get('location')).toContain('code=')
    await isRefused(visitor)
  })

  test('sign-in cookies are sent only to this host, and no script can read them', async () => {
    const https = (url: string) => url.replace(/^http:/, 'https:')
    const stranger = new Visitor(https(host.url))
    const { url } = question(host, app, { resource: https(host.endpoint('shop')) })
    const answers = [
      await stranger.open(url, BY_HTTPS),
      await stranger.send(url, { passphrase: PASSPHRASE }, BY_HTTPS),
      await stranger.open(url, BY_HTTPS),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 303, 200])
    const set = answers.flatMap(({ headers }) => headers.getSetCookie())
    expect(set).not.toEqual([])
    for (const cookie of set) {
      expect(cookie).toMatch(/^__Host-/)
      expect(cookie).toMatch(/; *Secure/i)
      expect(cookie).toMatch(/; *HttpOnly/i)
      expect(cookie).toMatch(/; *SameSite=(?:Lax|Strict)/i)
    }
  })

  test('a code reveals nothing about its challenge', async () => {
    const asked = question(host, app)
    const location = (await decide(visitor, asked)).headers.get('location')!
    const challenge = new URL(asked.url).searchParams.get('code_challenge')!
    expect(decodeURIComponent(location)).not.toContain(challenge)
    expect(decodeURIComponent(location)).not.toContain(asked.verifier)
    expect(location.startsWith(CALLBACK)).toBe(true)
  })
}

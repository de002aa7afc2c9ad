import { beforeAll, expect, test } from 'vitest'
import { askToRegister, CALLBACK, person, question, register } from './app.ts'
import type { Host } from './host.ts'
import type { Visitor } from './visitor.ts'

/** The requirements of RFC 7591 for the registration endpoint. */
export function registration(given: () => Host): void {
  let host: Host
  let visitor: Visitor
  beforeAll(async () => {
    host = given()
    visitor = await person(host)
  })

  const asked = { client_name: 'An app of the tests', redirect_uris: [CALLBACK] }

  test('an app that registers gets an ID, a secret with an expiry, and its metadata', async () => {
    const answer = await askToRegister(host, asked)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect(answer.json()).toMatchObject({
      ...asked,
      client_id: expect.stringMatching(/./),
      client_secret: expect.stringMatching(/^.{32}/),
      client_secret_expires_at: expect.any(Number),
      grant_types: expect.arrayContaining(['authorization_code']),
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    })
  })

  test('no two apps have the same ID or the same secret', async () => {
    const [one, other] = [
      (await askToRegister(host, asked)).json(),
      (await askToRegister(host, asked)).json(),
    ]
    expect(one.client_id).not.toBe(other.client_id)
    expect(one.client_secret).not.toBe(other.client_secret)
  })

  test('a public app gets no secret', async () => {
    const app = await register(host, { application_type: 'native' })
    expect(app).not.toHaveProperty('client_secret')
    expect(app).not.toHaveProperty('client_secret_expires_at')
  })

  test('unknown fields in a registration are ignored, and not sent back', async () => {
    const unknown = { example_extension: 'x', software_statement: 'e30.e30.' }
    const answer = await askToRegister(host, { ...asked, ...unknown })
    expect(answer.status).toBe(201)
    expect(answer.json()).not.toHaveProperty('example_extension')
    expect(answer.json()).not.toHaveProperty('software_statement')
    expect(answer.json()).not.toHaveProperty('jwks')
  })

  test('a registration without a redirect URI is refused', async () => {
    for (const uris of [undefined, []]) {
      const answer = await askToRegister(host, { ...asked, redirect_uris: uris })
      expect(answer.status).toBe(400)
      expect(answer.json().error).toMatch(/^invalid_(?:redirect_uri|client_metadata)$/)
    }
  })

  test.each([
    'http://app.example/callback',
    'http://127.0.0.1.app.example/callback',
    'https://app.example/callback#fragment',
    'https://user@app.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    '/callback',
  ])('an unsafe redirect URI is refused, even next to a safe URI: %s', async (uri) => {
    const answer = await askToRegister(host, { ...asked, redirect_uris: [CALLBACK, uri] })
    expect(answer.status).toBe(400)
    expect(answer.json().error).toMatch(/^invalid_(?:redirect_uri|client_metadata)$/)
  })

  test.each([
    { grant_types: ['password'] },
    { grant_types: ['implicit'], response_types: ['token'] },
    { grant_types: ['authorization_code'], response_types: ['token'] },
    { grant_types: ['client_credentials'], response_types: [] },
    { token_endpoint_auth_method: 'client_secret_jwt' },
  ])('an unusable grant, response type or secret is not registered: %j', async (more) => {
    const answer = await askToRegister(host, { ...asked, ...more })
    expect(answer.status).toBe(400)
    expect(answer.json().error).toBe('invalid_client_metadata')
  })

  test('a malformed registration gets an error code, as JSON', async () => {
    for (const body of ['', '[]', '{', 'redirect_uris=x', JSON.stringify({ redirect_uris: 'x' })]) {
      const answer = await askToRegister(host, body)
      expect(answer.status).toBe(400)
      expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
      expect(answer.json().error).toMatch(/^[a-z_]+$/)
    }
  })

  test('the consent page shows an app’s name, that it is unverified, and its host', async () => {
    const name = 'Klíent <b>アプリ</b> "ok" & Claude'
    const callback = 'https://callback.app.example/done'
    const app = await register(host, { client_name: `\u202e${name}`, redirect_uris: [callback] })
    const { status, text } = await visitor.open(question(host, app).url)
    expect(status).toBe(200)
    expect(text).not.toContain('<b>アプリ')
    expect(shownBy(text)).toContain(name)
    // This character would reverse the line.
    expect(text).not.toContain('\u202e')
    expect(text).toContain('callback.app.example')
    expect(text).toMatch(/not verified/)
  })
}

/** A page's visible text, without its markup. */
const shownBy = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')

import { beforeAll, expect, test } from 'vitest'
import { type App, askForTokens, CALLBACK, codeFor, person, register, tokensFor } from './app.ts'
import { askEndpoint, bearer, type Host } from './host.ts'
import type { Visitor } from './visitor.ts'

/** The requirements of RFC 7636, RFC 8707, RFC 9700 and RFC 6750 for the token endpoint and for tokens. */
export function tokens(given: () => Host): void {
  let host: Host
  let visitor: Visitor
  let app: App
  let confidential: App
  beforeAll(async () => {
    host = given()
    visitor = await person(host)
    app = await register(host)
    confidential = await register(host, { token_endpoint_auth_method: 'client_secret_post' })
  })

  /** The token endpoint's error code for this form. */
  const errorOf = async (form: Record<string, string | undefined>) => {
    const answer = await askForTokens(host, form)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
    return answer.json().error as string
  }

  const refreshing = (token: string, from = app) => ({
    grant_type: 'refresh_token',
    client_id: from.client_id,
    client_secret: from.client_secret,
    resource: host.endpoint('shop'),
    refresh_token: token,
  })

  test('a code with its verifier yields tokens that expire and are not cached', async () => {
    const { form } = await codeFor(host, visitor, app)
    const answer = await askForTokens(host, form)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toContain('no-store')
    const { token_type, expires_in, scope } = answer.json()
    expect(token_type).toBe('Bearer')
    expect(expires_in).toBeGreaterThan(0)
    expect(expires_in).toBeLessThanOrEqual(86_400)
    expect(scope.split(' ')).toContain('db:read')
  })

  test.each([
    ['another verifier', 'a'.repeat(43), 'invalid_grant'],
    ['the challenge in place of the verifier', 'challenge', 'invalid_grant'],
    ['no verifier', undefined, 'invalid_request'],
  ])('a code without its verifier yields nothing: %s', async (_, verifier, error) => {
    const { form } = await codeFor(host, visitor, app)
    const { createHash } = await import('node:crypto')
    const challenge = createHash('sha256').update(form.code_verifier!).digest('base64url')
    const shown = verifier === 'challenge' ? challenge : verifier
    expect(await errorOf({ ...form, code_verifier: shown })).toBe(error)
  })

  test('a code works once, and reusing it revokes its tokens', async () => {
    const { form } = await codeFor(host, visitor, app)
    const { access_token: token, refresh_token: refresh } = (await askForTokens(host, form)).json()
    expect(await errorOf(form)).toBe('invalid_grant')
    expect(await errorOf(refreshing(refresh))).toBe('invalid_grant')
    expect((await askEndpoint(host.endpoint('shop'), bearer(token))).status).toBe(401)
  })

  test('a code is bound to the app and the redirect URI of its request', async () => {
    const { form } = await codeFor(host, visitor, app)
    const other = await register(host)
    expect(await errorOf({ ...form, client_id: other.client_id })).toBe('invalid_grant')
    expect(await errorOf({ ...form, redirect_uri: 'http://127.0.0.1:9/callback' })).toBe(
      'invalid_grant',
    )
    expect((await askForTokens(host, form)).status).toBe(200)
  })

  test('a code for one endpoint yields no token for another', async () => {
    const { form } = await codeFor(host, visitor, app)
    for (const resource of [host.endpoint('depot'), `${host.url}/mcp`, 'shop']) {
      expect(await errorOf({ ...form, resource })).toMatch(/^invalid_(?:target|grant)$/)
    }
    expect(await errorOf({ ...form, resource: `${host.endpoint('shop')}#x` })).toBe(
      'invalid_target',
    )
  })

  test('codes and tokens are unique, with at least 128 random bits', async () => {
    const seen = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const { code, form } = await codeFor(host, visitor, app)
      const { access_token: token, refresh_token: refresh } = (
        await askForTokens(host, form)
      ).json()
      for (const secret of [code, token, refresh]) {
        const random = secret.split(':').at(-1)!
        // Each letter has six bits.
        expect(random).toMatch(/^[\w-]{22,}$/)
        seen.add(random)
      }
    }
    expect(seen.size).toBe(9)
  })

  test('a refresh token yields a new refresh token, and works only for its own app', async () => {
    const first = await tokensFor(host, visitor, app)
    const other = await register(host)
    expect(await errorOf(refreshing(first.refresh_token, other))).toBe('invalid_grant')
    const answer = await askForTokens(host, refreshing(first.refresh_token))
    expect(answer.status).toBe(200)
    expect(answer.json().refresh_token).not.toBe(first.refresh_token)
    expect(answer.json().access_token).not.toBe(first.access_token)
  })

  test('an altered refresh token yields nothing', async () => {
    const { refresh_token: token } = await tokensFor(host, visitor, app)
    const parts = token.split(':')
    for (const [i, part] of parts.entries()) {
      const altered = parts.with(i, `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`).join(':')
      expect(await errorOf(refreshing(altered))).toBe('invalid_grant')
    }
    expect((await askForTokens(host, refreshing(token))).status).toBe(200)
  })

  test('a refresh token yields no scope and no endpoint beyond the consent', async () => {
    const { refresh_token: token } = await tokensFor(host, visitor, app, { scopes: [] })
    expect(await errorOf({ ...refreshing(token), scope: 'db:read' })).toBe('invalid_scope')
    // An app can request another endpoint. It gets a token for the granted endpoint.
    const elsewhere = { ...refreshing(token), resource: host.endpoint('depot') }
    const { access_token: again, scope, resource } = (await askForTokens(host, elsewhere)).json()
    expect(resource).toBe(host.endpoint('shop'))
    expect(scope).toBe('')
    expect((await askEndpoint(host.endpoint('shop'), bearer(again))).status).toBe(403)
    expect((await askEndpoint(host.endpoint('depot'), bearer(again))).status).toBe(401)
  })

  test('a refreshed token is for the same endpoint as before', async () => {
    const { refresh_token: token } = await tokensFor(host, visitor, app)
    const { access_token: again } = (await askForTokens(host, refreshing(token))).json()
    expect((await askEndpoint(host.endpoint('shop'), bearer(again))).status).toBe(200)
    expect((await askEndpoint(host.endpoint('depot'), bearer(again))).status).toBe(401)
  })

  test.each(['password', 'client_credentials', 'implicit', 'urn:example:made-up'])(
    'only a code or a refresh token yields tokens: %s',
    async (grant) => {
      const form = { grant_type: grant, username: 'ada', password: 'secret', scope: 'db:read' }
      const { client_id, client_secret } = confidential
      expect(await errorOf({ ...form, client_id, client_secret })).toBe('unsupported_grant_type')
    },
  )

  test('an app with a secret has to send it', async () => {
    const { form } = await codeFor(host, visitor, confidential)
    for (const secret of [undefined, 'wrong']) {
      expect(await errorOf({ ...form, client_secret: secret })).toBe('invalid_client')
    }
    const basic = Buffer.from(`${confidential.client_id}:wrong`).toString('base64')
    const { client_id: _, client_secret: __, ...rest } = form
    const answer = await askForTokens(host, rest, { authorization: `Basic ${basic}` })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
    expect((await askForTokens(host, form)).status).toBe(200)
  })

  test('a token endpoint error uses only allowed characters', async () => {
    const body = '%22%5C%C3%A9=1&%22%5C%C3%A9=2&grant_type=%22%5C%C3%A9&client_id='
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = { method: 'POST', headers, body: `${body}${app.client_id}` }
    const answer = await fetch(host.server.token_endpoint, sent)
    expect(answer.status).toBe(400)
    const { error, error_description: told } = (await answer.json()) as Record<string, string>
    expect(error).toMatch(/^[a-z_]+$/)
    expect(told ?? '').toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/)
  })

  test('an app cannot choose its ID, so no app is mistaken for a person', async () => {
    const app = await register(host, { client_id: 'ada@example.com', sub: 'ada@example.com' })
    expect(app.client_id).not.toBe('ada@example.com')
    expect(app.redirect_uris).toEqual([CALLBACK])
  })
}

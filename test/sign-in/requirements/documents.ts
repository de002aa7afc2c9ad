import { beforeAll, expect, test } from 'vitest'
import {
  type App,
  askForTokens,
  CALLBACK,
  decide,
  person,
  question,
  redeeming,
  sentBack,
  tokensFor,
} from './app.ts'
import type { Host } from './host.ts'
import { document } from './internet.ts'
import type { Visitor } from './visitor.ts'

/** The requirements of MCP and the Client ID Metadata Documents draft for an authorization server. */
export function documents(given: () => Host): void {
  let host: Host
  let visitor: Visitor
  beforeAll(async () => {
    host = given()
    visitor = await person(host)
  })

  let count = 0
  /** Publishes a document at its app's URL, valid except for `more`. */
  const publish = (more: object = {}, status = 200, headers: Record<string, string> = {}): App => {
    const path = `app.example/document-${++count}.json`
    const client_id = `https://${path}`
    const whole = { client_id, client_name: 'A published app', redirect_uris: [CALLBACK], ...more }
    host.internet.sites.set(path, document(whole, status, headers))
    return { client_id, redirect_uris: [CALLBACK] }
  }

  /** Expects a page that redirects the browser nowhere. */
  const expectPage = async (app: App, more: Record<string, string> = {}) => {
    const { status, headers } = await visitor.open(question(host, app, more).url)
    expect(headers.get('location')).toBe(null)
    expect(status).toBe(400)
  }

  test('an app is identified by its document, and the page says who vouches for it', async () => {
    expect(host.server.client_id_metadata_document_supported).toBe(true)
    const app = publish()
    const { text } = await visitor.open(question(host, app).url)
    expect(text).toContain('A published app')
    expect(text).toContain('app.example')
    expect(text).not.toContain('not verified')
    expect((await tokensFor(host, visitor, app)).access_token).toMatch(/./)
  })

  test.each([
    'http://app.example/document.json',
    'https://app.example',
    'https://app.example/x/../document.json',
    'https://app.example/./document.json',
    'https://app.example/%2e%2e/document.json',
    'https://app.example/document.json#part',
    'https://user:secret@app.example/document.json',
    'https://app.example\\document.json',
    ' https://app.example/document.json',
  ])('a URL that no document may have is not requested: %s', async (id) => {
    const { length } = host.internet.asked
    await expectPage({ client_id: id, redirect_uris: [CALLBACK] })
    expect(host.internet.asked).toHaveLength(length)
  })

  test.each([
    { client_id: 'https://app.example/another.json' },
    { client_id: undefined },
    { client_name: undefined },
    { redirect_uris: undefined },
    { redirect_uris: [] },
    { redirect_uris: 'x' },
  ])('an incomplete document or a document for another URL gets a page: %j', async (more) => {
    await expectPage(publish(more))
  })

  test('a document that is not a JSON object gets a page', async () => {
    for (const body of ['', '[]', 'null', '{', '<html>']) {
      const path = `app.example/broken-${++count}.json`
      host.internet.sites.set(path, document(body))
      await expectPage({ client_id: `https://${path}`, redirect_uris: [CALLBACK] })
    }
  })

  test.each([404, 403, 500, 201, 203])(
    'a document with a status other than 200 is refused: %d',
    async (status) => {
      await expectPage(publish({}, status))
    },
  )

  test('a redirect to a document is not followed', async () => {
    const good = publish()
    const { host: name, pathname } = new URL(good.client_id)
    const app = publish({ client_id: good.client_id }, 302, { location: good.client_id })
    await expectPage(app)
    expect(host.internet.asked).not.toContain(`${name}${pathname}`)
  })

  test('a redirect URI has to be in the document', async () => {
    const app = publish({ redirect_uris: ['https://app.example/callback', CALLBACK] })
    for (const uri of ['https://app.example/other', 'http://127.0.0.1:4711/other', '']) {
      await expectPage(app, { redirect_uri: uri })
    }
    expect((await decide(visitor, question(host, app))).headers.get('location')).toContain('code=')
  })

  test.each([
    { token_endpoint_auth_method: 'client_secret_post' },
    { token_endpoint_auth_method: 'client_secret_basic' },
    { token_endpoint_auth_method: 'client_secret_jwt' },
    { client_secret: 'secret' },
    { client_secret_expires_at: 0 },
  ])('a document that shares a secret gets a page: %j', async (more) => {
    await expectPage(publish(more))
  })

  test('an app that declares signed requests has to sign them', async () => {
    const { generateKeyPairSync } = await import('node:crypto')
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }
    const app = publish({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } })
    const asked = question(host, app)
    const code = sentBack(await decide(visitor, asked)).get('code')
    const form = redeeming(app, asked, code, host.endpoint('shop'))
    const answer = await askForTokens(host, form)
    expect(answer.status).toBe(401)
    expect(answer.json().error).toBe('invalid_client')
  })

  test('errors and invalid documents are not cached', async () => {
    const kept = { 'cache-control': 'max-age=3600' }
    for (const wrong of [
      { body: {}, status: 500 },
      { body: { client_id: 'x' }, status: 200 },
    ]) {
      const app = publish({}, 200, kept)
      const path = app.client_id.slice('https://'.length)
      const right = host.internet.sites.get(path)!
      host.internet.sites.set(path, document(wrong.body, wrong.status, kept))
      await expectPage(app)
      host.internet.sites.set(path, right)
      expect((await visitor.open(question(host, app).url)).status).toBe(200)
    }
  })
}

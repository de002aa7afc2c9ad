import { beforeAll, expect, test } from 'vitest'
import { callTool } from '../../support/worker.ts'
import { type App, person, register, tokensFor } from './app.ts'
import { askEndpoint, bearer, type Host, makeEndpoint } from './host.ts'
import type { Visitor } from './visitor.ts'

/** The requirements of RFC 9728 and RFC 6750 for an endpoint. */
export function protectedResource(given: () => Host): void {
  let host: Host
  let visitor: Visitor
  let app: App
  beforeAll(async () => {
    host = given()
    visitor = await person(host)
    app = await register(host)
  })

  const metadataOf = (name: string) =>
    fetch(`${host.url}/.well-known/oauth-protected-resource/mcp/${name}`)

  test('an endpoint’s metadata is at its well-known URL, as JSON', async () => {
    const answer = await metadataOf('shop')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
    expect(await answer.json()).toBeTypeOf('object')
  })

  test('an endpoint’s metadata names exactly the endpoint that was requested', async () => {
    for (const name of ['shop', 'depot']) {
      const { resource } = (await (await metadataOf(name)).json()) as { resource: string }
      expect(resource).toBe(host.endpoint(name))
    }
  })

  test('a challenge leads to metadata that names the challenged URL', async () => {
    for (const name of ['shop', 'depot']) {
      const { challenge } = await refusedAt(host.endpoint(name))
      const metadata = await (await fetch(challenge.get('resource_metadata')!)).json()
      expect(metadata).toMatchObject({ resource: host.endpoint(name) })
    }
  })

  test('an endpoint’s metadata names the authorization server, and has no empty list', async () => {
    const metadata = (await (await metadataOf('shop')).json()) as Record<string, unknown>
    expect(metadata.authorization_servers).toEqual([host.server.issuer])
    expect(Object.values(metadata).filter((it) => Array.isArray(it) && it.length === 0)).toEqual([])
    expect(metadata.scopes_supported).not.toContain('offline_access')
  })

  test.each(['POST', 'GET', 'HEAD'])(
    'a request without a token gets 401 and a Bearer challenge: %s',
    async (method) => {
      const { status, challenge } = await refusedAt(host.endpoint('shop'), {}, method)
      expect(status).toBe(401)
      const metadata = `${host.url}/.well-known/oauth-protected-resource/mcp/shop`
      expect(challenge.get('resource_metadata')).toBe(metadata)
      expect(challenge.get('scope')).toBe('db:read')
      expect(challenge.has('error')).toBe(false)
    },
  )

  test('a challenge repeats no parameter, and uses only allowed characters', async () => {
    const header = { authorization: `Bearer ${'x'.repeat(43)}:${'y'.repeat(16)}:${'z'.repeat(32)}` }
    for (const headers of [{}, header, bearer('"\\'), bearer('tg_wrong')]) {
      const { challenge, parameters } = await refusedAt(host.endpoint('shop'), headers)
      expect(parameters.length).toBeGreaterThan(0)
      expect(challenge.size).toBe(parameters.length)
      expect(challenge.get('scope')).toMatch(
        /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
      )
      for (const name of ['error', 'error_description']) {
        expect(challenge.get(name) ?? '').toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/)
      }
      expect(challenge.has('error_uri')).toBe(false)
    }
  })

  test('a token in the Authorization header is accepted with Bearer in any case', async () => {
    const { access_token: token } = await tokensFor(host, visitor, app)
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const { status, json } = await askEndpoint(host.endpoint('shop'), {
        authorization: `${scheme} ${token}`,
      })
      expect(status).toBe(200)
      expect(json().result.tools).not.toEqual([])
    }
  })

  test('a token in the query or in the body is not read', async () => {
    const { access_token: token } = await tokensFor(host, visitor, app)
    const query = new URLSearchParams({ access_token: token })
    expect((await askEndpoint(`${host.endpoint('shop')}?${query}`)).status).toBe(401)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await fetch(host.endpoint('shop'), { method: 'POST', headers: form, body: query })
    expect(sent.status).toBe(401)
  })

  test('an altered, invented or revoked token gets 401 invalid_token', async () => {
    const { access_token: token } = await tokensFor(host, visitor, app)
    const parts = token.split(':')
    const altered = parts.map((part, i) =>
      parts.with(i, `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`).join(':'),
    )
    const revoked = (await tokensFor(host, visitor, app)).access_token
    const body = new URLSearchParams({ token: revoked, client_id: app.client_id })
    const endpoint = String(host.server.revocation_endpoint)
    expect((await fetch(endpoint, { method: 'POST', body })).status).toBe(200)
    for (const wrong of [...altered, revoked, `${token}A`, token.slice(0, -1)]) {
      const { status, challenge } = await refusedAt(host.endpoint('shop'), bearer(wrong))
      expect(status).toBe(401)
      expect(challenge.get('error')).toBe('invalid_token')
    }
    expect((await askEndpoint(host.endpoint('shop'), bearer(token))).status).toBe(200)
  })

  test('a refresh token, a code or a sign-in cookie opens no endpoint', async () => {
    const { refresh_token: refresh } = await tokensFor(host, visitor, app)
    const cookie = [...visitor.cookies].map((it) => it.join('=')).join('; ')
    expect(cookie).not.toBe('')
    const values = [...visitor.cookies.values()]
    const shown = [bearer(refresh), { cookie }, ...values.map((it) => bearer(it))]
    for (const headers of shown) {
      expect((await askEndpoint(host.endpoint('shop'), headers)).status).toBe(401)
    }
  })

  test('a token for one endpoint gets 401 and no content at every other endpoint', async () => {
    const { access_token: token } = await tokensFor(host, visitor, app)
    for (const url of [host.endpoint('depot'), `${host.url}/mcp`, host.endpoint('nothing')]) {
      const { status, text } = await refusedAt(url, bearer(token))
      expect(status).toBe(401)
      expect(text).not.toContain('tools')
    }
  })

  test('a token opens no endpoint that was not ticked', async () => {
    const all = `${host.url}/mcp`
    const { access_token: token } = await tokensFor(host, visitor, app, {}, all)
    expect((await askEndpoint(host.endpoint('shop'), bearer(token))).status).toBe(200)
    expect((await refusedAt(host.endpoint('depot'), bearer(token))).status).toBe(401)
  })

  test('a token without the right to read gets 403 and the scope that it needs', async () => {
    const { access_token: token } = await tokensFor(host, visitor, app, { scopes: [] })
    const { status, challenge } = await refusedAt(host.endpoint('shop'), bearer(token))
    expect(status).toBe(403)
    expect(challenge.get('error')).toBe('insufficient_scope')
    expect(challenge.get('scope')).toBe('db:read')
    expect(challenge.has('resource_metadata')).toBe(true)
  })

  test('a token reaches no database and no log', async () => {
    const heard: string[] = []
    host.internet.sites.set('database.example:4001', (question, answer) => {
      heard.push(JSON.stringify([question.url, question.headers]))
      question.on('data', (chunk) => heard.push(String(chunk)))
      question.on('end', () => answer.writeHead(500).end())
    })
    await makeEndpoint(host, 'relay', 'rqlites://reader:secret@database.example:4001')
    const resource = host.endpoint('relay')
    const given = await tokensFor(host, visitor, app, { endpoints: ['relay'] }, resource)
    await callTool(resource, 'query', { sql: 'select 1' }, bearer(given.access_token))
    expect(heard).not.toEqual([])
    const said = [...heard, host.log()].join('\n')
    for (const token of [given.access_token, given.refresh_token]) {
      expect(said).not.toContain(token.split(':').at(-1))
    }
  })

  test('an endpoint sets no cookie, and its responses are not cached', async () => {
    const { access_token: token } = await tokensFor(host, visitor, app)
    for (const headers of [{}, bearer(token)]) {
      const { headers: told } = await askEndpoint(host.endpoint('shop'), headers)
      expect(told.getSetCookie()).toEqual([])
      expect(told.get('cache-control') ?? 'no-store').toMatch(/no-store|private/)
    }
  })
}

/** An endpoint's refusal of a request: its status, and the parameters in its challenge. */
async function refusedAt(url: string, headers: Record<string, string> = {}, method = 'POST') {
  const more = { 'content-type': 'application/json', ...headers }
  const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : null
  const response = await fetch(url, { method, headers: more, body })
  const header = response.headers.get('www-authenticate') ?? ''
  expect(header).toMatch(/^Bearer \w+="/)
  const parameters = [...header.slice('Bearer '.length).matchAll(/(\w+)="([^"]*)"(?:, |$)/g)]
  const challenge = new Map(parameters.map(([, name, value]) => [name!, value!]))
  return { status: response.status, text: await response.text(), challenge, parameters }
}

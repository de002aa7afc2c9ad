import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeProvider, startIdentityProvider } from '../servers/identity-provider.ts'
import { post, type RunningWorker, startWorker } from '../support/worker.ts'

let provider: FakeProvider
let worker: RunningWorker

beforeAll(async () => {
  provider = await startIdentityProvider()
  worker = await startWorker({
    TIDEGATE_KEY: 'operator',
    TOKEN_ISSUER: provider.issuer,
    SIGN_IN_ALLOW: '*@example.com',
    ENDPOINTS: JSON.stringify(
      ['shop', 'crm'].map((name) => ({
        name,
        title: name,
        databases: { [name]: { url: 'demo:' } },
      })),
    ),
  })
})
afterAll(async () => {
  await worker.close()
  await provider.close()
})
beforeEach(() => Object.assign(provider.behaviour, { signing: 'its own key', trouble: {} }))

/** Lists an endpoint's tools with a token in which these claims replace the usual ones. */
async function list(claims: object = {}, name = 'shop') {
  const url = `${worker.url}/mcp/${name}`
  const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, scope: 'db:read' }
  const token = await provider.sign({ ...ada, aud: `${worker.url}/mcp/shop`, ...claims })
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  return post(url, body, { authorization: `Bearer ${token}` })
}

describe('a Worker that accepts tokens from another issuer', () => {
  test('serves the endpoint for which a token was issued', async () => {
    const { status, json } = await list()
    expect(status).toBe(200)
    expect(json().result.tools.length).toBeGreaterThan(0)
  })

  test('fetches the issuer’s keys only once', async () => {
    for (let i = 0; i < 3; i++) expect((await list({ jti: `${i}` })).status).toBe(200)
    expect(provider.count('GET /keys')).toBe(1)
  })

  test.each<[string, object, string]>([
    ['for another endpoint', {}, 'crm'],
    ['that has expired', { exp: 1 }, 'shop'],
    ['that is an ID token', { nonce: 'n' }, 'shop'],
    ['that names nobody', { email: undefined }, 'shop'],
  ])('refuses a token %s, and says where to get another', async (_, claims, name) => {
    const { status, headers } = await list(claims, name)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(headers.get('www-authenticate')).toContain('resource_metadata="')
  })

  test.each([
    'no key',
    'its public key as a secret',
    'the key of somebody else',
    'a key in the header',
    'a key that it does not publish',
  ] as const)('refuses a token that is signed with %s', async (signing) => {
    provider.behaviour.signing = signing
    expect((await list()).status).toBe(401)
  })

  test('reports the scope that a token lacks', async () => {
    const { status, headers } = await list({ scope: 'other' })
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"')
  })

  test('refuses a person who is not allowed in', async () => {
    expect((await list({ email: 'eve@other.example' })).status).toBe(403)
  })

  test('says that the issuer cannot be reached if it does not respond', async () => {
    const silent = await startWorker({
      TIDEGATE_KEY: 'operator',
      TOKEN_ISSUER: `${provider.issuer}/silent`,
      ENDPOINTS: JSON.stringify([
        { name: 'shop', title: 'Shop', databases: { shop: { url: 'demo:' } } },
      ]),
    })
    const token = await provider.sign({ iss: `${provider.issuer}/silent`, sub: 'ada' })
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const answer = await post(`${silent.url}/mcp`, body, { authorization: `Bearer ${token}` })
    await silent.close()
    expect(answer.status).toBe(503)
    expect(answer.text).toContain('The issuer of this access token cannot be reached')
    expect(answer.text).not.toContain('registry')
  })
})

import '../support/workers-module.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FindOffers } from '../../src/auth/offers.ts'
import { enterpriseManaged } from '../../src/auth/server/enterprise.ts'
import type { SignInEnv } from '../../src/auth/settings.ts'
import { userIdOf } from '../../src/auth/sign-in/person.ts'
import { type FakeProvider, startIdentityProvider } from '../servers/identity-provider.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const { OAuthAuthorizationServer } = await import('@cloudflare/workers-oauth-provider')

const GATE = 'https://gate.example'
const ISSUER = 'https://idp.example'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

let provider: FakeProvider
let jti = 0
let groupsCount = false

beforeEach(async () => {
  groupsCount = false
  provider = await startIdentityProvider()
  const fields = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']
  const addresses = fields.map((it) => [it, `${ISSUER}/keys`])
  provider.behaviour.metadata = { issuer: ISSUER, ...Object.fromEntries(addresses) }
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
    fetch(url.replace(ISSUER, provider.issuer), init),
  )
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(async () => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  await provider.close()
})

/** The part of Workers KV that the library needs. */
function store() {
  const all = new Map<string, string>()
  return {
    get: async (key: string, options?: { type?: string }) =>
      options?.type === 'json' ? JSON.parse(all.get(key) ?? 'null') : (all.get(key) ?? null),
    put: async (key: string, value: string) => void all.set(key, value),
    delete: async (key: string) => void all.delete(key),
    list: async () => ({ keys: [], list_complete: true }),
  }
}

const offers: FindOffers = async ({ groups }, isForeign, asked) => {
  const open = isForeign && !groups.includes('staff') ? [] : ['shop', 'crm']
  const named = [...open].sort((a, b) => Number(b === asked) - Number(a === asked))
  return { offers: named.map((name) => ({ name, title: name, tools: [] })), more: 0 }
}

/** An authorization server, and a client that is registered with it. */
async function start(env: SignInEnv) {
  const ema = enterpriseManaged(env, { offers, groupsCount: async () => groupsCount }, (...asked) =>
    fetch(...asked),
  )
  const kv = { OAUTH_KV: store() as unknown as KVNamespace }
  const server = new OAuthAuthorizationServer<typeof kv>({
    issuer: GATE,
    resources: [`${GATE}/mcp`, `${GATE}/mcp/shop`, `${GATE}/mcp/secret`],
    defaultResource: `${GATE}/mcp`,
    tokenEndpoint: '/token',
    clientRegistrationEndpoint: '/register',
    scopesSupported: ['db:read'],
    ...(ema && { enterpriseManagedAuthorization: ema }),
  })
  const post = async (path: string, body: object | URLSearchParams) => {
    const isForm = body instanceof URLSearchParams
    const headers = {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    }
    const text = isForm ? body.toString() : JSON.stringify(body)
    const request = new Request(`${GATE}${path}`, { method: 'POST', headers, body: text })
    const answer = await server.fetch(request, kv, {} as ExecutionContext)
    return (await answer.json()) as Record<string, string>
  }
  const client = await post('/register', {
    client_name: 'Assistant',
    redirect_uris: ['https://app.example/callback'],
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: [...(ema ? [GRANT] : []), 'authorization_code'],
  })
  return {
    /** Exchanges an assertion from the provider for a token. Returns what the token grants, or the error. */
    async exchange(claims: object, resource = `${GATE}/mcp/shop`, scope = 'db:read', header = {}) {
      const asserted = {
        ...{ iss: ISSUER, sub: 'ada', aud: GATE, client_id: client.client_id, resource },
        ...{ jti: `${++jti}`, scope: 'db:read db:write' },
        ...{ email: 'ada@example.com', email_verified: true },
        ...claims,
      }
      const assertion = await provider.sign(asserted, { typ: 'oauth-id-jag+jwt', ...header })
      const { client_id = '', client_secret = '' } = client
      const form = { grant_type: GRANT, client_id, client_secret, assertion, resource, scope }
      const answer = await post('/token', new URLSearchParams(form))
      if (!answer.access_token) return answer.error
      return server.validateToken(resource, answer.access_token, kv)
    },
  }
}

const ada = { id: `${ISSUER} ada`, name: 'ada@example.com', groups: [] }
const settings = { ENTERPRISE_ISSUER: ISSUER, SIGN_IN_ALLOW: '*@example.com' }

describe('enterprise-managed authorization', () => {
  test('issues a read-only token to the person whom the provider names', async () => {
    const { exchange } = await start(settings)
    expect(await exchange({}, undefined, 'db:read db:write')).toMatchObject({
      userId: await userIdOf(ada),
      audience: `${GATE}/mcp/shop`,
      scope: ['db:read'],
      props: { person: ada, endpoints: ['shop'], isForeign: true },
    })
  })

  test('grants no right that the client did not request or the provider did not give', async () => {
    const { exchange } = await start(settings)
    expect(await exchange({}, undefined, 'db:write')).toMatchObject({ scope: [] })
    expect(await exchange({ scope: 'db:write' })).toMatchObject({ scope: [] })
  })

  test('grants all of the person’s endpoints at /mcp', async () => {
    const { exchange } = await start(settings)
    const given = await exchange({}, `${GATE}/mcp`)
    expect(given).toMatchObject({ props: { endpoints: ['shop', 'crm'] } })
  })

  test('refuses people whose groups are not all known if groups matter', async () => {
    const { exchange } = await start(settings)
    expect(await exchange({})).toMatchObject({ props: { person: ada } })
    groupsCount = true
    vi.spyOn(console, 'log').mockImplementation(() => {})
    expect(await exchange({})).toBe('invalid_grant')
    expect(await exchange({ groups: { staff: true } })).toBe('invalid_grant')
    expect(await exchange({ groups: [] })).toMatchObject({ props: { person: ada } })
  })

  test('admits only people in a group or listed in SIGN_IN_ALLOW', async () => {
    const { exchange } = await start({ ENTERPRISE_ISSUER: ISSUER })
    expect(await exchange({})).toBe('invalid_grant')
    expect(await exchange({ groups: ['staff'] })).toMatchObject({
      props: { person: { groups: ['staff'] } },
    })
    const named = await start(settings)
    expect(await named.exchange({ email: 'eve@other.example' })).toBe('invalid_grant')
  })

  test('grants no endpoint that is not offered to the person', async () => {
    const { exchange } = await start(settings)
    expect(await exchange({}, `${GATE}/mcp/secret`)).toBe('invalid_grant')
  })

  test.each([
    ['from another issuer', { iss: 'https://other.example' }, {}],
    ['for another server', { aud: 'https://other.example' }, {}],
    ['for another endpoint', { resource: `${GATE}/mcp/secret` }, {}],
    ['for another client', { client_id: 'other' }, {}],
    ['whose address is marked as unverified', { email_verified: false }, {}],
    ['whose address is not marked as verified', { email_verified: undefined }, {}],
    ['that names a key as the person', { email: 'key:abc' }, {}],
    ['that has expired', { iat: 1, exp: 301 }, {}],
    ['that is an ID token', {}, { typ: 'JWT' }],
  ])('rejects an assertion %s', async (_, claims, header) => {
    const { exchange } = await start(settings)
    expect(await exchange(claims, undefined, undefined, header)).toMatch(/^invalid_(grant|target)$/)
  })

  test('accepts an assertion only once', async () => {
    const { exchange } = await start(settings)
    expect(await exchange({ jti: 'same' })).toHaveProperty('props')
    expect(await exchange({ jti: 'same' })).toBe('invalid_grant')
  })

  test.each([
    'no key',
    'its public key as a secret',
    'the key of somebody else',
    'a key in the header',
    'a key that it does not publish',
  ] as const)('rejects an assertion that is signed with %s', async (signing) => {
    provider.behaviour.signing = signing
    const { exchange } = await start(settings)
    expect(await exchange({})).toBe('invalid_grant')
  })

  test('is disabled if no issuer is set', async () => {
    expect(enterpriseManaged({}, { offers, groupsCount: async () => true }, fetch)).toBeUndefined()
    const { exchange } = await start({ SIGN_IN_ALLOW: '*' })
    expect(await exchange({})).toBe('unsupported_grant_type')
  })
})

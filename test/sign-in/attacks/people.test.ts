import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeProvider, startIdentityProvider } from '../../servers/identity-provider.ts'
import type { PlainWorker } from '../../support/plain-worker.ts'
import { rowsOf } from '../../support/registry-rows.ts'
import { OPERATOR_KEY, person, register, type Scene, startScene, tokens } from './scene.ts'

/** The real time after which removed access must be refused. */
const BOUND_MS = 10_000

let provider: FakeProvider
let scene: Scene
let rows: ReturnType<typeof rowsOf>
beforeAll(async () => {
  provider = await startIdentityProvider()
  scene = await startScene({
    TOKEN_ISSUER: provider.issuer,
    SIGN_IN_ALLOW: 'carol@example.com, *@trusted.example, group:staff',
  })
  rows = rowsOf(scene as unknown as PlainWorker)
  await rows.endpoint('teamed', { access: 'groups' })
  await rows.group('team', { people: ['ada@example.com'], endpoints: { shop: {} } })
  await rows.group('analysts', { people: ['group:analysts'], endpoints: { books: {}, teamed: {} } })
  await rows.group('leaving', { people: ['leo@example.com'], endpoints: { shop: {}, books: {} } })
})
afterAll(async () => {
  await scene.stop()
  await provider.close()
})

/** A token that the provider issues to a person for an endpoint. */
const tokenOf = (email: unknown, name = 'shop', claims: Record<string, unknown> = {}) =>
  provider.sign({
    ...{ sub: `${email}`, email, email_verified: true, scope: 'db:read' },
    ...{ aud: `${scene.origin}/mcp/${name}`, groups: [], ...claims },
  })

async function statusOf(email: unknown, name = 'shop', claims: Record<string, unknown> = {}) {
  return (await scene.tools(await tokenOf(email, name, claims), `/mcp/${name}`)).status
}

describe('a person from the provider', () => {
  test('can use only what SIGN_IN_ALLOW or a group allows', async () => {
    expect(await statusOf('carol@example.com', 'shop')).toBe(200)
    expect(await statusOf('carol@example.com', 'books')).toBe(200)
    expect(await statusOf('dora@trusted.example', 'books')).toBe(200)
    expect(await statusOf('dave@example.com', 'books', { groups: ['staff'] })).toBe(200)
    expect(await statusOf('ada@example.com', 'shop')).toBe(200)
    expect(await statusOf('ada@example.com', 'books')).toBe(403)
    expect(await statusOf('eve@example.com', 'books', { groups: ['analysts'] })).toBe(200)
    expect(await statusOf('eve@example.com', 'shop', { groups: ['analysts'] })).toBe(403)
    for (const name of ['shop', 'books', 'none']) {
      expect(await statusOf('bob@example.com', name)).toBe(403)
    }
  })

  test('needs a group if an endpoint requires a group, whatever SIGN_IN_ALLOW says', async () => {
    expect(await statusOf('eve@example.com', 'teamed', { groups: ['analysts'] })).toBe(200)
    expect(await statusOf('carol@example.com', 'teamed', { groups: ['analysts'] })).toBe(200)
    for (const who of ['carol@example.com', 'dora@trusted.example', 'ada@example.com']) {
      expect(await statusOf(who, 'teamed')).toBe(403)
    }
    expect(await statusOf('dave@example.com', 'teamed', { groups: ['staff'] })).toBe(403)
  })

  test.each([
    ['missing', undefined],
    ['in another form', { staff: true }],
    ['unreadable', ['staff', 7]],
    ['too many', Array.from({ length: 201 }, (_, i) => `group ${i}`)],
  ])('is refused with an explanation if their groups are %s', async (_, groups) => {
    const token = await tokenOf('carol@example.com', 'shop', { groups })
    const answer = await scene.tools(token, '/mcp/shop')
    expect(answer.status).toBe(401)
    expect(answer.text).toContain('Groups decide here who may see what')
  })

  test.each([
    'bob@example.com,ada@example.com',
    'ada@example.com.evil.example',
    'ada@example.com@evil.example',
    'ada@example.co',
    'аda@example.com',
    'ada@еxample.com',
    'ada@example.com ',
    ' ada@example.com',
    'ada@example.com\u0000',
    'ada@example.com\n',
    'ada\u200b@example.com',
    'ada+x@example.com',
    '"ada"@example.com',
    '<ada@example.com>',
    'x@trusted.example.evil.example',
    'x@sub.trusted.example',
    'x@evil.example@trusted.example',
    '@trusted.example',
    'trusted.example',
    '*',
    'group:staff',
    'Group:staff',
    'GROUP:analysts',
    'group:analysts',
    'passphrase',
    'key',
    'KEY',
    'key:abc',
    'Key:abc',
    'operator',
    '',
    'x'.repeat(10_000),
  ])('cannot impersonate anybody with a lookalike name: %j', async (email) => {
    const claims = { scope: 'db:read' }
    for (const name of ['shop', 'books']) {
      expect([
        email.slice(0, 80),
        [401, 403].includes(await statusOf(email, name, claims)),
      ]).toEqual([...[email.slice(0, 80), true]])
    }
    const headers = { authorization: `Bearer ${await tokenOf(email)}` }
    for (const path of ['/api/endpoints', '/doctor', '/doctor/shop']) {
      expect([401, 403]).toContain((await scene.ask('GET', path, { headers })).status)
    }
  })

  test.each([
    { email_verified: false },
    { email_verified: 'true' },
    { email_verified: undefined },
    { email: ['carol@example.com'] },
    { email: { toString: 'carol@example.com' } },
    { email: undefined, preferred_username: 'carol@example.com' },
    { email: undefined, sub: 'carol@example.com' },
    { sub: undefined },
    { iss: 'https://other.example' },
    { aud: 'https://other.example/mcp/shop' },
    { aud: undefined },
    { exp: 1 },
    { exp: undefined },
    { nbf: 4_000_000_000 },
    { scope: undefined },
    { scope: 'db:write' },
    { scope: 'xdb:read' },
    { scope: 'db:readx' },
  ])('is refused with invalid or insufficient claims: %j', async (claims) => {
    const status = await statusOf('carol@example.com', 'shop', claims)
    expect([401, 403]).toContain(status)
  })

  test('is not in a group because of a lookalike', async () => {
    for (const groups of [
      'staff,analysts',
      ['STAFF '],
      [' staff'],
      ['group:staff'],
      ['staff\u0000'],
      [['staff']],
      [{ name: 'staff' }],
      { 0: 'staff' },
      ['team'],
      ['*'],
    ]) {
      const status = await statusOf('bob@example.com', 'shop', { groups })
      expect([groups, status === 401 || status === 403]).toEqual([groups, true])
    }
  })
})

const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  },
}

/** Opens a session at an endpoint, and returns its header. */
async function session(token: string, name = 'shop') {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const answer = await scene.ask('POST', `/mcp/${name}`, { json: initialize, headers })
  return { 'mcp-session-id': answer.headers.get('mcp-session-id')! }
}

describe('a session', () => {
  test('belongs to the person who opened it', async () => {
    const ada = await tokenOf('ada@example.com')
    const carol = await tokenOf('carol@example.com')
    const headers = await session(ada)
    const ask = async (token: string | undefined, path = '/mcp/shop') =>
      (await scene.tools(token, path, { headers })).status
    expect(await ask(ada)).toBe(200)
    expect(await ask(carol)).toBe(404)
    expect(await ask(OPERATOR_KEY)).toBe(404)
    expect(await ask(undefined)).toBe(401)
    expect(await ask(await tokenOf('bob@example.com'))).toBe(403)
    for (const method of ['GET', 'DELETE']) {
      const more = { ...headers, authorization: `Bearer ${carol}`, accept: 'text/event-stream' }
      expect((await scene.ask(method, '/mcp/shop', { headers: more })).status).toBe(404)
    }
    // Another token for the same person continues the session.
    expect(await ask(await tokenOf('ada@example.com', 'shop', { jti: 'another' }))).toBe(200)
  })

  test('belongs to the endpoint where it was opened', async () => {
    const browser = await person(scene)
    const ticks = { endpoints: ['shop', 'books'] }
    const { access_token } = await tokens(scene, browser, await register(scene), ticks)
    const headers = await session(access_token)
    expect((await scene.tools(access_token, '/mcp/shop', { headers })).status).toBe(200)
    expect((await scene.tools(access_token, '/mcp/books', { headers })).status).toBe(404)
  })

  test('cannot be reached with forged internal headers', async () => {
    const ada = await tokenOf('ada@example.com')
    const headers = await session(ada)
    const carol = await tokenOf('carol@example.com')
    for (const told of [
      { as: 'session', caller: { subject: 'ada@example.com', scopes: ['db:read'] } },
      { as: 'secret' },
      { as: 'hub', name: 'hub:shop' },
      { as: 'store' },
    ]) {
      const tag = { 'x-mcp-internal': encodeURIComponent(JSON.stringify(told)) }
      const answer = await scene.tools(carol, '/mcp/shop', { headers: { ...headers, ...tag } })
      expect([told.as, answer.status]).toEqual([told.as, 404])
    }
    for (const name of [
      'x-tidegate-person',
      'x-person',
      'x-user',
      'cf-access-authenticated-user-email',
    ]) {
      const more = { headers: { [name]: 'ada@example.com' } }
      expect((await scene.tools(undefined, '/mcp/shop', more)).status).toBe(401)
      expect((await scene.tools(await tokenOf('bob@example.com'), '/mcp/shop', more)).status).toBe(
        403,
      )
    }
  })
})

test('the authorization server accepts no orders from outside', async () => {
  for (const path of ['/take', '/granted', '/revoke', '/grants', '/makeCode', '/signin/take']) {
    for (const host of [`127.0.0.1:${scene.port}`, 'authorization', 'any.invalid', 'localhost']) {
      const json = { order: 'makeCode', input: {}, id: 'x' }
      const answer = await scene.ask('POST', path, { host, json })
      expect([path, host, answer.status >= 400]).toEqual([path, host, true])
      expect(answer.text).not.toMatch(/[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}|expiresAt/)
    }
  }
})

test('a person removed from a group is refused within ten seconds, even in a session', async () => {
  const leo = await tokenOf('leo@example.com')
  const headers = await session(leo)
  const ask = async (path: string, more = {}) => (await scene.tools(leo, path, more)).status
  expect(await ask('/mcp/shop', { headers })).toBe(200)
  await rows.order('deleteGroup', { name: 'leaving' })
  const begun = Date.now()
  const refused = async (): Promise<boolean> => {
    const statuses = [await ask('/mcp/shop'), await ask('/mcp/shop', { headers })]
    return statuses.every((it) => it === 403)
  }
  while (!(await refused()) && Date.now() - begun < BOUND_MS) {
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  expect(await refused()).toBe(true)
})

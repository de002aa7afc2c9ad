import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { grantedByJwt, type JwtSettings, personOfJwt } from '../../src/auth/jwt.ts'
import { startHttp } from '../servers/http.ts'
import {
  type FakeProvider,
  type Signing,
  startIdentityProvider,
  type Trouble,
} from '../servers/identity-provider.ts'

const RESOURCE = 'https://gate.example/mcp/shop'
const ADA = {
  sub: 'ada',
  aud: RESOURCE,
  email: 'ada@example.com',
  email_verified: true,
  scope: 'db:read other',
  client_id: 'client 1',
}

let provider: FakeProvider

beforeEach(async () => {
  provider = await startIdentityProvider()
})
afterEach(() => provider.close())

const read = (token: string, more: Partial<JwtSettings> = {}) =>
  personOfJwt(token, { issuer: provider.issuer, resource: RESOURCE, ...more }, fetch)

/** Reads a token in which these claims replace the usual ones. */
const having = async (claims: object, more?: Partial<JwtSettings>, header?: object) =>
  read(await provider.sign({ ...ADA, ...claims }, { typ: 'at+jwt', ...header }), more)

const wrong = (words: string) => ({ wrong: expect.stringContaining(words) })
const fault = { fault: expect.stringMatching(/^The /) }

describe('an access token from another issuer', () => {
  test('contains the person, the scopes, the expiry and the client', async () => {
    const exp = Math.floor(Date.now() / 1_000) + 60
    expect(await having({ exp, groups: ['staff'] })).toEqual({
      person: { id: `${provider.issuer} ada`, name: 'ada@example.com', groups: ['staff'] },
      scopes: ['db:read', 'other'],
      expiresAt: exp * 1_000,
      clientId: 'client 1',
    })
  })

  test.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', undefined])(
    'can have the type %s',
    async (typ) => {
      expect(await having({}, {}, { typ })).toHaveProperty('person')
    },
  )

  test.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('can be signed with %s', async (algorithm) => {
    const other = await startIdentityProvider(algorithm)
    onTestFinished(() => other.close())
    const token = await other.sign(ADA, {}, 'its own key')
    expect(await read(token, { issuer: other.issuer })).toHaveProperty('person')
  })

  test.each([
    [{ scope: undefined, scp: 'db:read' }, ['db:read']],
    [{ scope: undefined, scp: ['db:read', 7, ''] }, ['db:read']],
    [{ scope: 'a', scp: 'b' }, ['a']],
    [{ scope: ' a  a b ' }, ['a', 'b']],
    [{ scope: undefined }, []],
    [{ scope: { 'db:read': true } }, []],
    [{ scope: Array.from({ length: 300 }, (_, i) => `s${i}`) }, { length: 200 }],
  ])('with %j has the scopes %j', async (claims, scopes) => {
    expect(await having(claims)).toMatchObject({ scopes })
  })

  test.each([
    [{ client_id: undefined, azp: 'a', cid: 'c' }, 'a'],
    [{ client_id: undefined, cid: 'c' }, 'c'],
    [{ client_id: 'x'.repeat(501) }, undefined],
    [{ client_id: ['a'] }, undefined],
  ])('with %j belongs to the client %s', async (claims, client) => {
    expect(await having(claims)).toHaveProperty('person')
    expect(((await having(claims)) as { clientId?: string }).clientId).toBe(client)
  })

  test('is verified with RFC 8414 metadata if the issuer has no OpenID page', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const keys = [{ ...(await exportJWK(publicKey)), kid: '1' }]
    const asked: string[] = []
    let issuer = ''
    const port = await startHttp(({ url }, response) => {
      asked.push(url!)
      const isMetadata = url === '/.well-known/oauth-authorization-server/tenant'
      const body =
        url === '/keys' ? { keys } : { issuer, jwks_uri: issuer.replace('tenant/', 'keys') }
      response.writeHead(isMetadata || url === '/keys' ? 200 : 404).end(JSON.stringify(body))
    })
    issuer = `http://127.0.0.1:${port}/tenant/`
    const token = new SignJWT({ ...ADA, iss: issuer })
      .setProtectedHeader({ alg: 'ES256', kid: '1' })
      .setExpirationTime('1 minute')
      .sign(privateKey)
    for (let i = 0; i < 2; i++) {
      expect(await read(await token, { issuer })).toHaveProperty('person')
    }
    expect(asked).toEqual([
      '/tenant/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/tenant',
      '/keys',
    ])
  })

  test('is valid for the endpoint itself, or for the audience that the operator sets', async () => {
    expect(await having({ aud: ['other', RESOURCE] })).toHaveProperty('person')
    expect(await having({ aud: 'api' }, { audience: 'api' })).toHaveProperty('person')
    expect(await having({}, { audience: '' })).toHaveProperty('person')
  })
})

describe('rejects a token', () => {
  const now = Date.now() / 1_000

  test.each<[string, object, string]>([
    ['for another endpoint', { aud: 'https://gate.example/mcp/other' }, 'another audience'],
    ['for an endpoint whose URL begins the same', { aud: `${RESOURCE}/` }, 'another audience'],
    ['for no audience', { aud: undefined }, 'another audience'],
    ['that has expired', { exp: now - 60 }, 'expired'],
    ['that never expires', { exp: undefined }, 'malformed'],
    ['that is not valid yet', { nbf: now + 300 }, 'not valid yet'],
    ['that was issued in the future', { iat: now + 300 }, 'not valid yet'],
    ['that is an ID token with a nonce', { nonce: 'n' }, 'an ID token'],
    ['that is an ID token with a hash', { at_hash: 'h' }, 'an ID token'],
    ['that is bound to a key (DPoP)', { cnf: { jkt: 'x' } }, 'bound to a key'],
    ['whose subject is missing', { sub: undefined }, 'no subject'],
    ['whose address is not verified', { email_verified: false }, 'does not vouch'],
    ['that names a key as the person', { email: 'key:abc' }, 'does not vouch'],
    ['that names the operator as the person', { email: 'key' }, 'does not vouch'],
    ['that leaves out its groups', { _claim_names: { groups: 'a' } }, 'more groups'],
  ])('%s', async (_, claims, words) => {
    expect(await having(claims)).toEqual(wrong(words))
  })

  test('for the endpoint if the operator sets another audience', async () => {
    expect(await having({}, { audience: 'api' })).toEqual(wrong('another audience'))
  })

  test.each<[Signing, string]>([
    ['no key', 'algorithms'],
    ['its public key as a secret', 'algorithms'],
    ['the key of somebody else', 'signature'],
    ['a key in the header', 'signature'],
    ['a key that it does not publish', 'does not publish'],
  ])('that is signed with %s', async (signing, words) => {
    expect(await read(await provider.sign(ADA, {}, signing))).toEqual(wrong(words))
  })

  test.each(['id_token+jwt', 'dpop+jwt', 'oauth-id-jag+jwt', 'logout+jwt', 'secevent+jwt', ''])(
    'of the type "%s"',
    async (typ) => {
      expect(await having({}, {}, { typ })).toEqual(wrong('another kind'))
    },
  )

  test('with an unknown critical extension', async () => {
    const token = await provider.sign(ADA)
    const [, claims, signature] = token.split('.')
    const header = { alg: 'ES256', kid: 'key 1', crit: ['x'], x: 1 }
    const text = Buffer.from(JSON.stringify(header)).toString('base64url')
    expect(await read(`${text}.${claims}.${signature}`)).toEqual(wrong('malformed'))
  })

  test('whose claims were changed', async () => {
    const [header, , signature] = (await provider.sign(ADA)).split('.')
    const claims = { ...ADA, iss: provider.issuer, exp: now + 60, email: 'eve@example.com' }
    const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
    expect(await read(`${header}.${text}.${signature}`)).toEqual(wrong('signature'))
  })

  test('that is too long or not from this issuer without contacting the issuer', async () => {
    const foreign = await provider.sign({ ...ADA, iss: 'https://other.example' })
    const long = await provider.sign({ ...ADA, more: 'x'.repeat(20_000) })
    for (const text of [
      '',
      'tg_abc',
      'a.b',
      'a.b.c',
      '..',
      'a.b.c.d.e',
      '.'.repeat(1e6),
      foreign,
      long,
    ]) {
      expect(await read(text)).toBeUndefined()
    }
    expect(provider.requests).toEqual([])
  })

  test('ten minutes after the issuer withdrew its key', async () => {
    const token = await provider.sign({ ...ADA, exp: now + 3_600 })
    expect(await read(token)).toHaveProperty('person')
    await provider.rotate()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await read(token)).toEqual(wrong('does not publish'))
  })
})

describe('an issuer that fails', () => {
  const PAGE = '/.well-known/openid-configuration'

  test.each(['error', 'html', 'huge', 'redirect'] as Trouble[])(
    'and sends %s for keys or metadata causes a fault, and is not asked each time',
    async (trouble) => {
      const token = await provider.sign(ADA)
      for (const path of [PAGE, '/keys']) {
        provider.behaviour.trouble = { [path]: trouble }
        for (let i = 0; i < 3; i++) expect(await read(token)).toEqual(fault)
        expect(provider.count(`GET ${path}`)).toBe(1)
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6_000 })
        onTestFinished(() => void vi.useRealTimers())
      }
      expect(provider.count('GET /elsewhere')).toBe(0)
      provider.behaviour.trouble = {}
      expect(await read(token)).toHaveProperty('person')
    },
  )

  test.each([[{}], [{ keys: 'x' }], [{ keys: [7] }], [[]], ['x'], [null]])(
    'and sends %j for keys causes a fault',
    async (keys) => {
      const port = await startHttp((_, response) => void response.end(JSON.stringify(keys)))
      provider.behaviour.metadata = { jwks_uri: `http://127.0.0.1:${port}` }
      expect(await read(await provider.sign(ADA))).toEqual(fault)
    },
  )

  test('does not invalidate the keys that it sent before', async () => {
    const token = await provider.sign(ADA)
    await read(token)
    provider.behaviour.trouble = { '/keys': 'error', [PAGE]: 'error' }
    expect(await read(token)).toHaveProperty('person')
  })
})

describe('the grant of a token from another issuer', () => {
  let groupsCount = false
  const granted = async (claims: object, env: object = {}) => {
    const token = await provider.sign({ ...ADA, ...claims })
    const settings = { TOKEN_ISSUER: provider.issuer, ...env }
    return grantedByJwt(token, RESOURCE, settings, async () => groupsCount)
  }

  test('covers the endpoint, and is allowed if SIGN_IN_ALLOW admits the person', async () => {
    expect(await granted({ groups: [] }, { SIGN_IN_ALLOW: '*@example.com' })).toEqual({
      person: { id: `${provider.issuer} ada`, name: 'ada@example.com', groups: [] },
      allowed: true,
      scopes: ['db:read', 'other'],
      audience: RESOURCE,
      endpoints: ['*'],
      expiresAt: expect.any(Number),
    })
    expect(await granted({})).toMatchObject({ allowed: false })
    expect(await granted({ aud: 'api' }, { TOKEN_AUDIENCE: 'api' })).toHaveProperty('person')
    expect(await granted({}, { SIGN_IN_PERSON_CLAIM: 'sub' })).toMatchObject({
      person: { name: 'ada' },
    })
  })

  test('is refused with a message if groups matter and some are missing', async () => {
    const many = Array.from({ length: 201 }, (_, i) => `group ${i}`)
    for (const groups of [undefined, many, { staff: true }]) {
      groupsCount = false
      expect(await granted({ groups })).not.toHaveProperty('refused')
      groupsCount = true
      expect(await granted({ groups })).toMatchObject({
        refused: expect.stringMatching(/^Groups decide here .* The operator must have .*\.$/),
      })
    }
    expect(await granted({ groups: [] })).not.toHaveProperty('refused')
  })

  test('does not exist if the token is invalid or its issuer is not configured', async () => {
    expect(await granted({ aud: 'api' })).toBeUndefined()
    expect(await granted({}, { TOKEN_ISSUER: undefined })).toBeUndefined()
    expect(await granted({}, { TOKEN_ISSUER: 'https://other.example' })).toBeUndefined()
  })

  test('does not exist at an untrusted host name, unless an audience is set', async () => {
    const at = async (origin: string, env: object = {}) => {
      const aud = [`${origin}/mcp`, 'api']
      const token = await provider.sign({ ...ADA, aud })
      const settings = { TOKEN_ISSUER: provider.issuer, ...env }
      return grantedByJwt(token, `${origin}/mcp`, settings, async () => false)
    }
    for (const origin of [
      'http://evil.example',
      'http://127.0.0.1.evil.example',
      'http://10.0.0.1',
    ]) {
      expect([origin, await at(origin)]).toEqual([origin, undefined])
      expect(await at(origin, { TOKEN_AUDIENCE: 'api' })).toHaveProperty('person')
    }
    for (const origin of ['https://gate.example', 'http://localhost:8787', 'http://[::1]']) {
      expect(await at(origin)).toHaveProperty('person')
    }
  })

  test('cannot be determined while the issuer does not respond', async () => {
    provider.behaviour.trouble = { '/keys': 'error' }
    await expect(granted({})).rejects.toThrow('The identity provider')
  })
})

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type OpenIdSettings, openId } from '../../../src/auth/sign-in/openid.ts'
import { SignInFault } from '../../../src/auth/sign-in/person.ts'
import {
  type FakeProvider,
  type Signing,
  startIdentityProvider,
  type Trouble,
} from '../../servers/identity-provider.ts'

const BACK = 'https://gate.example/signin/callback'

let provider: FakeProvider

beforeEach(async () => {
  provider = await startIdentityProvider()
})
afterEach(() => provider.close())

const client = (more: Partial<OpenIdSettings> = {}) => {
  const { issuer, clientId, clientSecret } = provider
  return openId({ title: 'Test', issuer, clientId, clientSecret, scopes: [], ...more }, fetch)
}

/** Goes to the provider as a browser does, and returns the URL to which it is sent back. */
async function visit(location: string): Promise<URL> {
  const { headers } = await fetch(location, { redirect: 'manual' })
  return new URL(headers.get('location')!)
}

/** Signs in from start to end. */
async function signIn(more?: Partial<OpenIdSettings>) {
  const it = client(more)
  const { location, kept } = await it.begin(BACK, 'state')
  return it.finish(await visit(location), BACK, kept)
}

/** Makes the provider do something else, for one test. */
const when = (behaviour: Partial<FakeProvider['behaviour']>) =>
  Object.assign(provider.behaviour, behaviour)

/** The message that people read if a sign-in fails. */
async function faultOf(signingIn: Promise<unknown>): Promise<string> {
  const error = await signingIn.then(
    () => 'signed in',
    (it) => it,
  )
  expect(error).toBeInstanceOf(SignInFault)
  expect(error.message).not.toContain('stranger')
  return error.message
}

/** Moves the clock forward. */
function later(seconds: number): void {
  const now = Date.now() + seconds * 1_000
  vi.useFakeTimers({ toFake: ['Date'], now })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a sign-in with an OpenID provider', () => {
  test('returns an ID from the issuer and the subject, the address and the groups', async () => {
    when({ claims: { groups: ['staff', 'data'] } })
    expect(await signIn()).toEqual({
      id: `${provider.issuer} ada`,
      name: 'ada@example.com',
      groups: ['staff', 'data'],
    })
    expect(provider.count('GET /userinfo')).toBe(0)
  })

  test('requests a code with the state, and with a new nonce and PKCE challenge', async () => {
    const begun = await Promise.all(
      [1, 2].map(() => client({ scopes: ['groups'] }).begin(BACK, 's')),
    )
    const [one, other] = begun.map(({ location }) => new URL(location).searchParams)
    expect(Object.fromEntries(one!)).toEqual({
      tenant: '1',
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: BACK,
      scope: 'openid email profile groups',
      state: 's',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(other!.get('nonce')).not.toBe(one!.get('nonce'))
    expect(other!.get('code_challenge')).not.toBe(one!.get('code_challenge'))
    expect(JSON.stringify(begun[0]!.kept)).not.toContain(one!.get('code_challenge'))
  })

  test.each(['client_secret_basic', 'client_secret_post'] as const)(
    'sends its secret by %s',
    async (method) => {
      when({ method })
      expect((await signIn()).name).toBe('ada@example.com')
    },
  )

  test('sends its secret by client_secret_basic if the provider does not say how', async () => {
    when({ metadata: { token_endpoint_auth_methods_supported: undefined } })
    expect((await signIn()).name).toBe('ada@example.com')
  })

  test('works for a public client, which has no secret', async () => {
    when({ method: 'none' })
    expect((await signIn({ clientSecret: undefined })).name).toBe('ada@example.com')
  })

  test('tells the operator what to check if the secret is wrong', async () => {
    expect(await faultOf(signIn({ clientSecret: 'wrong' }))).toContain('SIGN_IN_CLIENT_SECRET')
  })

  test('reports that the person did not agree at the provider', async () => {
    when({ callback: { code: undefined, error: 'access_denied', error_description: 'stranger' } })
    expect(await faultOf(signIn())).toContain('did not agree')
  })

  test.each(['server_error', 'stranger', ''])(
    'does not repeat the text of an error: "%s"',
    async (error) => {
      when({ callback: { code: undefined, error, error_description: 'stranger' } })
      expect(await faultOf(signIn())).toContain('operator must check')
    },
  )

  test('accepts a new key from the provider if the last key request was a while ago', async () => {
    await signIn()
    await provider.rotate()
    expect(await faultOf(signIn())).toContain('does not publish')
    later(31)
    expect((await signIn()).name).toBe('ada@example.com')
    expect(provider.count('GET /keys')).toBe(2)
  })

  test('requests keys only once more, however many tokens name unknown keys', async () => {
    await signIn()
    later(31)
    when({ signing: 'a key that it does not publish' })
    for (let i = 0; i < 5; i++) expect(await faultOf(signIn())).toContain('does not publish')
    expect(provider.count('GET /keys')).toBe(2)
  })

  test('requests keys and metadata again after ten minutes', async () => {
    await signIn()
    later(601)
    await signIn()
    expect(provider.count('GET /keys')).toBe(2)
    expect(provider.count('GET /.well-known/openid-configuration')).toBe(2)
  })

  test('accepts a token that expired seconds ago, since clocks differ', async () => {
    when({ claims: { exp: Date.now() / 1_000 - 10 } })
    expect((await signIn()).name).toBe('ada@example.com')
  })
})

describe('a person’s name', () => {
  const UNVERIFIED = { email: 'eve@example.com', email_verified: false }

  test.each([
    ['is not verified', UNVERIFIED],
    ['is called verified by a string', { email_verified: 'true' }],
    ['is not called verified', { email_verified: undefined }],
    ['is missing', { email: undefined }],
    ['is a list', { email: ['ada@example.com'] }],
    ['names the operator', { email: 'key' }],
    ['names a key', { email: 'key:abc' }],
    ['names a group', { email: 'group:staff' }],
    ['has a control character', { email: 'ada@example.com\n' }],
    ['is too long', { email: `${'a'.repeat(200)}@example.com` }],
    ['is empty', { email: '' }],
  ])('is not taken from an address that %s', async (_, claims) => {
    when({ claims })
    expect(await faultOf(signIn())).toContain('does not vouch')
  })

  test('can be an address that is not marked as verified if the operator says so', async () => {
    when({ claims: { email_verified: undefined } })
    expect((await signIn({ SIGN_IN_PERSON_CLAIM: 'email' })).name).toBe('ada@example.com')
  })

  test.each([
    ['the ID token calls it unverified', UNVERIFIED, {}],
    ['userinfo calls it unverified', { email_verified: undefined }, UNVERIFIED],
    ['only userinfo calls it unverified', { email_verified: undefined, groups: [] }, UNVERIFIED],
    ['userinfo has another one', UNVERIFIED, { email: 'ada@example.com' }],
    ['the ID token vouches for another one', { email: undefined }, { email: 'eve@example.com' }],
  ])('is not an address, even if the operator vouches, if %s', async (_, claims, userinfo) => {
    when({ claims, userinfo })
    expect(await faultOf(signIn({ SIGN_IN_PERSON_CLAIM: 'email' }))).toContain('does not vouch')
  })

  test('can be any claim that the operator chooses', async () => {
    when({ claims: { upn: 'ada@corp.example', email_verified: false } })
    expect((await signIn({ SIGN_IN_PERSON_CLAIM: 'upn' })).name).toBe('ada@corp.example')
    expect(await faultOf(signIn({ SIGN_IN_PERSON_CLAIM: '__proto__' }))).toContain(
      'SIGN_IN_PERSON_CLAIM',
    )
  })

  test('is requested from userinfo if the ID token leaves it out', async () => {
    when({
      claims: { email: undefined, email_verified: undefined },
      userinfo: { email: 'ada@example.com', email_verified: true, groups: 'staff' },
    })
    expect(await signIn()).toMatchObject({ name: 'ada@example.com', groups: ['staff'] })
  })

  test('still comes from the ID token if userinfo is requested only for groups', async () => {
    when({ userinfo: { email: 'eve@example.com', groups: ['staff'] } })
    expect(await signIn()).toMatchObject({ name: 'ada@example.com', groups: ['staff'] })
  })

  test('is not taken from somebody else’s userinfo', async () => {
    when({ userinfo: { sub: 'eve', groups: ['staff'] } })
    expect(await faultOf(signIn())).toContain('different user')
  })

  test.each(['error', 'html', 'huge', 'redirect'] as const)(
    'is not guessed if userinfo sends %s',
    async (it) => {
      when({ trouble: { '/userinfo': it } })
      await faultOf(signIn())
    },
  )

  test.each([undefined, '', 7, 'x'.repeat(256), 'a\nb'])(
    'requires a valid subject, not %j',
    async (sub) => {
      when({ claims: { sub }, metadata: { userinfo_endpoint: undefined } })
      expect(await faultOf(signIn())).toContain('no subject')
    },
  )
})

describe('a person’s groups', () => {
  const all = Array.from({ length: 300 }, (_, i) => `group ${i}`)

  test('are deduplicated, and are reported as cut after the first 200', async () => {
    when({ claims: { groups: ['group 0', ...all.slice(0, 200)] } })
    expect(await signIn()).toMatchObject({ groups: all.slice(0, 200) })
    expect(await signIn()).not.toHaveProperty('unknownGroups')
    when({ claims: { groups: all } })
    expect(await signIn()).toMatchObject({ groups: all.slice(0, 200), unknownGroups: 'cut' })
  })

  test.each([
    ...[
      7,
      true,
      '',
      {},
      '["staff"]',
      'limited,staff',
      'limited staff',
      'a; b',
      { staff: true },
      'x'.repeat(201),
      'a\u0000b',
      [['staff']],
    ],
    ...[[7], [null], [''], ['x'.repeat(201)], ['a\u0000b'], [{}], ['staff', 7]],
  ])('are reported as odd if the claim is %j', async (groups) => {
    when({ claims: { groups } })
    expect(await signIn()).toMatchObject({ unknownGroups: 'odd' })
  })

  test('can be a string or an empty list, and are reported if they are missing', async () => {
    when({ claims: { roles: 'staff', groups: [] } })
    expect((await signIn({ SIGN_IN_GROUPS_CLAIM: 'roles' })).groups).toEqual(['staff'])
    expect(await signIn()).toMatchObject({ groups: [] })
    expect(await signIn()).not.toHaveProperty('unknownGroups')
    when({ claims: { groups: undefined } })
    expect(await signIn()).toMatchObject({ groups: [], unknownGroups: 'missing' })
    when({ claims: { groups: null } })
    expect(await signIn()).toMatchObject({ groups: [], unknownGroups: 'missing' })
  })

  test.each([
    ...[{ _claim_names: { groups: 'src1' } }, { _claim_names: ['groups'] }],
    ...[{ _claim_names: 'groups' }, { _claim_sources: { src1: {} } }],
    ...[{ hasgroups: true }, { hasgroups: 'true' }, { hasgroups: [true] }, { hasgroups: 1 }],
    { _claim_names: { groups: 'src1' }, groups: ['staff'] },
  ])(
    'are not treated as empty if the provider says that there are too many: %j',
    async (claims) => {
      when({ claims })
      expect(await faultOf(signIn())).toContain('more groups')
    },
  )
})

describe('nobody is signed in', () => {
  test.each<[Signing, string]>([
    ['no key', 'algorithms'],
    ['its public key as a secret', 'algorithms'],
    ['the key of somebody else', 'signature'],
    ['a key in the header', 'signature'],
    ['a key that it does not publish', 'does not publish'],
  ])('by an ID token that is signed with %s', async (signing, words) => {
    when({ signing })
    expect(await faultOf(signIn())).toContain(words)
  })

  const now = Date.now() / 1_000
  test.each<[string, object, string]>([
    ['from another issuer', { iss: 'https://other.example' }, 'another issuer'],
    ['from no issuer', { iss: undefined }, 'another issuer'],
    ['for another client', { aud: 'client 2' }, 'another audience'],
    ['for no audience', { aud: undefined }, 'another audience'],
    ['that has expired', { exp: now - 60 }, 'expired'],
    ['that never expires', { exp: undefined }, 'malformed'],
    ['that expires at an invalid time', { exp: 'tomorrow' }, 'malformed'],
    ['that expires beyond any date', { exp: 1e300 }, 'malformed'],
    ['that is not valid yet', { nbf: now + 300 }, 'not valid yet'],
    ['that was issued in the future', { iat: now + 300 }, 'not valid yet'],
    ['without the nonce', { nonce: undefined }, 'another sign-in'],
    ['with another nonce', { nonce: 'x' }, 'another sign-in'],
    ['that was issued to another client', { azp: 'client 2' }, 'somebody else'],
    ['that several clients share without azp', { aud: ['client 1', 'client 2'] }, 'somebody else'],
  ])('by an ID token %s', async (_, claims, words) => {
    when({ claims: claims as Record<string, unknown> })
    expect(await faultOf(signIn())).toContain(words)
  })

  test('by an ID token for several clients, unless it was issued to this client', async () => {
    when({ claims: { aud: ['client 2', 'client 1'], azp: 'client 1' } })
    expect((await signIn()).name).toBe('ada@example.com')
  })

  test.each<[string, object]>([
    ['another issuer', { iss: 'https://other.example' }],
    ['no issuer', { iss: undefined }],
  ])('by a response from %s that an attacker mixed in', async (_, callback) => {
    when({ callback: callback as Record<string, unknown> })
    expect(await faultOf(signIn())).toContain('not from the identity provider')
    expect(provider.count('POST /token')).toBe(0)
  })

  test('by a response from another issuer, even if no issuer is promised', async () => {
    when({ metadata: { authorization_response_iss_parameter_supported: undefined } })
    await signIn()
    when({ callback: { iss: 'https://other.example' } })
    expect(await faultOf(signIn())).toContain('not from the identity provider')
  })

  test('by a response without a code, with two codes, or with an overlong code', async () => {
    const { location, kept } = await client().begin(BACK, 'state')
    const back = await visit(location)
    for (const change of [
      (url: URL) => url.searchParams.delete('code'),
      (url: URL) => url.searchParams.append('code', 'another'),
      (url: URL) => url.searchParams.set('code', 'x'.repeat(9_000)),
    ]) {
      const wrong = new URL(back)
      change(wrong)
      expect(await faultOf(client().finish(wrong, BACK, kept))).toContain('without a code')
    }
  })

  test('by somebody else’s code, which belongs to another verifier', async () => {
    const [mine, theirs] = await Promise.all([1, 2].map(() => client().begin(BACK, 'state')))
    const stolen = await visit(theirs!.location)
    expect(await faultOf(client().finish(stolen, BACK, mine!.kept))).toContain('Sign in again')
  })

  test('by a code that was used before', async () => {
    const { location, kept } = await client().begin(BACK, 'state')
    const back = await visit(location)
    await client().finish(back, BACK, kept)
    expect(await faultOf(client().finish(back, BACK, kept))).toContain('used before')
  })

  test.each([
    undefined,
    null,
    'x',
    {},
    { issuer: 'https://other.example', nonce: 'n', verifier: 'v' },
  ])('by a sign-in that was not begun here: %j', async (kept) => {
    const { location } = await client().begin(BACK, 'state')
    expect(await faultOf(client().finish(await visit(location), BACK, kept))).toContain('has ended')
  })
})

describe('a sign-in fails with a provider', () => {
  const PAGE = '/.well-known/openid-configuration'

  test.each([
    ['claims to be another issuer', { issuer: 'https://other.example' }],
    [
      'has an issuer for any tenant',
      { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' },
    ],
    ['has an extra slash in its issuer', { issuer: 'http://127.0.0.1/' }],
  ])('that %s', async (_, metadata) => {
    when({ metadata })
    expect(await faultOf(signIn())).toContain('does not match the issuer')
  })

  test.each(['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])(
    'whose %s is not encrypted, contains a password or is not a URL',
    async (field) => {
      for (const address of [
        'http://other.example/x',
        'https://a:b@other.example',
        'data:,x',
        '/x',
      ]) {
        when({ metadata: { [field]: address } })
        expect(await faultOf(signIn())).toContain('not encrypted')
        later(6)
      }
    },
  )

  test.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
    'that has no %s',
    async (field) => {
      when({ metadata: { [field]: undefined } })
      expect(await faultOf(signIn())).toContain('does not offer')
    },
  )

  test.each(['error', 'html', 'huge', 'redirect'] as Trouble[])(
    'that sends %s for its metadata, keys or tokens',
    async (trouble) => {
      for (const path of [PAGE, '/keys', '/token']) {
        when({ trouble: { [path]: trouble } })
        await faultOf(signIn())
        later(6)
      }
      expect(provider.count('GET /elsewhere')).toBe(0)
      when({ trouble: {} })
      later(6)
      expect((await signIn()).name).toBe('ada@example.com')
    },
  )

  test.each(['error', 'html', 'redirect'] as Trouble[])(
    'that sends %s for tokens, and does not blame the settings',
    async (trouble) => {
      when({ trouble: { '/token': trouble } })
      const fault = await faultOf(signIn())
      expect(fault).toContain('Try again in a minute')
      expect(fault).not.toContain('SIGN_IN_CLIENT_SECRET')
    },
  )

  test('that takes too long to respond', async () => {
    const { timeout } = AbortSignal
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 100))
    onTestFinished(() => void vi.restoreAllMocks())
    when({ trouble: { [PAGE]: 'silence' } })
    expect(await faultOf(signIn())).toContain('did not answer in time')
  })

  test('that failed seconds ago, without asking it again', async () => {
    when({ trouble: { [PAGE]: 'error' } })
    for (let i = 0; i < 3; i++) await faultOf(signIn())
    expect(provider.count(`GET ${PAGE}`)).toBe(1)
  })

  test.each([
    'http://idp.example',
    'ftp://idp.example',
    'idp.example',
    'https://a:b@idp.example',
    'https://idp.example?x=1',
    'https://idp.example#x',
    'https://idp.example ',
    '',
  ])('whose address is not safe: "%s"', async (issuer) => {
    expect(await faultOf(client({ issuer }).begin(BACK, 's'))).toContain('https URL')
  })
})

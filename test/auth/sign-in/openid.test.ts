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

/** Goes to the provider as a browser does, and returns where that is sent back to. */
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

/** What people read if a sign-in fails. */
async function faultOf(signingIn: Promise<unknown>): Promise<string> {
  const error = await signingIn.then(
    () => 'signed in',
    (it) => it,
  )
  expect(error).toBeInstanceOf(SignInFault)
  expect(error.message).not.toContain('stranger')
  return error.message
}

/** Goes on so much later. */
function later(seconds: number): void {
  const now = Date.now() + seconds * 1_000
  vi.useFakeTimers({ toFake: ['Date'], now })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a sign-in at an OpenID provider', () => {
  test('names a person by the issuer and the subject, the address and the groups', async () => {
    when({ claims: { groups: ['staff', 'data'] } })
    expect(await signIn()).toEqual({
      id: `${provider.issuer} ada`,
      name: 'ada@example.com',
      groups: ['staff', 'data'],
    })
    expect(provider.count('GET /userinfo')).toBe(0)
  })

  test('asks for a code with PKCE, a state and a nonce that are new each time', async () => {
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
    'shows its secret by %s',
    async (method) => {
      when({ method })
      expect((await signIn()).name).toBe('ada@example.com')
    },
  )

  test('shows its secret by client_secret_basic where the provider does not say how', async () => {
    when({ metadata: { token_endpoint_auth_methods_supported: undefined } })
    expect((await signIn()).name).toBe('ada@example.com')
  })

  test('works for a public client, which has no secret', async () => {
    when({ method: 'none' })
    expect((await signIn({ clientSecret: undefined })).name).toBe('ada@example.com')
  })

  test('tells the operator what to check where the secret is wrong', async () => {
    expect(await faultOf(signIn({ clientSecret: 'wrong' }))).toContain('SIGN_IN_CLIENT_SECRET')
  })

  test('tells who did not agree at the provider', async () => {
    when({ callback: { code: undefined, error: 'access_denied', error_description: 'stranger' } })
    expect(await faultOf(signIn())).toContain('did not agree')
  })

  test.each(['server_error', 'stranger', ''])(
    'passes on no words of an error: "%s"',
    async (error) => {
      when({ callback: { code: undefined, error, error_description: 'stranger' } })
      expect(await faultOf(signIn())).toContain('operator has to check')
    },
  )

  test('takes a key that the provider took since, if it asked a while ago', async () => {
    await signIn()
    await provider.rotate()
    expect(await faultOf(signIn())).toContain('does not publish')
    later(31)
    expect((await signIn()).name).toBe('ada@example.com')
    expect(provider.count('GET /keys')).toBe(2)
  })

  test('asks for keys once, however many tokens name keys that do not exist', async () => {
    await signIn()
    later(31)
    when({ signing: 'a key that it does not publish' })
    for (let i = 0; i < 5; i++) expect(await faultOf(signIn())).toContain('does not publish')
    expect(provider.count('GET /keys')).toBe(2)
  })

  test('asks for keys and metadata anew after ten minutes', async () => {
    await signIn()
    later(601)
    await signIn()
    expect(provider.count('GET /keys')).toBe(2)
    expect(provider.count('GET /.well-known/openid-configuration')).toBe(2)
  })

  test('takes a token that expired seconds ago, since clocks differ', async () => {
    when({ claims: { exp: Date.now() / 1_000 - 10 } })
    expect((await signIn()).name).toBe('ada@example.com')
  })
})

describe('the name of a person', () => {
  const UNVERIFIED = { email: 'eve@example.com', email_verified: false }

  test.each([
    ['is not verified', UNVERIFIED],
    ['is called verified by a text', { email_verified: 'true' }],
    ['is not called verified', { email_verified: undefined }],
    ['is missing', { email: undefined }],
    ['is a list', { email: ['ada@example.com'] }],
    ['is the operator', { email: 'key' }],
    ['is a key', { email: 'key:abc' }],
    ['is a group', { email: 'group:staff' }],
    ['has a control character', { email: 'ada@example.com\n' }],
    ['is too long', { email: `${'a'.repeat(200)}@example.com` }],
    ['is empty', { email: '' }],
  ])('is no address that %s', async (_, claims) => {
    when({ claims })
    expect(await faultOf(signIn())).toContain('does not vouch')
  })

  test('is an address that nobody calls verified if the operator says so', async () => {
    when({ claims: { email_verified: undefined } })
    expect((await signIn({ SIGN_IN_PERSON_CLAIM: 'email' })).name).toBe('ada@example.com')
  })

  test.each([
    ['the ID token calls it unverified', UNVERIFIED, {}],
    ['userinfo calls it unverified', { email_verified: undefined }, UNVERIFIED],
    ['userinfo alone does so', { email_verified: undefined, groups: [] }, UNVERIFIED],
    ['userinfo has another one', UNVERIFIED, { email: 'ada@example.com' }],
    ['the ID token vouches for another one', { email: undefined }, { email: 'eve@example.com' }],
  ])('is no address, even if the operator vouches, where %s', async (_, claims, userinfo) => {
    when({ claims, userinfo })
    expect(await faultOf(signIn({ SIGN_IN_PERSON_CLAIM: 'email' }))).toContain('does not vouch')
  })

  test('is any claim that the operator chooses', async () => {
    when({ claims: { upn: 'ada@corp.example', email_verified: false } })
    expect((await signIn({ SIGN_IN_PERSON_CLAIM: 'upn' })).name).toBe('ada@corp.example')
    expect(await faultOf(signIn({ SIGN_IN_PERSON_CLAIM: '__proto__' }))).toContain(
      'SIGN_IN_PERSON_CLAIM',
    )
  })

  test('is asked of userinfo if the ID token leaves it out', async () => {
    when({
      claims: { email: undefined, email_verified: undefined },
      userinfo: { email: 'ada@example.com', email_verified: true, groups: 'staff' },
    })
    expect(await signIn()).toMatchObject({ name: 'ada@example.com', groups: ['staff'] })
  })

  test('stays that of the ID token where userinfo is asked for groups alone', async () => {
    when({ userinfo: { email: 'eve@example.com', groups: ['staff'] } })
    expect(await signIn()).toMatchObject({ name: 'ada@example.com', groups: ['staff'] })
  })

  test('is not taken from userinfo of somebody else', async () => {
    when({ userinfo: { sub: 'eve', groups: ['staff'] } })
    expect(await faultOf(signIn())).toContain('somebody else')
  })

  test.each(['error', 'html', 'huge', 'redirect'] as const)(
    'is not guessed where userinfo gives %s',
    async (it) => {
      when({ trouble: { '/userinfo': it } })
      await faultOf(signIn())
    },
  )

  test.each([undefined, '', 7, 'x'.repeat(256), 'a\nb'])(
    'needs a subject, and not %j',
    async (sub) => {
      when({ claims: { sub }, metadata: { userinfo_endpoint: undefined } })
      expect(await faultOf(signIn())).toContain('no subject')
    },
  )
})

describe('the groups of a person', () => {
  test('are the first 200 texts of up to 200 characters, each once', async () => {
    const all = Array.from({ length: 300 }, (_, i) => `group ${i}`)
    const odd = [7, null, '', 'x'.repeat(201), 'a\u0000b', ['staff'], 'group 0', 'group 0']
    when({ claims: { groups: [...odd, ...all] } })
    expect((await signIn()).groups).toEqual(all.slice(0, 200))
  })

  test('may be one text, or none', async () => {
    when({ claims: { roles: 'staff' } })
    expect((await signIn({ SIGN_IN_GROUPS_CLAIM: 'roles' })).groups).toEqual(['staff'])
    expect((await signIn()).groups).toEqual([])
  })

  test.each([{ _claim_names: { groups: 'src1' } }, { hasgroups: true }])(
    'are not taken for none where the provider says that there are too many: %j',
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
    ['of another issuer', { iss: 'https://other.example' }, 'another issuer'],
    ['of no issuer', { iss: undefined }, 'another issuer'],
    ['for another client', { aud: 'client 2' }, 'another audience'],
    ['for nobody', { aud: undefined }, 'another audience'],
    ['that expired', { exp: now - 60 }, 'expired'],
    ['that never expires', { exp: undefined }, 'malformed'],
    ['that expires at no time', { exp: 'tomorrow' }, 'malformed'],
    ['that expires past all time', { exp: 1e300 }, 'malformed'],
    ['that is not valid yet', { nbf: now + 300 }, 'not valid yet'],
    ['that was made in the future', { iat: now + 300 }, 'not valid yet'],
    ['without the nonce', { nonce: undefined }, 'another sign-in'],
    ['with another nonce', { nonce: 'x' }, 'another sign-in'],
    ['that was given to another client', { azp: 'client 2' }, 'somebody else'],
    ['that several share, and none was given', { aud: ['client 1', 'client 2'] }, 'somebody else'],
  ])('by an ID token %s', async (_, claims, words) => {
    when({ claims: claims as Record<string, unknown> })
    expect(await faultOf(signIn())).toContain(words)
  })

  test('by an ID token that several share, unless it was given to this client', async () => {
    when({ claims: { aud: ['client 2', 'client 1'], azp: 'client 1' } })
    expect((await signIn()).name).toBe('ada@example.com')
  })

  test.each<[string, object]>([
    ['another issuer', { iss: 'https://other.example' }],
    ['no issuer', { iss: undefined }],
  ])('by an answer of %s, which somebody mixed in', async (_, callback) => {
    when({ callback: callback as Record<string, unknown> })
    expect(await faultOf(signIn())).toContain('not from the identity provider')
    expect(provider.count('POST /token')).toBe(0)
  })

  test('by an answer of another issuer, even where none is promised', async () => {
    when({ metadata: { authorization_response_iss_parameter_supported: undefined } })
    await signIn()
    when({ callback: { iss: 'https://other.example' } })
    expect(await faultOf(signIn())).toContain('not from the identity provider')
  })

  test('by an answer without a code, or with two', async () => {
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

  test('by the code of somebody else, which belongs to another verifier', async () => {
    const [mine, theirs] = await Promise.all([1, 2].map(() => client().begin(BACK, 'state')))
    const stolen = await visit(theirs!.location)
    expect(await faultOf(client().finish(stolen, BACK, mine!.kept))).toContain('Sign in again')
  })

  test('by a code twice', async () => {
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
  ])('by what was not begun here: %j', async (kept) => {
    const { location } = await client().begin(BACK, 'state')
    expect(await faultOf(client().finish(await visit(location), BACK, kept))).toContain('has ended')
  })
})

describe('a provider is not trusted', () => {
  const PAGE = '/.well-known/openid-configuration'

  test.each([
    ['calls itself by another issuer', { issuer: 'https://other.example' }],
    [
      'has an issuer for any tenant',
      { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' },
    ],
    ['has a slash more', { issuer: 'http://127.0.0.1/' }],
  ])('that %s', async (_, metadata) => {
    when({ metadata })
    expect(await faultOf(signIn())).toContain('another issuer')
  })

  test.each(['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])(
    'whose %s is not encrypted, carries a password or is no URL',
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
    'that gives %s for its metadata, keys or tokens',
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
    'that gives %s for tokens, for which the settings are not to blame',
    async (trouble) => {
      when({ trouble: { '/token': trouble } })
      const fault = await faultOf(signIn())
      expect(fault).toContain('Try again in a minute')
      expect(fault).not.toContain('SIGN_IN_CLIENT_SECRET')
    },
  )

  test('for longer than it may take to answer', async () => {
    const { timeout } = AbortSignal
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 100))
    onTestFinished(() => void vi.restoreAllMocks())
    when({ trouble: { [PAGE]: 'silence' } })
    expect(await faultOf(signIn())).toContain('did not answer in time')
  })

  test('twice within seconds if it failed', async () => {
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
  ])('by an address that is not safe: "%s"', async (issuer) => {
    expect(await faultOf(client({ issuer }).begin(BACK, 's'))).toContain('https URL')
  })
})

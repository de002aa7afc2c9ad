import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gitHub } from '../../../src/auth/sign-in/github.ts'
import { SignInFault } from '../../../src/auth/sign-in/person.ts'
import { type FakeGitHub, startGitHub } from '../../servers/github.ts'

const BACK = 'https://gate.example/signin/callback'

let server: FakeGitHub

beforeEach(async () => {
  server = await startGitHub()
})
afterEach(() => server.close())

/** A Worker's `fetch`, which sends no user agent of its own. */
const bare: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers)
  if (!headers.has('user-agent')) headers.set('user-agent', '')
  return fetch(url, { ...init, headers })
}

const client = (clientSecret: string | undefined = 'secret') => {
  const { url } = server
  return gitHub({ clientId: 'client', clientSecret, scopes: [], web: url, api: url }, bare)
}

async function signIn(clientSecret?: string, changed = (location: string) => location) {
  const it = client(clientSecret)
  const { location, kept } = await it.begin(BACK, 'state')
  const { headers } = await fetch(changed(location), {
    redirect: 'manual',
    headers: { 'user-agent': 'Tidegate in a browser' },
  })
  return it.finish(new URL(headers.get('location')!), BACK, kept)
}

async function faultOf(signingIn: Promise<unknown>): Promise<string> {
  const error = await signingIn.then(
    () => 'signed in',
    (it) => it,
  )
  expect(error).toBeInstanceOf(SignInFault)
  expect(error.message).not.toContain('stranger')
  return error.message
}

describe('a sign-in with GitHub', () => {
  test('returns the person’s numeric ID, primary address, organizations and teams', async () => {
    expect(await signIn()).toEqual({
      id: `${server.url} 42`,
      name: 'ada@example.com',
      groups: ['acme', 'acme/data'],
    })
  })

  test('goes to github.com, and requests addresses and organizations with PKCE', async () => {
    const settings = { clientId: 'client', clientSecret: 'secret', scopes: ['repo'] }
    const { location } = await gitHub(settings, fetch).begin(BACK, 'state')
    const { origin, pathname, searchParams } = new URL(location)
    expect(origin + pathname).toBe('https://github.com/login/oauth/authorize')
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'client',
      redirect_uri: BACK,
      scope: 'user:email read:org repo',
      state: 'state',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  test.each([
    ['is not verified', [{ email: 'eve@example.com', primary: true, verified: false }]],
    ['is not the primary one', [{ email: 'eve@example.com', primary: false, verified: true }]],
    ['is missing', []],
    ['is a key', [{ email: 'key:abc', primary: true, verified: true }]],
  ])('is refused if the address %s', async (_, emails) => {
    server.answers['/user/emails'] = emails
    expect(await faultOf(signIn())).toContain('not verified')
  })

  test.each(['/user', '/user/emails', '/user/orgs', '/user/teams'])(
    'is refused if %s is missing or malformed, and nothing is guessed',
    async (path) => {
      server.answers[path] = { id: 'x', odd: 'stranger' }
      await faultOf(signIn())
      delete server.answers[path]
      await faultOf(signIn())
    },
  )

  const organisations = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ login: `org${i}` }))

  test('reads lists page by page, without following their links', async () => {
    server.answers['/user/orgs'] = organisations(150)
    const { groups, ...person } = await signIn()
    expect([groups.length, groups[149], groups[150]]).toEqual([151, 'org149', 'acme/data'])
    expect(person).not.toHaveProperty('unknownGroups')
  })

  test.each([201, 300, 301, 5_000])('reports that %i organizations were cut', async (n) => {
    server.answers['/user/orgs'] = organisations(n)
    const { groups, unknownGroups } = await signIn()
    expect([groups.length, unknownGroups]).toEqual([200, 'cut'])
  })

  test.each(['/user/orgs', '/user/teams'])(
    'reports that %s leaves out organizations that require single sign-on',
    async (path) => {
      server.headers[path] = { 'x-github-sso': 'partial-results; organizations=21955855,20582480' }
      expect(await signIn()).toMatchObject({
        groups: ['acme', 'acme/data'],
        unknownGroups: 'left out',
      })
    },
  )

  test.each([
    ['user:email', 'withheld'],
    ['user repo', 'withheld'],
    ['', 'withheld'],
    ['user:email read:org', undefined],
    ['user admin:org', undefined],
  ])(
    'reports groups as withheld only if the scope in the URL cannot read them: %s',
    async (scope, unknownGroups) => {
      const person = await signIn(undefined, (location) => {
        const url = new URL(location)
        url.searchParams.set('scope', scope)
        return url.href
      })
      expect(person.unknownGroups).toBe(unknownGroups)
    },
  )

  test('tells the operator what to check if the secret is wrong or missing', async () => {
    expect(await faultOf(signIn('wrong'))).toContain('SIGN_IN_CLIENT_SECRET')
    expect(await faultOf(client('').begin(BACK, 'state'))).toContain('SIGN_IN_CLIENT_SECRET')
  })

  test('is refused if it was not begun here', async () => {
    const back = new URL(`${BACK}?code=code0`)
    expect(await faultOf(client().finish(back, BACK, undefined))).toContain('has ended')
    expect(await faultOf(client().finish(back, BACK, { verifier: 'x' }))).toContain('used before')
  })

  test('reports that the person did not agree', async () => {
    const back = new URL(`${BACK}?error=access_denied&error_description=stranger`)
    expect(await faultOf(client().finish(back, BACK, { verifier: 'x' }))).toContain('did not agree')
  })
})

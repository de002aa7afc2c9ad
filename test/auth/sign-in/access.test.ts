import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { personOfAccess } from '../../../src/auth/sign-in/access.ts'
import { SignInFault } from '../../../src/auth/sign-in/person.ts'
import {
  type FakeProvider,
  type Signing,
  startIdentityProvider,
} from '../../servers/identity-provider.ts'

let team: FakeProvider

beforeEach(async () => {
  team = await startIdentityProvider()
})
afterEach(() => team.close())

const ADA = { sub: 'user 1', email: 'ada@example.com', aud: ['app'], type: 'app' }

const who = (headers: Record<string, string>, more: Record<string, string | undefined> = {}) => {
  const settings = { ACCESS_TEAM: team.issuer, ACCESS_AUDIENCE: 'app', ...more }
  return personOfAccess(new Request('https://gate.example/', { headers }), settings, fetch)
}
const header = (assertion: string) => ({ 'cf-access-jwt-assertion': assertion })

describe('Cloudflare Access', () => {
  test('identifies the sender of a request by its header or its cookie', async () => {
    const iat = Math.floor(Date.now() / 1_000) - 100_000
    const assertion = await team.sign({ ...ADA, groups: [], iat })
    const person = { id: `${team.issuer} user 1`, name: 'ada@example.com', groups: [] }
    // The time since which Access has known the groups.
    const ada = { ...person, groupsAt: iat * 1_000 }
    expect(await who(header(assertion))).toEqual(ada)
    expect(await who({ cookie: `a=b; CF_Authorization=${assertion}; c=d` })).toEqual(ada)
    expect(await who(header(assertion), { ACCESS_TEAM: `${team.issuer}/` })).toEqual(ada)
  })

  test('passes on the groups from the provider behind it', async () => {
    const groups = async (claims: object, more = {}) =>
      (await who(header(await team.sign({ ...ADA, ...claims })), more))?.groups
    expect(await groups({ groups: ['staff'] })).toEqual(['staff'])
    expect(await groups({ custom: { groups: ['staff'] } })).toEqual(['staff'])
    expect(await groups({ custom: 'staff' })).toEqual([])
    const roles = { SIGN_IN_GROUPS_CLAIM: 'roles' }
    expect(await groups({ custom: { roles: 'staff' } }, roles)).toEqual(['staff'])
  })

  test.each<[string, object]>([
    ['for another application', { aud: ['other'] }],
    ['for no application', { aud: undefined }],
    ['from another team', { iss: 'https://other.cloudflareaccess.com' }],
    ['that has expired', { exp: 1 }],
    ['that never expires', { exp: undefined }],
    ['from a program, which has no address', { email: undefined, sub: '', common_name: 'x' }],
    ['that names a key as the person', { email: 'key:abc' }],
  ])('identifies nobody by an assertion %s', async (_, claims) => {
    expect(await who(header(await team.sign({ ...ADA, ...claims })))).toBeUndefined()
  })

  test.each<Signing>([
    'no key',
    'its public key as a secret',
    'the key of somebody else',
    'a key in the header',
    'a key that it does not publish',
  ])('identifies nobody by an assertion that is signed with %s', async (signing) => {
    expect(await who(header(await team.sign(ADA, {}, signing)))).toBeUndefined()
  })

  test('identifies nobody without an assertion or without its settings', async () => {
    expect(await who({ 'cf-access-authenticated-user-email': 'ada@example.com' })).toBeUndefined()
    const long = await team.sign({ ...ADA, more: 'x'.repeat(20_000) })
    for (const text of ['', 'x', 'a.b.c', long]) {
      expect(await who(header(text))).toBeUndefined()
    }
    const asserted = header(await team.sign(ADA))
    expect(await who(asserted, { ACCESS_TEAM: undefined })).toBeUndefined()
    expect(await who(asserted, { ACCESS_AUDIENCE: undefined })).toBeUndefined()
  })

  test('ignores the cookie if the header is invalid', async () => {
    const cookie = `CF_Authorization=${await team.sign(ADA)}`
    expect(await who({ ...header('a.b.c'), cookie })).toBeUndefined()
  })

  test('reports a fault if it cannot be reached or its address is invalid', async () => {
    team.behaviour.trouble['/cdn-cgi/access/certs'] = 'redirect'
    const asserted = header(await team.sign(ADA))
    await expect(who(asserted)).rejects.toThrow(SignInFault)
    await expect(who(asserted, { ACCESS_TEAM: 'acme' })).rejects.toThrow('https URL')
  })
})

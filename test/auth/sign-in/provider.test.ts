import { describe, expect, test } from 'vitest'
import { SignInFault } from '../../../src/auth/sign-in/person.ts'
import { identityProvider } from '../../../src/auth/sign-in/provider.ts'

const at = (SIGN_IN_ISSUER: string) =>
  identityProvider({ SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID: 'client' }, fetch)

describe('the sign-in provider', () => {
  test.each([
    ['https://accounts.google.com', 'Google'],
    ['https://github.com', 'GitHub'],
    ['https://github.com/', 'GitHub'],
    ['https://login.microsoftonline.com/9f/v2.0', 'Microsoft'],
    ['https://acme.okta.com', 'Okta'],
    ['https://acme.okta.com.evil.example', 'acme.okta.com.evil.example'],
    ['https://evil.example/acme.okta.com', 'evil.example'],
    ['https://id.example:8443/realms/acme', 'id.example:8443'],
    [' https://accounts.google.com ', 'Google'],
  ])('at %s is called %s', (issuer, title) => {
    expect(at(issuer)?.title).toBe(title)
  })

  test('does not exist without an issuer and a client', () => {
    expect(identityProvider({}, fetch)).toBeUndefined()
    expect(identityProvider({ SIGN_IN_CLIENT_ID: 'client' }, fetch)).toBeUndefined()
    expect(identityProvider({ SIGN_IN_ISSUER: 'https://github.com' }, fetch)).toBeUndefined()
    expect(at(' ')).toBeUndefined()
  })

  test('reports an invalid address when somebody signs in', async () => {
    const begun = at('accounts.google.com')!.begin('https://gate.example/signin/callback', 's')
    await expect(begun).rejects.toThrow(SignInFault)
  })
})

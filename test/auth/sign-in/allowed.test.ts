import { expect, test } from 'vitest'
import { isAllowed } from '../../../src/auth/sign-in/allow.ts'

const ada = { id: 'issuer 1', name: 'ada@example.com', groups: ['staff'] }

test('a person with the passphrase or a code is let in', () => {
  expect(isAllowed({ person: ada, isForeign: false }, {})).toBe(true)
})

test.each([
  ['ada@example.com', true],
  ['group:staff', true],
  ['eve@example.com', false],
  ['', false],
  [undefined, false],
])('a person from a provider needs SIGN_IN_ALLOW to match: %s', (SIGN_IN_ALLOW, allowed) => {
  expect(isAllowed({ person: ada, isForeign: true }, { SIGN_IN_ALLOW })).toBe(allowed)
})

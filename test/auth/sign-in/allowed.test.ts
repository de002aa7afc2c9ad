import { expect, test } from 'vitest'
import { isAllowed } from '../../../src/auth/sign-in/allowed.ts'

const ada = { id: 'issuer 1', name: 'ada@example.com', groups: ['staff'] }

test('who had the passphrase or a code may come in', () => {
  expect(isAllowed({ person: ada, isForeign: false }, {})).toBe(true)
})

test.each([
  ['ada@example.com', true],
  ['group:staff', true],
  ['eve@example.com', false],
  ['', false],
  [undefined, false],
])('whom a provider names may come in if SIGN_IN_ALLOW says so: %s', (SIGN_IN_ALLOW, allowed) => {
  expect(isAllowed({ person: ada, isForeign: true }, { SIGN_IN_ALLOW })).toBe(allowed)
})

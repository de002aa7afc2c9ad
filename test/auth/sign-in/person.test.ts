import { describe, expect, test } from 'vitest'
import { isName, userIdOf } from '../../../src/auth/sign-in/person.ts'
import { person } from '../../../src/registry/api/keys.ts'

describe('a person’s name', () => {
  test.each([
    ...['ada@example.com', 'Ada Lovelace', '*', 'keys', 'Key', 'groups', 'é'.repeat(200)],
    ...['', 'key', 'key:', 'key:abc', 'Key:abc', 'a\u0000', '\u0085', '\n', 'x'.repeat(201)],
  ])('is valid for a sign-in exactly if it is valid for a key: %j', (text) => {
    expect(isName(text)).toBe(person.safeParse(text).success)
  })

  test('cannot be a name for a group, a key or passphrase holders, however it is written', () => {
    const kelvin = '\u212aey:abc'
    const groups = ['group:', 'group:staff', 'Group:Staff', 'GROUP:staff']
    const keys = ['key', 'key:abc', 'KEY:abc', kelvin]
    expect([...groups, ...keys, 'passphrase', 'Passphrase'].filter(isName)).toEqual([])
  })
})

test('a person’s ID in grants is opaque, stable and free of colons', async () => {
  const [ada, eve] = ['ada', 'eve'].map((it) => ({ id: `https://a ${it}`, name: it, groups: [] }))
  expect(await userIdOf(ada!)).toMatch(/^[\w-]{43}$/)
  expect(await userIdOf(ada!)).toBe(await userIdOf({ ...ada!, name: 'other' }))
  expect(await userIdOf(ada!)).not.toBe(await userIdOf(eve!))
})

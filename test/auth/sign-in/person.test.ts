import { describe, expect, test } from 'vitest'
import { isName, userIdOf } from '../../../src/auth/sign-in/person.ts'
import { person } from '../../../src/registry/api/keys.ts'

describe('the name of a person', () => {
  test.each([
    ...['ada@example.com', 'Ada Lovelace', '*', 'keys', 'Key', 'groups', 'é'.repeat(200)],
    ...['', 'key', 'key:', 'key:abc', 'Key:abc', 'a\u0000', '\u0085', '\n', 'x'.repeat(201)],
  ])('is one for a sign-in if it is one for a key: %j', (text) => {
    expect(isName(text)).toBe(person.safeParse(text).success)
  })

  test('is never that of a group, a key, or those who know the passphrase, however it is written', () => {
    const kelvin = '\u212aey:abc'
    const groups = ['group:', 'group:staff', 'Group:Staff', 'GROUP:staff']
    const keys = ['key', 'key:abc', 'KEY:abc', kelvin]
    expect([...groups, ...keys, 'passphrase', 'Passphrase'].filter(isName)).toEqual([])
  })
})

test('grants know a person by an id that tells nothing, is the same each time, and has no colon', async () => {
  const [ada, eve] = ['ada', 'eve'].map((it) => ({ id: `https://a ${it}`, name: it, groups: [] }))
  expect(await userIdOf(ada!)).toMatch(/^[\w-]{43}$/)
  expect(await userIdOf(ada!)).toBe(await userIdOf({ ...ada!, name: 'other' }))
  expect(await userIdOf(ada!)).not.toBe(await userIdOf(eve!))
})

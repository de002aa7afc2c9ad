import { describe, expect, test } from 'vitest'
import { allowRules, allows, faultOfAllow } from '../../../src/auth/sign-in/allow.ts'

const person = (name: string, ...groups: string[]) => ({ id: `https://a ${name}`, name, groups })
const isAllowed = (text: string | undefined, name: string, ...groups: string[]) =>
  allows(allowRules(text), person(name, ...groups))

describe('SIGN_IN_ALLOW', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada@Example.com', 'ADA@example.COM'],
    ['re\u0301ne@example.com', 'r\u00e9ne@example.com'],
    ['eve@x.example,\n ada@example.com \r\n', 'ada@example.com'],
    ['*@example.com', 'ada@example.com'],
    ['*@EXAMPLE.com', 'ada@Example.com'],
    ['*', 'anybody at all'],
    ['ada', 'ada'],
  ])('%j lets %j in', (text, name) => {
    expect(isAllowed(text, name)).toBe(true)
    expect(faultOfAllow(text)).toBeUndefined()
  })

  test.each([
    ['ada@example.com', 'eve@example.com'],
    ['ada@example.com', 'ada@example.com.evil.example'],
    ['ada@example.com', 'xada@example.com'],
    ['*@example.com', 'eve@mail.example.com'],
    ['*@example.com', 'eve@evilexample.com'],
    ['*@example.com', 'eve@example.com@evil.example'],
    ['*@example.com', 'eve@evil.example@example.com'],
    ['*@example.com', '@example.com'],
    ['*@example.com', 'example.com'],
    ['*@example.com', '*@example.com.evil.example'],
    ['group:staff', 'group:staff'],
    ['group:staff', 'staff'],
    ['ada', 'eve'],
  ])('%j does not let %j in', (text, name) => {
    expect(isAllowed(text, name)).toBe(false)
    expect(faultOfAllow(text)).toBeUndefined()
  })

  test('admits the members of a group, whatever the case of its name', () => {
    expect(isAllowed('group:acme/Data', 'ada', 'other', 'ACME/data')).toBe(true)
    expect(isAllowed('group:data', 'ada', 'acme/data', 'group:data', '*')).toBe(false)
    expect(isAllowed('data', 'ada', 'data')).toBe(false)
  })

  test.each([undefined, '', ' ', ',\n,'])('lets nobody in if it is %j, and says so', (text) => {
    expect(isAllowed(text, 'ada@example.com', '')).toBe(false)
    expect(isAllowed(text, '')).toBe(false)
    expect(faultOfAllow(text)).toContain('names nobody')
  })

  test.each([
    ...['*@', '*@*', '*@*.example.com', '*@a@b', '*@exam ple.com', '*.example.com', '*example.com'],
    ...['@example.com', '**', 'ada*', 'key', 'key:abc', 'group:', 'group:key', 'group:group:x'],
    'x'.repeat(201),
  ])('lets nobody in because of %j, and says what is wrong', (entry) => {
    const text = `ada@example.com, ${entry}`
    expect(faultOfAllow(text)).toContain('SIGN_IN_ALLOW has')
    expect(isAllowed(text, 'ada@example.com')).toBe(true)
    expect(isAllowed(entry, entry.replace('*', 'a'), entry.replace('group:', ''))).toBe(false)
    expect(isAllowed(entry, 'eve@mail.example.com', 'eve')).toBe(false)
  })

  test('lets nobody in if it is too long, and says so', () => {
    const many = Array.from({ length: 1_001 }, (_, i) => `a${i}@example.com`).join()
    const long = `${'\n'.repeat(300_000)}a1@example.com`
    for (const text of [many, `*,${many}`, `*,${long}`]) {
      expect(isAllowed(text, 'a1@example.com')).toBe(false)
      expect(faultOfAllow(text)).toContain('1000 entries')
    }
  })
})

import { globSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  BoundedMap,
  counted,
  foldName,
  isLoopback,
  networkOf,
  steadyNow,
} from '../src/ground/index.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** The files of src that match, except those in src/ground/ and the listed ones. */
const filesWith = (pattern: RegExp, ...except: readonly string[]) =>
  globSync('src/**/*.{ts,tsx}')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('src/ground/') && !except.includes(path))
    .filter((path) => pattern.test(readFileSync(path, 'utf8')))

describe('each rule that rights depend on is defined once', () => {
  test('comparing names', () => {
    expect(foldName('ADA@Example.com')).toBe('ada@example.com')
    expect(foldName('Zoe\u0308')).toBe(foldName('ZO\u00cb'))
    // A passphrase is not a name: it is case-sensitive.
    expect(filesWith(/\.normalize\((?:'NFC'|"NFC"|)\)/, 'src/auth/sign-in/passphrase.ts')).toEqual(
      [],
    )
  })

  test('recognizing this machine', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.10', '[::1]', '::1'])
      expect(isLoopback(host), host).toBe(true)
    for (const host of [
      ...['', 'x.localhost', 'localhost.', 'localhost.example', '127.0.0.1.example', '127.1'],
      ...['127.', '127.example', '0.0.0.0', '[::2]', '[::ffff:127.0.0.1]', 'xlocalhost', '::1\n'],
    ])
      expect(isLoopback(host), host).toBe(false)
    // The protocol library does not import src/ground/.
    expect(filesWith(/127\\\.|'127\.'|\\\[::1|'\[?::1\]?'/, 'src/mcp/eras/origin.ts')).toEqual([])
  })

  test('grouping addresses into networks', () => {
    expect(networkOf('192.0.2.7')).toBe('192.0.2.7')
    expect(networkOf('192.0.2.7:50001')).toBe('192.0.2.7')
    expect(networkOf('2001:DB8::6')).toBe(networkOf('2001:db8:0:0:1::'))
    expect(networkOf('2001:db8::6')).not.toBe(networkOf('2001:db8:0:1::6'))
    expect(filesWith(/slice\(0, 4\)\.join\(':'\)/)).toEqual([])
  })

  test.each<[title: string, pattern: RegExp, ...except: string[]]>([
    // The script of the Console runs in a browser.
    ['hashing text', /digest\(\s*'SHA-256'/, 'src/console/proof.ts'],
    ['the right to read', /['"]db:read['"]/, 'src/registry/keys/key.ts'],
    ['plurals', /=== 1 \? '' : 's'|\? '' : 's'\}/],
  ])('%s', (_, pattern, ...except) => {
    expect(filesWith(pattern, ...except)).toEqual([])
  })
})

test('a number agrees with its noun', () => {
  expect([counted(1, 'key'), counted(5_000, 'key'), counted(0, 'person', 'people')]).toEqual([
    '1 key',
    '5,000 keys',
    '0 people',
  ])
})

describe('a bounded map', () => {
  test('drops a value when its lifetime ends', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const map = new BoundedMap<string>({ entries: 5, ttlMs: 10_000 })
    map.set('a', 'now')
    map.set('b', 'before', 0, steadyNow() - 5_000)
    vi.setSystemTime(Date.now() + 5_000)
    expect([map.get('a'), map.get('b')]).toEqual(['now', undefined])
    vi.setSystemTime(Date.now() + 5_000)
    expect(map.get('a')).toBeUndefined()
  })

  test('drops all values when the clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const map = new BoundedMap<string>({ entries: 5, ttlMs: 10_000 })
    map.set('a', 'now')
    vi.setSystemTime(Date.now() - 1)
    expect(map.get('a')).toBeUndefined()
  })

  test('limits number and size, and drops the least recently used value first', () => {
    const map = new BoundedMap<number>({ entries: 3, size: 100 })
    for (const [i, key] of ['a', 'b', 'c', 'a', 'd'].entries()) map.set(key, i, 10)
    expect(['a', 'b', 'c', 'd'].map((it) => map.get(it))).toEqual([3, undefined, 2, 4])
    map.get('a')
    map.set('e', 5, 10)
    expect([...map].map(([key]) => key)).toEqual(['d', 'a', 'e'])
    map.set('f', 6, 85)
    expect([[...map], map.size]).toEqual([
      [
        ['e', 5],
        ['f', 6],
      ],
      95,
    ])
    map.set('g', 7, 500)
    expect([[...map], map.size]).toEqual([[['g', 7]], 500])
    map.delete('g')
    expect([map.get('g'), map.size]).toEqual([undefined, 0])
  })
})

import { describe, expect, test } from 'vitest'
import type { Cell } from '../../src/database/index.ts'
import { filterKept } from '../../src/gateway/answer/filter-kept.ts'
import { likeMatcher } from '../../src/gateway/answer/like-matcher.ts'
import { randomFrom } from '../fuzz/random.ts'

const kept = (values: readonly Cell[]) => ({
  columns: [{ name: 'x', type: 'text' }],
  rows: values.map((it) => [it]),
})

const found = (values: readonly Cell[], op: string, value: unknown) =>
  filterKept(kept(values), { where: [{ column: 'x', op, value } as never] }).rows.map(([it]) => it)

const sorted = (values: readonly Cell[], key = 'x') =>
  filterKept(kept(values), { orderBy: [key] }).rows.map(([it]) => it)

describe('values of a stored result', () => {
  test('are compared as numbers if both are numeric, at any length', () => {
    const numbers = [
      '-10',
      '-9.5',
      -1,
      '-0.25',
      0,
      '0.1',
      '0.25',
      1,
      '007.5',
      '10',
      `1${'0'.repeat(3000)}`,
    ]
    expect(sorted(numbers.toReversed())).toEqual(numbers)
    expect(sorted(numbers, 'x desc')).toEqual(numbers.toReversed())
    expect(found(numbers, 'gt', '1')).toEqual(numbers.slice(8))
    expect(found(numbers, 'lte', -0.25)).toEqual(numbers.slice(0, 4))
    expect(found(numbers, 'between', ['0', '1.000'])).toEqual(numbers.slice(4, 8))
  })

  test('are equal as numbers if both are numeric, and as text otherwise', () => {
    const values = [
      '5',
      '5.0',
      5,
      '05.',
      '5.',
      '-0',
      '0.00',
      0,
      'a',
      'A',
      null,
      true,
      '1e3',
      '1000',
    ]
    expect(found(values, 'in', ['5.00'])).toEqual(['5', '5.0', 5])
    expect(found(values, 'in', ['5.', 'a', 'true'])).toEqual(['5.', 'a', true])
    expect(found(values, 'in', ['0', 1000])).toEqual(['-0', '0.00', 0, '1000'])
    expect(found(values, 'not_in', ['5', '0', 'a', '1000'])).toEqual([
      '05.',
      '5.',
      'A',
      true,
      '1e3',
    ])
    for (const value of values) {
      const equal = found(values, 'eq', value)
      expect(found(values, 'in', [value])).toEqual(equal)
      expect([...equal, ...found(values, 'ne', value)]).toHaveLength(values.length - 1)
    }
  })

  test('match contains in any letter case, with a literal percent sign', () => {
    expect(found(['Abc', { a: 'B' }, 12, null], 'contains', 'b')).toEqual(['Abc', { a: 'B' }])
    expect(found(['50%', '505'], 'contains', '0%')).toEqual(['50%'])
  })

  test('are sorted by the first key that differs', () => {
    const rows = [
      [1, 'b'],
      [2, 'a'],
      [1, 'a'],
    ]
    const two = { columns: ['x', 'y desc'].map((name) => ({ name, type: '' })), rows }
    const order = (...orderBy: string[]) =>
      filterKept(two, { orderBy }).rows.map((it) => it.join(''))
    expect(order('x', 'y desc')).toEqual(['1a', '1b', '2a'])
    expect(order('y desc', 'x  DESC ')).toEqual(['2a', '1a', '1b'])
    expect(order('x asc', 'x desc')).toEqual(['1b', '1a', '2a'])
  })
})

/** A simple, slow implementation of SQL LIKE. */
function isLike(text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text.length === 0
  if (first === '%') return text.some((_, i) => isLike(text.slice(i), rest)) || isLike([], rest)
  const [next, ...others] = text
  return next !== undefined && (first === '_' || first === next) && isLike(others, rest)
}

describe('a LIKE pattern', () => {
  test('matches the same texts as a reference implementation', () => {
    const { pick, below } = randomFrom(7)
    const some = (of: readonly string[], most: number) =>
      Array.from({ length: below(most) }, () => pick(of))
    let likes = 0
    for (let i = 0; i < 5_000; i++) {
      const text = some(['a', 'b', '\n', '🙂', '.'], 9)
      const pattern = some(['a', 'b', '%', '_', '🙂', '\n', '.', '\\'], 7)
      const expected = isLike(text, pattern)
      likes += Number(expected)
      expect(likeMatcher(pattern.join(''))(text.join('')), JSON.stringify([text, pattern])).toBe(
        expected,
      )
    }
    expect(likes).toBeGreaterThan(200)
  })

  test('can be longer than a machine word', () => {
    const text = Array.from({ length: 200 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('')
    expect(likeMatcher(text)(text)).toBe(true)
    expect(likeMatcher(`%${text.slice(60)}`)(text)).toBe(true)
    expect(likeMatcher(`${text.slice(0, 70)}%${'_'.repeat(90)}`)(text)).toBe(true)
    expect(likeMatcher(`${text.slice(0, 70)}${'_'.repeat(131)}`)(text)).toBe(false)
  })
})

// Each of these would time out if it took more than linear time.
describe('hostile queries of a stored result', () => {
  const many = Array.from({ length: 2_000 }, (_, i) => `${i}`)

  test('finish in time with many values', () => {
    const values = Array.from({ length: 100_000 }, (_, i) => `${i + 2_000}`)
    expect(found(many, 'not_in', values)).toHaveLength(2_000)
    expect(found(many, 'in', values)).toHaveLength(0)
  })

  test('finish in time with long sort keys, and with many of them', () => {
    const asked = (orderBy: string[]) => () => filterKept(kept(many), { orderBy })
    expect(asked([`x${' '.repeat(200_000)}y`])).toThrow('no column called')
    expect(asked([`${' '.repeat(200_000)}x`])).toThrow('no column called')
    expect(asked(Array.from({ length: 100_000 }, () => 'x desc'))().rows[0]).toEqual(['1999'])
  })

  test('finish in time with numbers of many digits', () => {
    const long = many.map((it) => `${'9'.repeat(1_000)}${it}`)
    expect(sorted(long)).toHaveLength(2_000)
    expect(found(long, 'in', long.slice(0, 5))).toHaveLength(5)
  })

  test('finish in time with patterns that match almost everywhere', () => {
    const text = 'a'.repeat(200_000)
    for (const pattern of ['%a'.repeat(250), `${'%_a'.repeat(160)}b`, `%${'a'.repeat(490)}b`]) {
      expect(found([text], 'like', pattern)).toHaveLength(pattern.endsWith('b') ? 0 : 1)
    }
  })
})

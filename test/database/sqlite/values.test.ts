import { describe, expect, test } from 'vitest'
import { cell, classOf, commonClass, mayBeRounded } from '../../../src/database/sqlite/values.ts'

const blob = (...bytes: number[]) => new Uint8Array(bytes).buffer

describe('a value of SQLite', () => {
  test.each([
    ['null', null, null],
    ['an integer', 42, 42],
    ['a real', 0.1, 0.1],
    ['a text', 'é😕', 'é😕'],
    ['infinity', Infinity, 'Infinity'],
    ['minus infinity', -Infinity, '-Infinity'],
    ['an empty blob', blob(), "x''"],
    ['a blob', blob(0, 255, 16), "x'00ff10'"],
  ])('is answered exactly: %s', (_, value, answered) => {
    expect(cell(value)).toBe(answered)
  })

  test('is cut, and says so, if it is a long blob', () => {
    const long = cell(new Uint8Array(4096).buffer)
    expect(long).toBe(`x'${'00'.repeat(256)}…' (256 of 4096 bytes)`)
  })
})

describe('the type of a column', () => {
  test.each([
    ['integer', [1, null, 2]],
    ['real', [1, 0.5]],
    ['real', [Infinity]],
    ['text', ['a', 'b']],
    ['blob', [blob(1)]],
    ['', [null]],
    ['', []],
    ['', [1, 'a']],
  ])('is %o for %o', (type, values) => {
    expect(commonClass(values.map(classOf))).toBe(type)
  })
})

describe('a number that the platform may have rounded', () => {
  test.each([
    [2 ** 53, true],
    [-(2 ** 53), true],
    [2 ** 53 - 1, false],
    [0.5, false],
    [Infinity, false],
    ['9007199254740993', false],
  ])('%s: %s', (value, rounded) => {
    expect(mayBeRounded(value)).toBe(rounded)
  })
})

import { describe, expect, test } from 'vitest'
import { lex } from '../../../src/database/guard/lexer.ts'
import type { Lexis } from '../../../src/database/rules.ts'

const standard: Lexis = { doubleQuotes: 'name' }

const tokens = (sql: string, lexis: Lexis = standard) =>
  lex(sql, lexis).map(({ kind, value }) => `${kind} ${value}`.trim())

describe('a text taken apart', () => {
  test.each<[string, string[]]>([
    ['SELECT Größe', ['word select', 'word größe']],
    ['"Pg_""Sleep" (', ['name pg_"sleep', 'symbol (']],
    ["'it''s' 'x'", ["text ''", "text ''"]],
    ['a.b;', ['word a', 'symbol .', 'word b', 'end ;']],
    ['1.5e-3+.5-0xFf', ['number 1.5e-3', 'symbol +', 'number .5', 'symbol -', 'number 0xFf']],
    ['1 -- a\n/* b */ 2', ['number 1', 'number 2']],
    ['a$b$c', ['word a$b$c']],
    // A Kelvin sign is not a k, whatever toLowerCase() says.
    ['pg_sleep_\u212a', ['word pg_sleep_\u212a']],
    ['', []],
  ])('of %j is %j', (sql, expected) => {
    expect(tokens(sql)).toEqual(expected)
  })

  test('is read by the rules of its dialect', () => {
    expect(tokens('"a"', { doubleQuotes: 'text' })).toEqual(["text ''"])
    expect(tokens('`a``b`', { ...standard, backticks: true })).toEqual(['name a`b'])
    expect(tokens('[a"]', { ...standard, brackets: true })).toEqual(['name a"'])
    expect(tokens('$a$ $b$ $a$ $1', { ...standard, dollarQuotes: true })).toEqual([
      "text ''",
      'symbol $1',
    ])
    expect(tokens("e'\\'' 'b\\''", { ...standard, escapePrefixes: true })).toEqual([
      "text ''",
      "text ''",
    ])
    expect(tokens('@a::b ?1', { ...standard, parameterSuffixes: true })).toEqual([
      'symbol @a::b',
      'symbol ?',
      'number 1',
    ])
  })

  test('knows where its tokens are', () => {
    expect(lex(' "a" , b ', standard).map(({ start, end }) => [start, end])).toEqual([
      [1, 4],
      [5, 6],
      [7, 8],
    ])
  })
})

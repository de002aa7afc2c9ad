import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  ConnectionString,
  ConnectionStringFault,
} from '../../../src/database/connection-string/recognised.ts'
import { recognise } from '../../../src/database/recognise.ts'
import * as corpus from './corpus.ts'

const MOST = 65_536

/** Texts of the greatest length, made of what readers look for. */
const pieces = [
  ...[
    '@',
    '?',
    '#',
    '/',
    ':',
    ';',
    '=',
    ',',
    '%',
    ' ',
    '\n',
    '"',
    "'",
    '`',
    '\\',
    '$',
    '{',
    '[',
    '<',
  ],
  ...[
    'a=',
    '=;',
    'a=b;',
    "a='",
    'a b ',
    '\x24{a}',
    '$a',
    '?a=b',
    '@h?',
    '://',
    'a://',
    'postgres://',
  ],
  ...['postgres:', 'jdbc:', '\\\n', 'DATABASE_URL=', 'a=b\n', 'a: b\n', '- ', 'export ', '"a":'],
  ...['-h ', '--host=', '{"a":', '("', '“', '\u200b', '\u202e', '\ud800', '.', '_'],
]

describe('a hostile text is read in a moment', () => {
  test.each(pieces)('of %j alone', async (piece) => {
    for (const start of ['', 'postgres://', 'postgres://a:', 'host=', '{"a":"', 'psql ', 'a\n']) {
      const text = `${start}${piece.repeat(MOST / piece.length)}`.slice(0, MOST)
      const found = await recognise(text)
      if (!('url' in found)) expect(found.sentence.length).toBeLessThan(600)
    }
  })
})

/** The sentences of an answer. Its parts may hold anything: what has two meanings is shown as it was read. */
const sentencesOf = (found: ConnectionString | ConnectionStringFault) =>
  JSON.stringify('url' in found ? [found.changes, found.hints] : found)

const letters = fc.string({ unit: fc.constantFrom(...'abcXYZ019'), minLength: 6, maxLength: 12 })

describe('whatever is changed in a connection string', () => {
  const texts = [corpus.urls, corpus.forms, corpus.wrapped].flat().map(([text]) => text)

  test('it is read or refused, and never thrown', async () => {
    const changed = fc.tuple(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat(12),
      fc.string({ unit: 'binary', maxLength: 5 }),
    )
    await fc.assert(
      fc.asyncProperty(changed, async ([text, at, length, put]) => {
        const from = at % (text.length + 1)
        const found = await recognise(text.slice(0, from) + put + text.slice(from + length))
        expect('url' in found || found.sentence.length > 20).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test('no sentence repeats the password', async () => {
    const marks = fc.array(fc.constantFrom(...'@:/?#%&=; $[]{}<>|,"\''), { maxLength: 4 })
    const asked = fc.tuple(fc.constantFrom(...texts), letters, marks)
    await fc.assert(
      fc.asyncProperty(asked, async ([text, secret, signs]) => {
        const password = `Zq${secret}${signs.join(secret)}`
        const found = await recognise(text.replaceAll('s3same', password))
        expect(sentencesOf(found)).not.toContain(`Zq${secret}`)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a password that is encoded is read back, whatever it is', async () => {
    const password = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(password, async (it) => {
        fc.pre(it.trim() === it && !/^[*xX.…]{3,}$|^[<{$%[]/.test(it) && it.isWellFormed())
        const text = `postgres://reader:${encodeURIComponent(it)}@db.example.com/shop`
        const found = await recognise(text)
        if (!('url' in found)) return expect(found.sentence).toContain('placeholder')
        expect(decodeURIComponent(new URL(found.url).password)).toBe(it)
      }),
      { numRuns: 1_000 },
    )
  })
})

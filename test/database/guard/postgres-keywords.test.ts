import { expect, test } from 'vitest'
import { rules } from '../../../src/database/postgres/rules.ts'
import { keywords } from '../../fuzz/keywords.ts'
import { judged } from '../../fuzz/postgres.ts'
import { filled, GUIDES } from '../../fuzz/slots.ts'
import { refuse } from '../../support/guard.ts'

/** The words that hid something from the guard once, in pairs. All of them: npm run fuzz -- --keywords */
const FEW = ['as', 'join', 'values', 'recursive', 'lateral', 'select', 'from']

const kinds = await keywords()

test('knows the keywords of PostgreSQL by its own parser', () => {
  expect(kinds.size).toBeGreaterThan(480)
  for (const word of GUIDES) expect(kinds.has(word)).toBe(true)
})

test('no keyword where a name is due hides what must not run', () => {
  const escapes: string[] = []
  let accepted = 0
  for (const text of filled(GUIDES, FEW)) {
    if (refuse(text, rules) !== undefined) continue
    accepted++
    if (typeof judged(text) === 'object') escapes.push(text)
  }
  expect(escapes.slice(0, 10)).toEqual([])
  expect(accepted).toBeGreaterThan(1_000)
})

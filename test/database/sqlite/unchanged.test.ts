import { describe, expect, test } from 'vitest'
import { queries } from '../../fuzz/queries.ts'
import { unchanged } from '../../fuzz/unchanged.ts'
import { pairs } from '../../fuzz/unchanged-engines.ts'

// More of them: npm run fuzz -- --unchanged libsql --count 100000 --seed 1
const [COUNT, SEED] = [1_500, 1]

describe.each(Object.entries(pairs))('the driver %s', (_, open) => {
  test('answers generated queries as the engine does without what we put around them', async () => {
    const { plain, driven } = open(SEED)
    const { changes, answered, rounded } = await unchanged(plain, driven, queries(SEED, COUNT))
    expect(changes).toEqual([])
    // Were most of them refused, it would prove nothing.
    expect(answered).toBeGreaterThan(COUNT / 2)
    expect(rounded).toBeLessThan(COUNT / 500)
  })
})

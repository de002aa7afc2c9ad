import { afterAll, describe, expect, test } from 'vitest'
import { engines } from '../../fuzz/engines.ts'
import { type Engine, fuzz } from '../../fuzz/fuzz.ts'
import { removals } from '../../fuzz/removals.ts'

// More of them: npm run fuzz -- --engine sqlite --count 5000000 --seed 1
const COUNTS = { sqlite: 40_000, postgres: 20_000, mariadb: 10_000, clickhouse: 20_000 }

/** Within how many inputs an escape is found once a rule is out. */
const SOON = 10_000

for (const [name, open] of Object.entries(engines)) {
  const engine = await open().catch((error: Error) => {
    if (process.env.REQUIRE_ALL === '1') throw error
    console.warn(`Skipped for want of ${name}: ${error.message}`)
  })
  if (engine)
    describe(`the guard before ${engine.version()}`, () =>
      tests(engine, COUNTS[name as keyof typeof COUNTS]))
  else describe.skip(`the guard before ${name}`, () => test('waits for it', () => {}))
}

function tests(engine: Engine, count: number) {
  afterAll(() => engine.close())

  test(`lets through nothing but single reads, of ${count} texts`, async () => {
    const { escapes, accepted, parsed } = await fuzz(engine, { count, seed: 1 })
    expect(escapes).toEqual([])
    // Were all inputs refused, or all of them wrong, it would prove nothing.
    expect(accepted).toBeGreaterThan(count / 5)
    expect(parsed).toBeGreaterThan(count / 20)
  })

  const rules = [...removals(engine.rules)].filter(([rule]) => !engine.unseen.has(rule))
  test.each(rules)('lets something else through without the rule: %s', async (_rule, without) => {
    const run = { count: SOON, seed: 1, rules: without, escapes: 1 }
    expect((await fuzz(engine, run)).escapes).toHaveLength(1)
  })
}

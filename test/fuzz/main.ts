// `npm run fuzz`: texts without end before the guard, and what it lets through before the engine.
import { parseArgs } from 'node:util'
import { engines } from './engines.ts'
import { fuzz, type Tally } from './fuzz.ts'
import { removals } from './removals.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    // Takes the rules of the dialect out one by one, and looks for the first escape of each.
    rules: { type: 'boolean', default: false },
  },
})
const [count, seed] = [Number(values.count), Number(values.seed)]
const opener = engines[values.engine as keyof typeof engines]
if (!opener || !(count > 0) || !Number.isInteger(seed)) {
  const names = Object.keys(engines).join('|')
  console.error(`npm run fuzz -- --engine ${names} --count 100000 --seed 1 [--rules]`)
  process.exit(2)
}

const engine = await opener()
const say = (tally: Tally) =>
  `inputs ${tally.inputs}, accepted ${tally.accepted}, parsed ${tally.parsed}, escapes ${tally.escapes.length}`
const started = performance.now()
try {
  await (values.rules ? withoutRules() : withRules())
} finally {
  await engine.close()
}

async function withRules() {
  const tally = await fuzz(engine, {
    count,
    seed,
    onProgress: (tally) => process.stderr.write(`${say(tally)}\n`),
  })
  for (const { input, text, why } of tally.escapes) {
    console.log(`escape at input ${input}: ${why}\n  ${JSON.stringify(text)}`)
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(`${engine.version()}, seed ${seed}, ${seconds} s`)
  console.log(say(tally))
  if (tally.escapes.length > 0) process.exitCode = 1
}

async function withoutRules() {
  console.log(`${engine.version()}, seed ${seed}: the guard without a rule, and the first escape`)
  for (const [rule, rules] of removals(engine.rules)) {
    const unseen = engine.unseen.get(rule)
    if (unseen) {
      console.log(`${rule.padEnd(24)} ${unseen}`)
      continue
    }
    const { escapes } = await fuzz(engine, { count, seed, rules, escapes: 1 })
    const [first] = escapes
    const found = first && `${first.input}: ${first.why}: ${JSON.stringify(first.text)}`
    console.log(`${rule.padEnd(24)} ${found ?? `none in ${count}`}`)
    if (!found) process.exitCode = 1
  }
}

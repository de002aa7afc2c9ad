// `npm run fuzz`: runs endless texts through the guard, and the accepted ones through the engine. Or
// compares a driver with its engine alone.
import { parseArgs } from 'node:util'
import { doubling } from './doubling.ts'
import { engines } from './engines.ts'
import { everyKeyword, hasKeywords } from './every-keyword.ts'
import { fuzz, type Tally } from './fuzz.ts'
import { queries } from './queries.ts'
import { removals } from './removals.ts'
import { unchanged } from './unchanged.ts'
import { pairs } from './unchanged-engines.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    // Removes the rules of the dialect one by one, and finds the first escape without each.
    rules: { type: 'boolean', default: false },
    // Checks that this driver does not change the answer when it wraps a query.
    unchanged: { type: 'string' },
    // Doubles the length of every argument, and reports times that more than triple.
    arguments: { type: 'boolean', default: false },
    // Puts every keyword of PostgreSQL or MariaDB in place of a name.
    keywords: { type: 'boolean', default: false },
  },
})
if (values.arguments) process.exit((await doubling((it) => console.log(it))) > 0 ? 1 : 0)
const { engine: name = values.keywords ? 'postgres' : 'sqlite' } = values
if (values.keywords && hasKeywords(name)) {
  process.exit((await everyKeyword(name, (it) => console.log(it))) > 0 ? 1 : 0)
}
const [count, seed] = [Number(values.count), Number(values.seed)]
const opener = values.keywords ? undefined : engines[name as keyof typeof engines]
const pair = values.unchanged === undefined ? undefined : pairs[values.unchanged as 'd1']
const known = values.unchanged === undefined ? opener : pair
if (!opener || !known || !(count > 0) || !Number.isInteger(seed)) {
  const [names, drivers] = [engines, pairs].map((it) => Object.keys(it).join('|'))
  console.error(`npm run fuzz -- --engine ${names} --count 100000 --seed 1 [--rules]`)
  console.error(`npm run fuzz -- --unchanged ${drivers} --count 100000 --seed 1`)
  console.error('npm run fuzz -- --arguments')
  console.error('npm run fuzz -- --keywords [--engine postgres|mariadb]')
  process.exit(2)
}

if (pair) {
  await withDriver(pair)
  process.exit()
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

async function withDriver(open: typeof pairs.d1) {
  const { plain, driven } = open(seed)
  const say = (it: Awaited<ReturnType<typeof unchanged>>) =>
    `queries ${it.inputs}, answered ${it.answered}, rounded ${it.rounded}, changed ${it.changes.length}`
  const tally = await unchanged(plain, driven, queries(seed, count), {
    onProgress: (it) => process.stderr.write(`${say(it)}\n`),
  })
  for (const change of tally.changes) console.log(JSON.stringify(change, null, 2))
  console.log(`${values.unchanged}, seed ${seed}`)
  console.log(say(tally))
  if (tally.changes.length > 0) process.exitCode = 1
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

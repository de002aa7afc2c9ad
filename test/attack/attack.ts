// `npm run attack`: tries the corpus against every engine, with all layers and with each layer alone.
// It prints a summary at the end.
import { parseArgs } from 'node:util'
import { onNode } from '../support/node-worker.ts'
import { startClickHouse } from './clickhouse.ts'
import { isFor, ours, readCorpus } from './corpus.ts'
import { startMySql } from './mysql.ts'
import type { Engine } from './place.ts'
import { startPostgres } from './postgres.ts'
import { attackEngine, type Finding, type Outcome } from './runs.ts'
import { startSqlite } from './sqlite.ts'
import { checkTable, writeTable } from './table.ts'

/** Every engine, by its name in a corpus. */
const engines: Readonly<Record<string, (statements: readonly string[]) => Promise<Engine>>> = {
  postgres: startPostgres,
  mysql: startMySql,
  sqlite: startSqlite,
  clickhouse: (statements) => startClickHouse(statements, 'debian'),
  'clickhouse-current': (statements) => startClickHouse(statements, 'current'),
}

const HELP = `Attacks Tidegate: every statement and name of the corpus, by the public tools, against real engines.

  npm run attack                          the corpus in test/attack/corpus
  npm run attack -- --corpus FILE.jsonl   another of the same form; may be repeated
  npm run attack -- --engine NAME         one of ${Object.keys(engines).join(', ')}; may be repeated
  npm run attack -- --table               writes what it found into docs/read-only.md`

const PATIENCE_MS = 15 * 60_000

process.exitCode = 1 // in case the process ends before there is a verdict
setTimeout(() => {
  console.error(`Not finished after ${PATIENCE_MS / 60_000} min.`)
  process.exit()
}, PATIENCE_MS).unref()

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', multiple: true },
    engine: { type: 'string', multiple: true },
    table: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const chosen = values.engine ?? Object.keys(engines)
const strange = chosen.find((it) => !(it in engines))
if (values.help || strange !== undefined) {
  console.log(strange === undefined ? HELP : `There is no engine "${strange}".\n\n${HELP}`)
  process.exit(strange === undefined ? 0 : 1)
}

// Node has no D1.
const isWhole = !values.corpus && !values.engine && !onNode

const corpus = readCorpus(values.corpus ?? ours, Object.keys(engines))
const skipped: string[] = []
const results = await Promise.all(chosen.map(attack))
const outcomes = results.flat()
process.exitCode = report(outcomes)
process.exit()

async function attack(name: string): Promise<readonly Outcome[]> {
  const statements = corpus.attacks.filter(isFor(name)).map(({ sql }) => sql)
  let engine: Engine
  try {
    engine = await engines[name]!(statements)
  } catch (error) {
    skipped.push(`${name}: ${(error as Error).message.split('\n')[0]}`)
    return []
  }
  try {
    const found = await attackEngine(name, engine, corpus)
    for (const it of found)
      console.log(`${it.engine}, ${it.way}, ${it.role}: ${it.attacks} attacks tried.`)
    return found
  } finally {
    await engine.close()
  }
}

/** Prints every finding, and returns an exit code. */
function report(outcomes: readonly Outcome[]): number {
  const all = (of: (outcome: Outcome) => readonly Finding[]) =>
    outcomes.flatMap((it) =>
      of(it).map((found) => ({ ...found, at: [it.engine, it.way, it.role].join(', ') })),
    )
  const effects = all(({ effects }) => effects)
  const unclear = all(({ unclear }) => unclear)
  const refused = all(({ refused }) => refused)

  console.log()
  for (const sentence of corpus.problems) console.log(sentence)
  for (const sentence of skipped) console.log(`Skipped ${sentence}`)
  for (const [what, list] of Object.entries({
    Effect: effects,
    Unclear: unclear,
    Refused: refused,
  })) {
    for (const { name, reason, at } of list) console.log(`${what}: ${name} at ${at}: ${reason}`)
  }
  let stale: string | undefined
  if (values.table) writeTable(outcomes)
  else if (isWhole && skipped.length === 0) stale = checkTable(outcomes)
  if (stale) console.log(stale)

  const tried = (it: { readonly engine: string }) =>
    it.engine === 'any' ||
    chosen.some((name) => isFor(name)(it) && !skipped.some((s) => s.startsWith(`${name}:`)))
  const attacks = [...corpus.attacks, ...corpus.names].filter(tried).length
  const reads = corpus.benign.filter(tried).length
  const names = (list: readonly Finding[]) => new Set(list.map(({ name }) => name)).size
  console.log(
    `attacks ${attacks}, effects ${names(effects)}, unclear answers ${names(unclear)}, ` +
      `benign ${reads}, refused ${names(refused)}`,
  )
  const wrong = effects.length + unclear.length + refused.length + corpus.problems.length
  const missing = process.env.REQUIRE_ALL === '1' && skipped.length > 0
  return wrong > 0 || missing ? 1 : 0
}

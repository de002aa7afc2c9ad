import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './evaluate.ts'

/** What a question costs: calls of tools, and tokens of what is sent and read. */
export interface Cost {
  readonly calls: number
  readonly tokens: number
}

/** What everything has cost before. */
export interface Baseline {
  /** Tokens of the instructions and of the list of tools, which every conversation begins with. */
  readonly told: number
  readonly questions: Readonly<Record<string, Cost>>
}

const FILE = join(import.meta.dirname, 'baseline.json')

/** What may be added before it is a regression. */
const GROWTH = 1.1

export const readBaseline = (): Baseline => JSON.parse(readFileSync(FILE, 'utf8'))

/** Writes what everything costs, a question a line. */
export function writeBaseline(told: number, outcomes: readonly Outcome[]): void {
  const lines = outcomes.map(
    ({ name, calls, tokens }) => `    "${name}": { "calls": ${calls}, "tokens": ${tokens} }`,
  )
  writeFileSync(FILE, `{\n  "told": ${told},\n  "questions": {\n${lines.join(',\n')}\n  }\n}\n`)
}

/** What many questions cost together. */
export const total = (costs: readonly Cost[]): Cost => ({
  calls: costs.reduce((sum, it) => sum + it.calls, 0),
  tokens: costs.reduce((sum, it) => sum + it.tokens, 0),
})

/** What costs a tenth more than before or is new, a sentence each. */
export function grown(before: Baseline, told: number, outcomes: readonly Outcome[]): string[] {
  const found: string[] = []
  const compare = (what: string, old: number, now: number, unit: string) => {
    if (now > old * GROWTH) found.push(`${what}: ${now} ${unit} where there were ${old}.`)
  }
  compare('What is told first', before.told, told, 'tokens')
  for (const { name, calls, tokens } of outcomes) {
    const old = before.questions[name]
    if (!old) {
      found.push(`${name}: not in the baseline, which \`npm run answers -- --update\` writes.`)
      continue
    }
    compare(name, old.calls, calls, 'calls')
    compare(name, old.tokens, tokens, 'tokens')
  }
  const old = total(outcomes.flatMap(({ name }) => before.questions[name] ?? []))
  const now = total(outcomes)
  compare('All together', old.calls, now.calls, 'calls')
  compare('All together', old.tokens, now.tokens, 'tokens')
  return found
}

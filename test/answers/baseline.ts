import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './evaluate.ts'

/** The cost of a question: tool calls, and tokens sent and read. */
export interface Cost {
  readonly calls: number
  readonly tokens: number
}

/** The recorded costs. */
export interface Baseline {
  /** Tokens of the instructions and of the list of tools, which are at the start of every conversation. */
  readonly told: number
  readonly questions: Readonly<Record<string, Cost>>
}

const FILE = join(import.meta.dirname, 'baseline.json')

/** The factor above which a higher cost is a regression. */
const GROWTH = 1.1

export const readBaseline = (): Baseline => JSON.parse(readFileSync(FILE, 'utf8'))

/** Writes all costs, with one question on each line. */
export function writeBaseline(told: number, outcomes: readonly Outcome[]): void {
  const lines = outcomes.map(
    ({ name, calls, tokens }) => `    "${name}": { "calls": ${calls}, "tokens": ${tokens} }`,
  )
  writeFileSync(FILE, `{\n  "told": ${told},\n  "questions": {\n${lines.join(',\n')}\n  }\n}\n`)
}

/** The total cost of several questions. */
export const total = (costs: readonly Cost[]): Cost => ({
  calls: costs.reduce((sum, it) => sum + it.calls, 0),
  tokens: costs.reduce((sum, it) => sum + it.tokens, 0),
})

/** A sentence for each cost that is new, or that grew by more than a tenth. */
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

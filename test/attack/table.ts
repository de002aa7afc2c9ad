import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Alone, Outcome } from './runs.ts'

const file = join(import.meta.dirname, '../../docs/read-only.md')

const BEGIN = '<!-- What `npm run attack -- --table` writes begins here. -->'
const END = '<!-- It ends here. -->'

/** Writes the results into the documentation. */
export function writeTable(outcomes: readonly Outcome[]): void {
  const [before, , after] = parts()
  writeFileSync(file, `${before}${BEGIN}\n\n${tableOf(outcomes)}\n${END}${after}`)
}

/** A message if the documentation has other results; otherwise undefined. */
export function checkTable(outcomes: readonly Outcome[]): string | undefined {
  const [, written] = parts()
  return written.trim() === tableOf(outcomes).trim()
    ? undefined
    : 'docs/read-only.md says something else: npm run attack -- --table'
}

function parts(): [string, string, string] {
  const text = readFileSync(file, 'utf8')
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  return [text.slice(0, begin), text.slice(begin + BEGIN.length, end), text.slice(end + END.length)]
}

function tableOf(outcomes: readonly Outcome[]): string {
  const head = [
    ...['engine', 'by', 'as', 'attacks', 'both layers: effects', 'engine alone: effects'],
    ...['engine alone: answered', 'guard alone: effects', 'guard alone: passed on'],
  ]
  const rows = outcomes.map(({ engine, way, role, attacks, effects, engineAlone, guardAlone }) => [
    ...[engine, way, role, attacks, effects.length],
    ...[engineAlone.effects.length, engineAlone.ran.length],
    ...[guardAlone.effects.length, guardAlone.ran.length],
  ])
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [...lines, '', ...listsOf(outcomes)].join('\n')
}

/** The names of the attacks that changed something without one of the layers. */
function listsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ engine, way, role, engineAlone, guardAlone }) => {
    const at = [engine, way, role].filter((it) => it !== '–').join(', ')
    return [
      ...list(`${at}: effects that the engine does not stop alone`, engineAlone),
      ...list(`${at}: effects that the guard does not stop alone`, guardAlone),
    ]
  })
}

const list = (title: string, { effects }: Alone) =>
  effects.length > 0 ? [`- ${title}: ${effects.map(({ name }) => `\`${name}\``).join(', ')}.`] : []

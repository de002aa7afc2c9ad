import { DatabaseError } from '../database.ts'
import { rules } from '../dialects/sqlite-rules.ts'
import { lex } from '../lexer.ts'
import { type Counts, rowsVisited } from './cost.ts'

// Some ten seconds of work. Meanwhile nobody else is served: a Durable Object has one thread, and
// nothing interrupts SQLite on it.
const MOST_ROWS = 50_000_000

// So many take about a millisecond, or less.
const ROWS_A_MS = 5_000

// How long a recursion without a LIMIT may get, depending on what each of its steps costs.
const MOST_STEPS = [1_000_000, 10_000, 100]

/** Runs a statement, with the parameters that the caller sent. */
export type Run = (sql: string) => SqlStorageCursor<Record<string, SqlStorageValue>>

/**
 * Refuses a statement that visits too many rows, or has a recursion that nothing shows to end.
 *
 * No plan tells how long a recursion gets. But SQLite stops it at a LIMIT, so one without is first
 * tried with one. Only random() could make it longer the next time.
 *
 * @param parameters how many the caller sent
 * @param timeoutMs how long the work may take
 */
export function assertBounded(
  sql: string,
  run: Run,
  parameters: number,
  counts: Counts,
  timeoutMs: number,
): void {
  const mostRows = Math.min(MOST_ROWS, timeoutMs * ROWS_A_MS)
  const known = new Map<string, number>()
  const visits = (text: string, lengths: (name: string) => number) =>
    rowsVisited(run(`explain query plan ${text}`).raw(), text, counts, lengths)
  const length = (name: string): number => {
    const own = [...recursions(sql)].filter((it) => it.name === name)
    const isShown = own.length > 0 && own.every(({ limit }) => limit !== Infinity)
    if (!isShown) throw new DatabaseError('refused', ENDLESS)
    const rows = known.get(name) ?? Math.max(...own.map((it) => it.limit ?? tried(name, it.text)))
    known.set(name, rows)
    return rows
  }
  const tried = (name: string, text: string): number => {
    // As many placeholders as there are parameters, wherever the statement has them.
    const all = parameters > 0 ? `where coalesce(?${parameters}, 1) is not null` : ''
    const trial = (steps: number) =>
      `${text}\nlimit ${steps}) select count(*) from "${name.replaceAll('"', '""')}" ${all}`
    const cost = (steps: number) => visits(trial(steps), (it) => (it === name ? steps : length(it)))
    try {
      const steps = MOST_STEPS.find((most) => cost(most) <= mostRows) ?? 0
      const [[counted]] = [...run(trial(steps)).raw<number[]>()] as [[number]]
      if (counted < steps) return counted
    } catch {
      // A recursion that needs what stands around it cannot be tried alone.
    }
    throw new DatabaseError('refused', ENDLESS)
  }
  if (!(visits(sql, length) <= mostRows)) throw new DatabaseError('refused', tooMuch(mostRows))
}

const ENDLESS =
  'Nothing shows that this ends: give a recursive part a LIMIT, as a number and without an OFFSET, and join on keys.'
const tooMuch = (rows: number) =>
  `This may visit more than ${rows / 1e6} million rows: join on keys, filter before joining, or ask in parts.`

/** The queries that refer to themselves, inner ones first, with the text from WITH to their end. */
function* recursions(sql: string) {
  const tokens = lex(sql, rules.lexis)
  // A letter for each token. What is done with is struck out, so no parentheses are in the next.
  let letters = tokens
    .map(({ kind, value }) => LETTERS[`${kind} ${value}`] ?? LETTERS[kind])
    .join('')
  for (let pair = INNERMOST.exec(letters); pair; pair = INNERMOST.exec(letters)) {
    const [body, start, end] = [pair[0], pair.index, pair.index + pair[0].length - 1]
    const header = /n_*a!?m?$/.exec(letters.slice(0, start))?.index ?? -1
    const name = tokens[header]?.value
    if (body.includes('u') && tokens.slice(start, end).some(({ value }) => value === name)) {
      const first = tokens[letters.lastIndexOf('w', header)]?.start
      const last = body.endsWith('l0)') ? Number(tokens[end - 1]!.value) : Infinity
      const limit = body.includes('l') ? last : undefined
      yield { name, limit, text: sql.slice(first, tokens[end]!.start) }
    }
    letters = letters.slice(0, start) + '_'.repeat(body.length) + letters.slice(end + 1)
  }
}

const INNERMOST = /\([^()]*\)/
const LETTERS: Record<string, string> = {
  ...{ word: 'n', name: 'n', number: '0', text: '.', symbol: '.', end: '.' },
  ...{ 'symbol (': '(', 'symbol )': ')', 'word with': 'w', 'word as': 'a', 'word not': '!' },
  ...{ 'word materialized': 'm', 'word union': 'u', 'word limit': 'l' },
}

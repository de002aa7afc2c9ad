import { DatabaseError } from '../error.ts'
import type { Param } from '../rows.ts'
import { type Counts, rowsVisited } from './cost.ts'
import { type Text, textOf, weightOf } from './weight.ts'

// Some seconds of work at the worst. Meanwhile nobody else is served: a Durable Object has one thread, and
// nothing interrupts SQLite on it.
const MOST_ROWS = 50_000_000

// So many take about a millisecond, or less.
const ROWS_A_MS = 5_000

// How long a recursion without a LIMIT may get, depending on what each of its steps costs.
const MOST_STEPS = [1_000_000, 100_000, 10_000, 100]

// What a step of a recursion costs beside the rows that it visits: with UNION, all rows are kept apart.
const STEP = 2
const DISTINCT_STEP = 150

/** Runs a statement, with the parameters that the caller sent. */
export type Run = (sql: string) => SqlStorageCursor<Record<string, SqlStorageValue>>

/**
 * Refuses a statement that visits too many rows, or has a recursion that nothing shows to end.
 *
 * No plan tells how long a recursion gets. But SQLite stops it at a LIMIT, so one without is first
 * tried with one. Only random() could make it longer the next time. What is spent on trying is not
 * there for the statement any more.
 *
 * @param params what the caller sent
 * @param timeoutMs how long the work may take
 */
export function assertBounded(
  sql: string,
  run: Run,
  params: readonly Param[],
  counts: Counts,
  timeoutMs: number,
): void {
  const mostRows = Math.min(MOST_ROWS, timeoutMs * ROWS_A_MS)
  let left = mostRows
  const known = new Map<string, number>()
  const whole = textOf(sql)
  const all = recursions(whole)
  const longest = params.reduce<number>((most, it) => Math.max(most, `${it}`.length), 0)
  const weight = (text: Text, fed = false) => weightOf(text, longest, fed)
  const fed = all.some(({ body }) => weight(textOf(body)).grows)
  const visits = (text: Text, lengths: (name: string) => number) => {
    const { row, largest, frames } = weight(text, fed)
    const plan = run(`explain query plan ${text.sql}`).raw()
    const steps = (name: string) => step(name) / row
    return (
      rowsVisited(plan, text, counts, lengths, largest, steps) * row * (frames ? counts.most : 1)
    )
  }
  const step = (name: string) =>
    all.some((it) => it.name === name && it.distinct) ? DISTINCT_STEP : STEP
  const length = (name: string): number => {
    const own = all.filter((it) => it.name === name)
    const isShown = own.length > 0 && own.every(({ limit }) => limit !== Infinity)
    if (!isShown) throw new DatabaseError('refused', ENDLESS)
    const rows = known.get(name) ?? Math.max(...own.map((it) => it.limit ?? tried(name, it.text)))
    known.set(name, rows)
    return rows
  }
  const tried = (name: string, text: string): number => {
    // As many placeholders as there are parameters, wherever the statement has them.
    const bound = params.length > 0 ? `where coalesce(?${params.length}, 1) is not null` : ''
    const trial = (steps: number) =>
      `${text}\nlimit ${steps}) select count(*) from "${name.replaceAll('"', '""')}" ${bound}`
    const cost = (steps: number) =>
      visits(textOf(trial(steps)), (it) => (it === name ? steps : length(it)))
    try {
      const steps = MOST_STEPS.find((most) => cost(most) <= left) ?? 0
      const [[counted]] = [...run(trial(steps)).raw<number[]>()] as [[number]]
      left -= cost(counted)
      if (counted < steps) return counted
    } catch {
      // A recursion that needs what stands around it cannot be tried alone.
    }
    throw new DatabaseError('refused', ENDLESS)
  }
  if (!(visits(whole, length) <= left)) throw new DatabaseError('refused', tooMuch(mostRows))
}

const ENDLESS =
  'Nothing shows that this ends: give a recursive part a LIMIT, as a number and without an OFFSET, and join on keys.'
const tooMuch = (rows: number) =>
  `This may visit more than ${rows / 1e6} million rows, or take as long: join on keys, filter before joining, make shorter values, or ask in parts.`

interface Recursion {
  readonly name: string
  /** The rows at which it stops: infinitely many where that cannot be read. */
  readonly limit: number | undefined
  /** Whether no row of it comes twice. */
  readonly distinct: boolean
  /** What stands between its parentheses, and all from its WITH to where they close. */
  readonly body: string
  readonly text: string
}

/** The queries that refer to themselves, inner ones first. */
function recursions({ sql, tokens }: Text): readonly Recursion[] {
  const found: Recursion[] = []
  /** Where each name stood last. */
  const named = new Map<string, number>()
  // A letter for each token of a level, in which all between two parentheses is one.
  const levels: Level[] = [{ letters: [], places: [], with: undefined, start: 0, name: undefined }]
  for (const [i, { kind, value, start }] of tokens.entries()) {
    const level = levels.at(-1)!
    const letter = LETTERS[`${kind} ${value}`] ?? LETTERS[kind]!
    if (letter === 'n') named.set(value, i)
    if (letter === 'w') level.with = i
    if (letter === '(') {
      const header = headerOf(level)
      const name = header === undefined ? undefined : tokens[header]!.value
      levels.push({ letters: [], places: [], with: level.with, start: i, name })
      continue
    }
    level.letters.push(letter)
    level.places.push(i)
    if (letter !== ')' || levels.length === 1) continue
    levels.pop()
    const { name, letters } = level
    const above = levels.at(-1)!
    if (name !== undefined && letters.includes('u') && (named.get(name) ?? -1) > level.start) {
      const last = letters.slice(-3).join('') === 'l0)' ? Number(tokens[i - 1]!.value) : Infinity
      const limit = letters.includes('l') ? last : undefined
      const distinct = letters.some((it, at) => it === 'u' && letters[at + 1] !== '*')
      const body = sql.slice(tokens[level.start]!.end, start)
      found.push({
        name,
        limit,
        distinct,
        body,
        text: sql.slice(tokens[above.with ?? 0]!.start, start),
      })
    }
    above.letters.push('_')
    above.places.push(i)
  }
  return found
}

interface Level {
  readonly letters: string[]
  /** The tokens that they stand for. */
  readonly places: number[]
  /** The last WITH before, in whatever level. */
  with: number | undefined
  readonly start: number
  /** What is named by what stands before its parenthesis: `name (…) as materialized`. */
  readonly name: string | undefined
}

/** The token of the name that what follows is given, as in `name (…) as not materialized`. */
function headerOf({ letters, places }: Level): number | undefined {
  let at = letters.length - 1
  if (letters[at] === 'm') at--
  if (letters[at] === '!') at--
  if (letters[at] !== 'a') return undefined
  do at--
  while (letters[at] === '_')
  return letters[at] === 'n' ? places[at] : undefined
}

const LETTERS: Record<string, string> = {
  ...{ word: 'n', name: 'n', number: '0', text: '.', symbol: '.', end: '.' },
  ...{ 'symbol (': '(', 'symbol )': ')', 'word with': 'w', 'word as': 'a', 'word not': '!' },
  ...{ 'word materialized': 'm', 'word union': 'u', 'word all': '*', 'word limit': 'l' },
}

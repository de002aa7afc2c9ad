import type { Dialect } from '../dialect.ts'
import type { Param, Statement } from '../rows.ts'
import type { Token } from './lexer.ts'
import { read } from './reading.ts'

/** A statement in the dialect's own form, and where a place in it was in the text it was made from. */
export interface Placed {
  readonly statement: Statement
  origin(position: number): number
  /** Which place has no value, or which value no place: a sentence for its author. */
  readonly fault?: string | undefined
}

/**
 * Puts the dialect's own placeholders where a statement has `$1`, `$2`, …, which are the same in every
 * dialect; one that is used twice is bound twice where placeholders have no numbers. A statement with
 * none of them stays as it is: the engine's own placeholders also work.
 *
 * The guard reads what comes out: nothing is taken for safe here.
 */
export function placed(statement: Statement, dialect: Dialect): Placed {
  const { sql, params = [] } = statement
  const places = placesIn(statement, dialect)
  const asIs = { statement, origin: (position: number) => position }
  if (places.length === 0) return asIs
  const numbers = places.map(({ value }) => Number(value.slice(1)))
  const fault = faultOf(numbers, params.length)
  if (dialect.placeholder(1) === '$1') return { ...asIs, fault }
  const bound: Param[] = []
  const shifts: { readonly at: number; readonly by: number }[] = []
  let text = ''
  let end = 0
  for (const [i, place] of places.entries()) {
    const own = dialect.placeholder(numbers[i]!)
    text += sql.slice(end, place.start) + own
    end = place.end
    shifts.push({ at: text.length, by: place.end - text.length })
    bound.push(params[numbers[i]! - 1] ?? null)
  }
  const numbered = dialect.placeholder(1) !== dialect.placeholder(2)
  return {
    statement: { sql: text + sql.slice(end), params: numbered ? params : bound },
    origin: (position) => position + (shifts.findLast(({ at }) => at < position)?.by ?? 0),
    fault,
  }
}

/** Which place has no value, or which value no place; undefined where each has its own. */
function faultOf(numbers: readonly number[], params: number): string | undefined {
  const missing = numbers.find((n) => n < 1 || n > params)
  if (missing !== undefined) {
    const sent = params === 1 ? 'is one' : `are ${params}`
    return `There is no value for $${missing}: there ${sent} in params.`
  }
  const taken = new Set(numbers)
  for (let n = 1; n <= params; n++) {
    if (!taken.has(n)) return `Nothing in the statement takes the value of $${n}.`
  }
  return undefined
}

/** The places of `$1`, `$2`, …, in no text, no name and no comment. */
function placesIn(statement: Statement, { rules }: Dialect): readonly Token[] {
  if (!/\$\d/.test(statement.sql)) return []
  // Whatever else this dialect makes of a `$`, it is for the guard to judge afterwards.
  const { tokens } = rules.lexis.asciiWords
    ? read({ sql: statement.sql }, { ...rules, lexis: { ...rules.lexis, asciiWords: false } })
    : read(statement, rules)
  return tokens.filter(({ kind, value }) => kind === 'symbol' && /^\$\d+$/.test(value))
}

import type { Dialect } from '../dialect.ts'
import type { Param, Statement } from '../rows.ts'
import { read } from './reading.ts'
import type { Token } from './token.ts'

/** A statement in the dialect's own form, and its placeholders' positions in the original text. */
export interface BoundStatement {
  readonly statement: Statement
  origin(position: number): number
  /** Message for the author if a placeholder has no value, or a value has no placeholder. */
  readonly fault?: string | undefined
}

/**
 * Puts the dialect's own placeholders where a statement has `$1`, `$2`, …, which work in every dialect. Where
 * placeholders have no numbers, a value used twice is bound twice. A statement without `$1` is unchanged,
 * since the engine's own placeholders also work.
 *
 * The guard reads the result, so nothing here decides what is safe.
 */
export function bindPlaceholders(statement: Statement, dialect: Dialect): BoundStatement {
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
    statement: {
      sql: text + sql.slice(end),
      params: numbered ? params : bound,
      ...(statement.internal && { internal: true }),
    },
    origin: (position) => position + (shifts.findLast(({ at }) => at < position)?.by ?? 0),
    fault,
  }
}

/** Reports a placeholder without a value, or a value without a placeholder. Undefined if all match. */
function faultOf(numbers: readonly number[], params: number): string | undefined {
  const missing = numbers.find((n) => n < 1 || n > params)
  if (missing !== undefined) {
    const sent = params === 1 ? '1 value' : `${params} values`
    return `There is no value for $${missing}: params contains ${sent}.`
  }
  const taken = new Set(numbers)
  for (let n = 1; n <= params; n++) {
    if (!taken.has(n)) return `Nothing in the statement uses the value of $${n}.`
  }
  return undefined
}

/** The tokens `$1`, `$2`, …: not those inside a string, a name or a comment. */
function placesIn(statement: Statement, { rules }: Dialect): readonly Token[] {
  if (!/\$\d/.test(statement.sql)) return []
  // Other meanings of `$` in this dialect are left to the guard.
  const { tokens } = rules.lexis.asciiWords
    ? read({ sql: statement.sql }, { ...rules, lexis: { ...rules.lexis, asciiWords: false } })
    : read(statement, rules)
  return tokens.filter(({ kind, value }) => kind === 'symbol' && /^\$\d+$/.test(value))
}

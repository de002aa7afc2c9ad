import { DatabaseError } from '../error.ts'
import { inlined } from '../guard/inlined.ts'
import { read } from '../guard/reading.ts'
import type { Token } from '../guard/token.ts'
import type { Param, Statement } from '../rows.ts'
import { trimEnd } from '../transport/trim-end.ts'
import { rules } from './rules.ts'

/**
 * Writes a statement's parameters into its SQL as literals.
 *
 * Placeholders look like ClickHouse's own `{name:Type}`. The n-th is `{pn:Type}`, a value of that type, or
 * `{pn}`, a number or a string as it was sent. The server does not bind them, because old servers cannot, and
 * because a number that is too large for its type would wrap around there.
 */
export function bind(statement: Statement): string {
  const { sql, params = [] } = statement
  if (params.length === 0 && !/\{\s*p\d/i.test(sql)) return sql
  const places = [...placesIn(statement)]
  const values = places.map(({ n, type, start, end }) => {
    const value = params[n - 1]
    if (value !== undefined) return { start, end, value, literal: (it: Param) => literal(it, type) }
    throw new DatabaseError(
      'sql',
      `There is no parameter for {p${n}}: send one for each placeholder.`,
    )
  })
  if (new Set(places.map(({ n }) => n)).size < params.length) {
    throw new DatabaseError('sql', 'Not every parameter has a placeholder in the statement.', {
      hint: 'Write the first as {p1:Type}, such as {p1:String} or {p1:UInt64}, the second as {p2:…}.',
    })
  }
  return values.length === 0 ? sql : inlined(statement, values, rules)
}

interface PlaceholderPlace {
  readonly n: number
  readonly type: string | undefined
  readonly start: number
  readonly end: number
}

/** Finds the placeholders in a statement, except in strings, names and comments. */
function* placesIn(statement: Statement): Iterable<PlaceholderPlace> {
  const { tokens, fault = '' } = read(statement, rules)
  if (tokens.length === 0) throw new DatabaseError('refused', fault)
  let last = 0
  for (let i = 0; i < tokens.length; i++) {
    const [open, name, colon] = tokens.slice(i, i + 3)
    const number = /^p([1-9]\d{0,3})$/.exec(name?.kind === 'word' ? name.value : '')?.[1]
    if (open?.value !== '{' || number === undefined) continue
    // Finds the next closing brace. If it was found for an earlier placeholder, the search is not repeated.
    while (last < tokens.length && (last <= i || tokens[last]!.value !== '}')) last++
    const typed = colon?.value === ':'
    if (last === tokens.length || (!typed && last !== i + 2)) continue
    const { start, end } = tokens[last]!
    const type = typed ? statement.sql.slice(colon.end, start).trim() : undefined
    if (type !== undefined && hasComment(type, tokens.slice(i + 3, last), statement.sql)) {
      throw new DatabaseError('refused', 'Leave out comments in the type of a placeholder.')
    }
    yield { n: Number(number), type, start: open.start, end }
    i = last
  }
}

/** True if a type contains more than its tokens and white space. */
const hasComment = (type: string, tokens: readonly Token[], sql: string) =>
  solid(type) !== solid(tokens.map(({ start, end }) => sql.slice(start, end)).join(''))

const solid = (text: string) => text.replace(/\s+/g, '')

/** Writes a value as SQL. If it should be a number and is not, the engine reports that. */
function literal(value: Param, type: string | undefined): string {
  if (value === null) return 'NULL'
  if (type === undefined) return typeof value === 'string' ? quoted(value) : String(Number(value))
  if (type === 'Bool') return `CAST(${quoted(String(value))} AS Bool)`
  const text = typeof value === 'boolean' ? String(Number(value)) : String(value)
  const [, integer, fraction = ''] = /^-?(\d+)(?:\.(\d*))?$/.exec(text) ?? []
  if (integer === undefined || !/^(?:U?Int\d+|Decimal\d*\()/.test(type)) {
    // An integer type would read 1e3 as 1, or refuse it.
    return /^U?Int/.test(type) ? quoted(text) : `CAST(${quoted(text)} AS ${type})`
  }
  const [, precision, scale] = /^Decimal\((\d+), ?(\d+)\)$/.exec(type) ?? []
  const significant = trimEnd(fraction, '0')
  if (fits(integer, significant, Number(precision), Number(scale))) {
    return `CAST(${quoted(text)} AS ${type})`
  }
  if (significant !== '') {
    const digits = integer.length + significant.length
    return `toDecimal${digits > 38 ? 256 : 128}(${quoted(text)}, ${significant.length})`
  }
  const whole = BigInt(text.replace(/\..*/, ''))
  if (whole >= -(2n ** 63n) && whole < 2n ** 64n) return String(whole)
  return `CAST(${quoted(String(whole))} AS Int256)`
}

/** True if a decimal with this many digits can store a number without rounding or truncating it. */
const fits = (integer: string, fraction: string, precision: number, scale: number) =>
  fraction.length <= scale && integer.replace(/^0+/, '').length <= precision - scale

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

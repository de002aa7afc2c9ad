import { isName, isOne, type Token } from '../guard/token.ts'
import type { Param } from '../rows.ts'
import { words } from '../words.ts'

/** The work that a statement does for each row and that its plan does not show. */
export interface Weight {
  /** Bytes of the largest value that it can make. */
  readonly largest: number
  /** The cost of one row among this many, in rows that could be visited meanwhile. */
  perRow(rows: number): number
}

/** Maximum size of a stored value in bytes. */
const STORED_BYTES = 150

/** Maximum size of a value on the platform in bytes. */
const MAX_VALUE_BYTES = 2_200_000

/** The number of bytes that take as long as a row visit, both to move and to read in a call. */
const MOVED_BYTES = 1_000
const READ_BYTES = 50

/** The number of characters that LIKE compares during a row visit, and the length of patterns that are always fast. */
const COMPARED_BYTES = 20
const SHORT_PATTERN = 24

/** The cost of a call in visits, even for a small value. */
const CALL_VISITS = 4

/** Functions that take no longer than a visit, whatever their arguments. */
const PLAIN: ReadonlySet<string> = new Set(
  words(
    'count sum avg total min max coalesce ifnull nullif iif abs sign row_number rank dense_rank ntile',
    'percent_rank cume_dist lag lead first_value last_value nth_value',
  ),
)

/** Functions that build a string from all rows in a group. */
const GATHERERS = /^(?:group_concat|string_agg|jsonb?_group_(?:array|object))$/
/** Functions that combine their arguments. */
const COMPOSERS =
  /^(?:concat|concat_ws|char|jsonb?(?:_array|_object|_set|_insert|_replace|_patch|_quote)?)$/
/** Functions that search for one value in another and start again at each position. */
const SEEKERS = /^(?:instr|replace|trim|ltrim|rtrim|json_patch|jsonb_patch)$/

/** A function call. */
interface FunctionCall {
  readonly name: string
  /** Its arguments: each is a literal or undefined. */
  readonly args: readonly (string | undefined)[]
  /** True if it is in a query in parentheses. */
  readonly isInner: boolean
  /** True if OVER or FILTER follows. */
  readonly isWindow: boolean
}

/**
 * Estimates the cost of a statement's expressions.
 *
 * @param reuses true if it can read the result of an inner query more than once
 */
export function weightOf(
  sql: string,
  tokens: readonly Token[],
  longestParam: number,
  reuses: boolean,
): Weight {
  const calls = callsIn(sql, tokens)
  const literals = tokens.filter(({ kind }) => kind === 'text').map(({ start, end }) => end - start)
  let bytes = STORED_BYTES + literals.reduce((a, b) => Math.max(a, b), longestParam)
  let factor = concatenated(tokens)
  for (const call of calls) {
    const growth = growthBy(call)
    bytes += growth.bytes ?? 0
    factor *= growth.factor ?? 1
  }
  const gatherers = calls.filter(({ name }) => GATHERERS.test(name))
  const made = Math.min(MAX_VALUE_BYTES, bytes * factor)
  const isInner = gatherers.some((it) => it.isInner || it.isWindow)
  // In a string built from all rows in a group, each row has a share of the bytes, unless the string is
  // read again.
  const isRead = gatherers.some((it) => it.isWindow || (it.isInner && reuses))
  const patterns = tokens.flatMap((it, i) =>
    isOne(it, 'like', 'glob') ? patternBytes(tokens, i + 1, longestParam, made) : [],
  )

  function perRow(rows: number): number {
    const gathered = Math.min(MAX_VALUE_BYTES, made * rows)
    const sought = gatherers.length > 0 ? gathered : made
    const extra = Math.max(0, (isRead ? gathered : made) - 8 * STORED_BYTES)
    const costs = calls.map(({ name, args }) => {
      if (PLAIN.has(name)) return 0
      const isShort = args[1] !== undefined && args[1].length > 0 && args[1].length < 20
      const seeks = SEEKERS.test(name) && args.length > 1 && !isShort
      return CALL_VISITS + (seeks ? sought ** 2 / 1_000 : extra / READ_BYTES)
    })
    const called = costs.reduce((a, b) => a + b, 0)
    const matched = patterns
      .map((it) => CALL_VISITS + extra + (it < SHORT_PATTERN ? 0 : (it * made) / COMPARED_BYTES))
      .reduce((a, b) => a + b, 0)
    return called + matched + extra / MOVED_BYTES
  }
  return { largest: isInner ? MAX_VALUE_BYTES : made, perRow }
}

/** The bytes of the pattern that begins here: of its literals and parameters, or of any value if it has other parts. */
function patternBytes(
  tokens: readonly Token[],
  start: number,
  longestParam: number,
  made: number,
): number {
  let bytes = 0
  for (let i = start; i < tokens.length; i++) {
    const { kind, value, end, start: begin } = tokens[i]!
    const isOperand = i === start || isOne(tokens[i - 1], '|', '(', ',')
    if (kind === 'text' || kind === 'number') bytes += end - begin
    else if (kind === 'symbol' && /^[?$:@#]/.test(value)) bytes += longestParam
    else if (!isOne(tokens[i], '(', ')', '|', ',')) return isOperand ? made : bytes
  }
  return bytes
}

/** The growth factor of a value from `||`. The factors of all SELECTs multiply. */
function concatenated(tokens: readonly Token[]): number {
  let [factor, selectFactor] = [1, 1]
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '|') && isOne(tokens[i - 1], '|')) selectFactor++
    if (!isOne(token, 'select')) continue
    factor *= selectFactor
    selectFactor = 1
  }
  return factor * selectFactor
}

/** The bytes that a call adds to a value, and its growth factor. */
function growthBy({ name, args }: FunctionCall): { bytes?: number; factor?: number } {
  const anySize = { bytes: MAX_VALUE_BYTES }
  const [first, second, third] = args
  if (COMPOSERS.test(name)) return { factor: Math.max(1, args.length) }
  switch (name) {
    case 'zeroblob':
    case 'randomblob':
      return { bytes: Number(first ?? Infinity) }
    case 'printf':
    case 'format':
      // A width of three digits is no longer small.
      return first === undefined || /\*|\d{3}/.test(first) ? anySize : { factor: args.length }
    case 'replace':
      if (second === undefined || third === undefined) return anySize
      return { factor: Math.max(1, third.length / Math.max(1, second.length)) }
    case 'strftime':
      return { factor: first !== undefined && first.length <= 40 ? 1 : 10 }
    case 'hex':
    case 'quote':
      return { factor: 2 }
    case 'unistr_quote':
      return { factor: 6 }
    default:
      return {}
  }
}

/** The calls in a statement. */
function callsIn(sql: string, tokens: readonly Token[]): readonly FunctionCall[] {
  const calls: FunctionCall[] = []
  /** The open parentheses, with the commas between them. */
  const open: number[][] = []
  /** The number of open parentheses that contain queries. */
  let queries = 0
  const isQuery = (at: number) => isOne(tokens[at + 1], 'select', 'with', 'values')
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '(')) {
      open.push([i])
      if (isQuery(i)) queries++
    }
    if (isOne(token, ',')) open.at(-1)?.push(i)
    const edges = isOne(token, ')') ? open.pop() : undefined
    if (!edges) continue
    if (isQuery(edges[0]!)) queries--
    const name = tokens[edges[0]! - 1]
    if (!isName(name) || NO_CALLS.has(name!.value)) continue
    const isWindow = isOne(tokens[i + 1], 'over', 'filter')
    const ends = i - edges[0]! > 1 ? [...edges.slice(1), i] : []
    const args = ends.map((end, n) =>
      literal(sql, tokens.slice(edges[n]! + 1, Math.min(end, edges[n]! + 3))),
    )
    calls.push({ name: name!.value, args, isInner: queries > 0, isWindow })
  }
  return calls
}

/** Words that stand before a parenthesis but are not functions. */
const NO_CALLS = new Set(
  words(
    'as in and or not on using over select where from join by values then else when exists materialized filter having limit',
  ),
)

const literal = (sql: string, [token, more]: readonly Token[]) => {
  if (!token || more) return undefined
  if (token.kind === 'text') return sql.slice(token.start + 1, token.end - 1)
  return token.kind === 'number' ? token.value.replaceAll('_', '') : undefined
}

const DATES = /^(?:date|time|datetime|julianday|unixepoch|strftime|timediff)$/

/** Functions that return the same result for the same arguments, and cannot produce the string `now`. */
const STEADY =
  /^(?:round|substr|substring|length|lower|upper|cast|instr|date|time|datetime|julianday|unixepoch|strftime)$/

/** True if this statement's queries return the same rows every time they run. */
export function isSteady(sql: string, tokens: readonly Token[], params: readonly Param[]): boolean {
  const calls = callsIn(sql, tokens)
  if (calls.some(({ name }) => name.startsWith('random'))) return false
  if (tokens.some(({ value }) => value === 'collate' || value.startsWith('current_'))) return false
  // The lexer does not show that a string is used as a name.
  if (tokens.some(({ kind }, i) => kind === 'text' && isOne(tokens[i - 1], ')', 'as'))) return false
  const dates = calls.filter(({ name }) => DATES.test(name))
  if (dates.length === 0) return true
  const isNow = /now|subsec|\|\||->|\bx'/i.test([sql, ...params].join(' '))
  return (
    !isNow &&
    dates.every(({ name, args }) => args.length > (name === 'strftime' ? 1 : 0)) &&
    calls.every(({ name }) => PLAIN.has(name) || STEADY.test(name))
  )
}

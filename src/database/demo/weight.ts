import type { Token } from '../guard/token.ts'
import { type Call, callsIn, numberLiteral, textLiteral } from './calls.ts'
import type { LexedSql } from './lexed-sql.ts'

/** What a statement does with each row, for which a plan has no words. */
export interface Weight {
  /** Bytes of the largest value that it may make. */
  readonly largest: number
  /** How many rows could be visited in the time that it takes for one row. */
  readonly perRow: number
  /** Whether it makes values larger than those it is given. */
  readonly grows: boolean
  /** Whether all rows of a window are read again for each row. */
  readonly rereadsFrames: boolean
}

/** Bytes of a value that the store holds, at most. */
const STORED_BYTES = 100

/** Bytes of the largest value on the platform. */
const MAX_VALUE_BYTES = 2_000_000

/** Bytes that printf() makes of one directive, at most. */
const MAX_DIRECTIVE_BYTES = 100_000

/** A text of all values of a column is as long as this many values of {@link STORED_BYTES}. */
const GROUP_GROWTH = 500

/** One visit to a row includes the work on values up to this many times larger than the stored ones. */
const FREE_GROWTH = 8

/** How many bytes of a value take as long as a visit to a row, by what is done with them. */
const BYTES_PER_VISIT = { returned: 1_000, fedBack: 50, read: 64, made: 16, matched: 5 }

/** Tokens of a statement that cost nothing extra. */
const FREE_TOKENS = 200

/** For each row, this many further tokens cost as much as a visit. */
const TOKENS_PER_VISIT = 10

/**
 * How expensive the expressions of a statement can be: how large a value may get, and how often such
 * a value is read or made.
 *
 * @param longestParamChars characters of the longest parameter
 * @param isRecursive whether a value may come back to what made it, as in a recursion
 */
export function weightOf(
  { sql, tokens }: LexedSql,
  longestParamChars: number,
  isRecursive = false,
): Weight {
  const calls = callsIn(tokens)
  const { bytes, factor } = growthOf(calls, { sql, tokens })
  const grows = factor > 1
  const given = STORED_BYTES + longestLiteral(tokens, longestParamChars) + bytes
  const largest = isRecursive && grows ? MAX_VALUE_BYTES : Math.min(MAX_VALUE_BYTES, given * factor)
  const extra = largest - STORED_BYTES * Math.min(factor, FREE_GROWTH)

  const words = tokens.filter(({ kind }) => kind === 'word').map(({ value }) => value)
  const patterns = words.filter((it) => it === 'like' || it === 'glob').length
  const written = Math.max(0, tokens.length - FREE_TOKENS) / TOKENS_PER_VISIT
  const called = calls.reduce((sum, call) => sum + costOfCall(call, largest, extra, sql), 0)
  const matched = patterns * (2 + extra / BYTES_PER_VISIT.matched)
  const returned = extra / BYTES_PER_VISIT[isRecursive && grows ? 'fedBack' : 'returned']
  return {
    largest,
    perRow: 1 + written + called + matched + returned,
    grows,
    rereadsFrames: words.includes('exclude'),
  }
}

function longestLiteral(tokens: readonly Token[], longestParamChars: number): number {
  const texts = tokens.filter(({ kind }) => kind === 'text').map(({ start, end }) => end - start)
  return texts.reduce((most, it) => Math.max(most, it), longestParamChars)
}

/** The bytes that are added to a value, and how many times larger it gets then. */
interface Growth {
  readonly bytes: number
  readonly factor: number
}

/** How much larger a value gets if it goes through all calls of a statement. */
function growthOf(calls: readonly Call[], { sql, tokens }: LexedSql): Growth {
  let [bytes, factor] = [0, concatenated(tokens)]
  for (const call of calls) {
    const growth = growthByCall(call, sql)
    bytes += growth.bytes
    factor *= growth.factor
    // The text of a group is as long as all its rows together.
    if (AGGREGATES.test(call.name) && (call.depth > 0 || call.isWindow)) factor *= GROUP_GROWTH
  }
  return { bytes, factor }
}

/** How many times larger a value gets by `||`. The factors of all SELECTs multiply. */
function concatenated(tokens: readonly Token[]): number {
  let [factor, selectFactor] = [1, 1]
  for (const [i, { value }] of tokens.entries()) {
    if (value === '|' && tokens[i - 1]?.value === '|') selectFactor++
    if (value !== 'select') continue
    factor *= selectFactor
    selectFactor = 1
  }
  return factor * selectFactor
}

/** Makes a text of a group. */
const AGGREGATES = /^(?:group_concat|string_agg|jsonb?_group_(?:array|object))$/
/** Puts its arguments together. */
const COMPOSERS = /^(?:concat|concat_ws|jsonb?_(?:array|object|set|insert|replace|patch|quote))$/
/** Looks for one value in another, starting again at each place. */
const SEEKERS = /^(?:instr|replace|trim|ltrim|rtrim|json_patch|jsonb_patch)$/
/** Makes a value that is larger than what it is given. */
const MAKERS = /^(?:printf|format|zeroblob|randomblob|replace|hex|quote|strftime)$/

function growthByCall({ name, args }: Call, sql: string): Growth {
  const [first, second, third] = args
  switch (name) {
    case 'zeroblob':
    case 'randomblob':
      return {
        bytes: Math.min(MAX_VALUE_BYTES, numberLiteral(first) ?? MAX_VALUE_BYTES),
        factor: 1,
      }
    case 'printf':
    case 'format':
      return growthByFormat(textLiteral(sql, first), args.length)
    case 'replace': {
      const [from, to] = [textLiteral(sql, second), textLiteral(sql, third)]
      if (from === undefined || to === undefined) return { bytes: MAX_VALUE_BYTES, factor: 2 }
      return { bytes: 0, factor: Math.max(1, to.length / Math.max(1, from.length)) }
    }
    case 'hex':
    case 'quote':
      return { bytes: 0, factor: 2 }
    case 'strftime': {
      const format = textLiteral(sql, first)
      return { bytes: 0, factor: format !== undefined && format.length <= 40 ? 1 : 10 }
    }
    default:
      return { bytes: 0, factor: COMPOSERS.test(name) ? Math.max(1, args.length) : 1 }
  }
}

/** @param format undefined where it is computed */
function growthByFormat(format: string | undefined, args: number): Growth {
  const directives = format?.split('%').slice(1) ?? []
  const mayBeWide = format === undefined || /\*|\d{3}/.test(format)
  if (mayBeWide) {
    return { bytes: MAX_DIRECTIVE_BYTES * Math.max(1, directives.length, args), factor: args }
  }
  const takesTexts = directives.some((it) => !/^[-+ 0,#!.\d]{0,6}[dfgeuixXc]/.test(it))
  return { bytes: format.length, factor: takesTexts ? args : 1 }
}

/**
 * What a call costs, in visits to rows.
 *
 * @param largest bytes of the largest value
 * @param extra how many of these are not paid for with the row
 */
function costOfCall({ name, args }: Call, largest: number, extra: number, sql: string): number {
  const sought = textLiteral(sql, args[1])
  const isShort = sought !== undefined && sought !== '' && sought.length < 20
  if (SEEKERS.test(name) && args.length > 1 && !isShort) {
    return extra > STORED_BYTES ? largest ** 2 / 2_000 : 2
  }
  // One that makes a text of a group adds to it once for each row.
  if (AGGREGATES.test(name)) return 2
  const makes = MAKERS.test(name) || COMPOSERS.test(name)
  return extra / BYTES_PER_VISIT[makes ? 'made' : 'read']
}

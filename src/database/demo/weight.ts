import { lex, type Token } from '../guard/lexer.ts'
import { rules } from '../sqlite/rules.ts'

// Bytes of a value: as many as the store holds in one, and as many as the platform lets one have.
const STORED = 100
// As many rows make as long a text together as any column of the store.
const GROUPED = 500
const LARGEST = 2_000_000
// As many as printf() makes of one directive.
const PRINTED = 100_000

/** A text, and what it is made of. */
export interface Text {
  readonly sql: string
  readonly tokens: readonly Token[]
}

/** Takes a text apart. Throws {@link Unreadable}. */
export const textOf = (sql: string): Text => ({ sql, tokens: lex(sql, rules.lexis) })

/** What a statement does with a row, for which a plan has no words. */
export interface Weight {
  /** Bytes that a value may get. */
  readonly largest: number
  /** As many rows could be visited in the time that one of these takes. */
  readonly row: number
  /** Whether it makes values larger than those it is given. */
  readonly grows: boolean
  /** Whether the frame of a window is gone through anew for each row. */
  readonly frames: boolean
}

/**
 * How heavy the expressions of a statement are at the worst: how large a value may get by what makes
 * large ones, and how often such a value is gone through. What is only written short costs little.
 *
 * @param longest characters of the longest parameter
 * @param fed whether a value may come back to what made it, as in a recursion
 */
export function weightOf({ sql, tokens }: Text, longest: number, fed = false): Weight {
  const calls = callsIn(tokens)
  const texts = tokens.filter(({ kind }) => kind === 'text').map(({ start, end }) => end - start)
  const literal = texts.reduce((most, it) => Math.max(most, it), longest)
  let [size, factor] = [STORED + literal, joined(tokens)]
  for (const call of calls) {
    const made = madeBy(call, sql)
    size += made.bytes
    factor *= made.times
    // The texts of a group are as long as its rows together, for whatever stands around it.
    if (GROUPS.test(call.name) && (call.depth > 0 || call.over)) factor *= GROUPED
  }
  const grows = factor > 1
  size = fed && grows ? LARGEST : Math.min(LARGEST, size * factor)
  // A row of the store has its time, however it is shown.
  const extra = size - STORED * Math.min(factor, 8)
  const words = tokens.filter(({ kind }) => kind === 'word').map(({ value }) => value)
  const likes = words.filter((it) => it === 'like' || it === 'glob').length
  const work = calls.reduce((sum, call) => sum + workOf(call, size, extra, sql), 0)
  const written = Math.max(0, tokens.length - 200) / 10
  return {
    largest: size,
    row: 1 + written + work + likes * (2 + extra / 5) + extra / (fed && grows ? 50 : 1_000),
    grows,
    frames: words.includes('exclude'),
  }
}

interface Call {
  readonly name: string
  /** The tokens of each argument. */
  readonly given: (readonly Token[])[]
  /** Parentheses around it. */
  readonly depth: number
  readonly over: boolean
}

/** What looks like a call, inner ones first. */
function callsIn(tokens: readonly Token[]): Call[] {
  const calls: Call[] = []
  const open: { at: number; commas: number[] }[] = []
  for (const [i, { kind, value }] of tokens.entries()) {
    if (kind !== 'symbol') continue
    if (value === '(') open.push({ at: i, commas: [] })
    if (value === ',') open.at(-1)?.commas.push(i)
    const closed = value === ')' ? open.pop() : undefined
    const before = closed && tokens[closed.at - 1]
    if (!closed || (before?.kind !== 'word' && before?.kind !== 'name')) continue
    // `with t (a, b) as (…)` names columns.
    const names = tokens[i + 1]?.value === 'as' && NAMING.has(tokens[i + 2]?.value ?? '')
    if (names || before.value === 'count') continue
    const edges = [closed.at, ...closed.commas, i]
    // No more of an argument than it takes to tell a literal.
    const given = edges
      .slice(1)
      .map((end, n) => tokens.slice(edges[n]! + 1, Math.min(end, edges[n]! + 3)))
    const over = tokens[i + 1]?.value === 'over' || tokens[i + 1]?.value === 'filter'
    calls.push({ name: before.value, given, depth: open.length, over })
  }
  return calls
}

/** How many times larger a value gets where values are put together with `||`: at each level anew. */
function joined(tokens: readonly Token[]): number {
  let [times, here] = [1, 1]
  for (const [i, { value }] of tokens.entries()) {
    if (value === '|' && tokens[i - 1]?.value === '|') here++
    if (value !== 'select') continue
    times *= here
    here = 1
  }
  return times * here
}

const NAMING = new Set(['(', 'not', 'materialized'])

const GROUPS = /^(?:group_concat|string_agg|jsonb?_group_(?:array|object))$/
const BUILDS = /^(?:concat|concat_ws|jsonb?_(?:array|object|set|insert|replace|patch|quote))$/
const SEEKS = /^(?:instr|replace|trim|ltrim|rtrim|json_patch|jsonb_patch)$/
const MAKES = /^(?:printf|format|zeroblob|randomblob|replace|hex|quote|strftime)$/

/** The bytes that a call adds to what it is given, and how many times larger it makes that. */
function madeBy({ name, given }: Call, sql: string): { bytes: number; times: number } {
  const [first = [], second = [], third = []] = given
  switch (name) {
    case 'zeroblob':
    case 'randomblob':
      return { bytes: numberIn(first), times: 1 }
    case 'printf':
    case 'format': {
      const form = textIn(first, sql)
      const directives = form?.split('%').slice(1) ?? []
      if (form === undefined || /\*|\d{3}/.test(form)) {
        return {
          bytes: PRINTED * Math.max(1, directives.length, given.length),
          times: given.length,
        }
      }
      const texts = directives.some((it) => !/^[-+ 0,#!.\d]{0,6}[dfgeuixXc]/.test(it))
      return { bytes: form.length, times: texts ? given.length : 1 }
    }
    case 'replace': {
      const [from, to] = [textIn(second, sql), textIn(third, sql)]
      if (from === undefined || to === undefined) return { bytes: LARGEST, times: 2 }
      return { bytes: 0, times: Math.max(1, to.length / Math.max(1, from.length)) }
    }
    case 'hex':
    case 'quote':
      return { bytes: 0, times: 2 }
    case 'strftime':
      return { bytes: 0, times: (textIn(first, sql)?.length ?? 100) > 40 ? 10 : 1 }
    default:
      return { bytes: 0, times: BUILDS.test(name) ? Math.max(1, given.length) : 1 }
  }
}

/** In rows: what makes a value is slower than what reads it, and what seeks one begins at each place. */
function workOf({ name, given }: Call, size: number, extra: number, sql: string): number {
  const sought = given[1] && textIn(given[1], sql)
  if (SEEKS.test(name) && given.length > 1 && !(sought && sought.length < 20)) {
    return extra > STORED ? size ** 2 / 2_000 : 2
  }
  // One that makes a text of a group adds to it once for each row.
  if (GROUPS.test(name)) return 2
  return extra / (MAKES.test(name) || BUILDS.test(name) ? 16 : 64)
}

/** The text that an argument is, if it is nothing else. */
const textIn = ([it, more]: readonly Token[], sql: string) =>
  it?.kind === 'text' && !more ? sql.slice(it.start + 1, it.end - 1) : undefined

/** The number that an argument is, or one larger than any. */
const numberIn = ([it, more]: readonly Token[]) =>
  it?.kind === 'number' && !more ? Math.min(LARGEST, Number(it.value.replaceAll('_', ''))) : LARGEST

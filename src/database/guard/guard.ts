import type { Statement } from '../rows.ts'
import type { Rules } from '../rules.ts'
import type { Token } from './lexer.ts'
import { type Reading, read } from './reading.ts'
import { relations } from './relations.ts'

/** What was said of a statement: others on its way may ask, too. */
const judged = new WeakMap<Reading, string | undefined>()

/**
 * Why a statement may not run as one that only reads, as a sentence its author can act on; nothing if
 * it may. A statement of ours may look at relations that hide what they hold from everybody else.
 *
 * It is the first of three layers. The engine's own read-only mode is the second and the rights of
 * the database role the third: a function that somebody defined is beyond any list of words.
 */
export function refuse(statement: Statement, rules: Rules): string | undefined {
  const reading = read(statement, rules)
  if (reading.fault !== undefined) return reading.fault
  const ours = statement.own ? { ...rules, hidden: NOTHING } : rules
  if (!judged.has(reading)) judged.set(reading, judge(reading.tokens, ours))
  return judged.get(reading)
}

const NOTHING = /(?!)/

function judge(all: readonly Token[], rules: Rules): string | undefined {
  const tokens = all.filter(({ kind }) => kind !== 'end')
  const no = refuseVerb(tokens, rules) ?? refuseMain(tokens) ?? refuseAttribute(tokens, rules)
  for (let i = 0; no === undefined && i < tokens.length; i++) {
    const sentence = refuseToken(tokens, i, rules)
    if (sentence) return sentence
  }
  return no
}

/** What a read can begin with, once SHOW and EXPLAIN are put aside. */
const QUERY = new Set(['select', 'with', 'values', 'table'])

function refuseVerb(tokens: readonly Token[], rules: Rules): string | undefined {
  const first = pastParentheses(tokens, 0)
  const { kind, value } = tokens[first] ?? tokens[0]!
  if (kind !== 'word' || !rules.reads.includes(value)) {
    const words = rules.reads.map((word) => word.toUpperCase())
    const reads = `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
    return `Only ${reads} may run; this endpoint never writes.`
  }
  if (value !== 'explain') return undefined
  const query = tokens.findIndex(({ kind, value }) => kind === 'word' && QUERY.has(value))
  const between = tokens.slice(first + 1, query < 0 ? tokens.length : query)
  while (between.at(-1)?.value === '(') between.pop()
  const options = between.map((it) => it.value).join(' ')
  if (query >= 0 && rules.explain.test(options)) return undefined
  const write = between.find((it) => isOne(it, ...WRITES))?.value.toUpperCase()
  if (write !== undefined) return `EXPLAIN may only plan a query here, not ${write}.`
  if (between.some((it) => isOne(it, 'analyze', 'analyse')) || isText(between[0])) {
    return 'EXPLAIN may only plan a query, without ANALYZE: that would run it.'
  }
  const plain = query >= 0 && between.length > 0 ? ' Leave out its options.' : ''
  return `EXPLAIN may only plan a query here.${rules.instead ? ` ${rules.instead}` : plain}`
}

const WRITES = new Set(['insert', 'update', 'delete', 'merge', 'replace'])

/**
 * Refuses a writing statement behind its WITH, at any depth: after `SEARCH … SET x` its own keyword
 * follows an ordinary word. MySQL explains one behind DESCRIBE, past words of its own.
 */
function refuseMain(tokens: readonly Token[]): string | undefined {
  const waiting = [isOne(tokens[0], 'describe', 'desc')]
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '(')) waiting.push(false)
    if (isOne(token, ')') && waiting.length > 1) waiting.pop()
    if (token.kind !== 'word') continue
    const depth = waiting.length - 1
    if (beginsQuery(tokens, i)) waiting[depth] = token.value === 'with'
    // `WITH update AS (…)` and `, update (a) AS (…)` only name a table expression.
    const named = isOne(tokens[i - 1], 'with', 'recursive', ',')
    if (waiting[depth] && WRITES.has(token.value) && !named) return writes(token.value)
  }
  return undefined
}

/** Whether a query begins with this word, and not one of its names: `BY values`, `1 AS select`. */
function beginsQuery(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i]
  // A column of a table may have any of these as its quoted name.
  if (token?.kind !== 'word') return false
  const { value } = token
  if (value === 'values') return isOne(tokens[i + 1], '(', 'row')
  return QUERY.has(value) && !isOne(tokens[i - 1], 'as') && !isOne(tokens[i + 1], 'as')
}

/**
 * Refuses a function that is called as if it were a column. `x.f` is `f(x)` for any value `x`, and
 * PostgreSQL names values by itself: `trim(…)` in FROM is `btrim`. So what stands before the dot says
 * nothing, and only the name of a relation calls nothing: `from x.f`, `x.f.a`.
 */
function refuseAttribute(tokens: readonly Token[], { attributes }: Rules): string | undefined {
  if (!attributes) return undefined
  const tables = relations(tokens)
  let of: 'table' | 'column' | 'value' = 'column'
  for (const [i, token] of tokens.entries()) {
    if (!isName(token)) continue
    if (!isOne(tokens[i - 1], '.')) of = tables.has(i) ? 'table' : 'column'
    // `(x).f`, `x[1].f`, `$1.f`: each name behind a value may be a call.
    else if (!isName(tokens[i - 2])) of = 'value'
    else if (of === 'table') continue
    const behindDot = isOne(tokens[i - 1], '.')
    const last = !isOne(tokens[i + 1], '.')
    if (behindDot && (last || of === 'value') && matches(attributes, token.value)) {
      return `${token.value}() is not allowed here.`
    }
  }
  return undefined
}

function refuseToken(tokens: readonly Token[], i: number, rules: Rules): string | undefined {
  const { kind, value } = tokens[i]!
  if (kind !== 'word' && kind !== 'name') return undefined
  const call = isCall(tokens, i, rules)
  if (call && isRefused(tokens, i, rules)) return `${value}() is not allowed here.`
  if (matches(rules.hidden, value)) return `${value} is not allowed here.`
  if (kind === 'name') return undefined

  const before = tokens[i - 1]
  const clause =
    !call && rules.clauses.find((words) => words.startsWith(value) && follows(tokens, i, words))
  if (clause && !isLabel(tokens, i)) {
    return rules.forms?.includes(clause)
      ? `${clause.toUpperCase()} is not allowed here; leave that clause out: the answer has its own form.`
      : `${clause.toUpperCase()} is not allowed here; this endpoint never writes or locks.`
  }
  // Where a statement begins inside another: `WITH a AS (DELETE …`, `WITH a AS (…) DELETE …`.
  const after = tokens[i + 1]
  const begins = after?.kind === 'name' || (after?.kind === 'word' && !OPERATORS.has(after.value))
  return WRITES.has(value) && begins && isOne(before, '(', ')') ? writes(value) : undefined
}

/** Whether a function is called by this name, and no table expression or alias gets its columns. */
function isCall(tokens: readonly Token[], i: number, { applies, callers }: Rules): boolean {
  if (!isOne(tokens[i + 1], '(')) {
    const applied = applies === true && isApplied(tokens, i)
    return applied || (callers !== undefined && isPassed(tokens, i, callers))
  }
  if (!applies && isOne(tokens[i - 1], 'as')) return false
  if (!isOne(tokens[i - 1], 'with', 'recursive', ',')) return true
  // `WITH x (a, b) AS (SELECT …`: what a call in FROM has behind AS are columns and their types.
  let end = i + 2
  while (isName(tokens[end]) && isOne(tokens[end + 1], ',')) end += 2
  if (!isName(tokens[end]) || !isOne(tokens[end + 1], ')')) return true
  let query = end + 2
  if (!isOne(tokens[query], 'as')) return true
  while (isOne(tokens[query + 1], 'not', 'materialized')) query++
  return !isOne(tokens[query + 1], '(') || !beginsQuery(tokens, query + 2)
}

/** Whether a function that is called may not be. */
const isRefused = (tokens: readonly Token[], i: number, { calls, pairs }: Rules) =>
  matches(calls, tokens[i]!.value) ||
  (pairs !== undefined && matches(pairs, tokens[i]!.value) && !hasThird(tokens, i + 1))

/** How many tokens of a call are counted. */
const MAX_CALL_TOKENS = 200

/** Whether there are two commas between these parentheses, as far as anybody looks. */
function hasThird(tokens: readonly Token[], open: number): boolean {
  let [depth, commas] = [0, 0]
  for (let i = open; i < open + MAX_CALL_TOKENS; i++) {
    if (isOne(tokens[i], '(', '[')) depth++
    if (isOne(tokens[i], ')', ']') && --depth === 0) break
    if (depth === 1 && isOne(tokens[i], ',')) commas++
  }
  return commas >= 2
}

/** What follows a column, and is the name of no table: `max(update)`, `cast(update as date)`. */
const OPERATORS = new Set(['as', 'is', 'in', 'like', 'and', 'or', 'not', 'order'])

/**
 * Whether a keyword only labels a column: behind AS or a point. An AS behind a point, behind `@` or
 * behind another AS may be a label itself; and a name follows its point at once, for to MySQL
 * `@a. into` has a variable `a.`.
 */
function isLabel(tokens: readonly Token[], i: number): boolean {
  let first = i
  while (isOne(tokens[first - 1], 'as')) first--
  const before = tokens[first - 1]
  if (first === i) return isOne(before, '.') && before?.end === tokens[i]!.start
  const labels = i - first - (isOne(before, '.', '@') ? 1 : 0)
  return labels % 2 === 1
}

/**
 * Whether an engine could take a name for one of these. MariaDB finds `sys_eval` by `sýs_eval`, and
 * `benchmark` by one with a Kelvin sign; PostgreSQL in Turkish takes an İ for an i.
 */
function matches(names: RegExp, name: string): boolean {
  if (names.test(name)) return true
  if (!NOT_ASCII.test(name)) return false
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replaceAll('ß', 's')
  return names.test(plain.toUpperCase().toLowerCase())
}

const NOT_ASCII = /[^\n -~]/

const isText = (token: Token | undefined) => token?.kind === 'text'

const isName = (token: Token | undefined) => token?.kind === 'word' || token?.kind === 'name'

const isApplied = (tokens: readonly Token[], i: number) =>
  isOne(tokens[i - 1], 'apply') || (isOne(tokens[i - 1], '(') && isOne(tokens[i - 2], 'apply'))

/** Whether a name alone, in parentheses or not, is the first of the values of one of these. */
function isPassed(tokens: readonly Token[], i: number, callers: RegExp): boolean {
  let [first, last] = [i - 1, i + 1]
  for (; isOne(tokens[first - 1], '(') && isOne(tokens[last], ')'); last++) first--
  const caller = tokens[first - 1]
  const called = isOne(tokens[first], '(') && isName(caller) && callers.test(caller!.value)
  return called && isOne(tokens[last], ',', 'as')
}

const follows = (tokens: readonly Token[], from: number, words: string) =>
  words.split(' ').every((word, n) => isOne(tokens[from + n], word))

const writes = (word: string) =>
  `${word.toUpperCase()} is not allowed here; this endpoint never writes.`

const isOne = (token: Token | undefined, ...values: string[]) =>
  token !== undefined &&
  (token.kind === 'word' || token.kind === 'symbol') &&
  values.includes(token.value)

function pastParentheses(tokens: readonly Token[], from: number): number {
  let at = from
  while (isOne(tokens[at], '(')) at++
  return at
}

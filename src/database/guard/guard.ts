import type { Statement } from '../rows.ts'
import type { Rules } from '../rules.ts'
import { isCall, isRefusedCall } from './calls.ts'
import { matches } from './names.ts'
import { beginsQuery, QUERY_WORDS } from './query.ts'
import { type Reading, read } from './reading.ts'
import { relations } from './relations.ts'
import { isName, isOne, type Token } from './token.ts'

/** Why each statement is refused; undefined for one that may run. Drivers ask again. */
const verdicts = new WeakMap<Reading, string | undefined>()

/**
 * Why a statement may not run as one that only reads, as a sentence its author can act on; undefined
 * if it may. Tidegate's own statements may read relations that are hidden from others.
 *
 * It is the first of three layers. The engine's own read-only mode is the second, and the rights of
 * the database role are the third: a list of words cannot tell what a user's own function does.
 */
export function refuse(statement: Statement, rules: Rules): string | undefined {
  const reading = read(statement, rules)
  if (reading.fault !== undefined) return reading.fault
  const effectiveRules = statement.internal ? internalRules(rules) : rules
  if (!verdicts.has(reading)) verdicts.set(reading, judge(reading.tokens, effectiveRules))
  return verdicts.get(reading)
}

const internalRules = (rules: Rules): Rules => ({
  ...rules,
  hiddenRelations: NO_NAME,
  explainOptions: rules.internalExplainOptions ?? rules.explainOptions,
})

/** Matches no name. */
const NO_NAME = /(?!)/

function judge(all: readonly Token[], rules: Rules): string | undefined {
  const tokens = all.filter(({ kind }) => kind !== 'end')
  const refused =
    refuseVerb(tokens, rules) ?? refuseBehindWith(tokens) ?? refuseAttribute(tokens, rules)
  if (refused !== undefined) return refused
  for (const i of tokens.keys()) {
    const sentence = refuseToken(tokens, i, rules)
    if (sentence !== undefined) return sentence
  }
  return undefined
}

/** Refuses a statement that does not begin like a read, or explains something other than a query. */
function refuseVerb(tokens: readonly Token[], rules: Rules): string | undefined {
  const first = pastParentheses(tokens, 0)
  const { kind, value } = tokens[first] ?? tokens[0]!
  if (kind !== 'word' || !rules.readVerbs.includes(value)) {
    const words = rules.readVerbs.map((word) => word.toUpperCase())
    const reads = `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
    return `Only ${reads} may run; this endpoint never writes.`
  }
  return value === 'explain' ? refuseExplain(tokens.slice(first + 1), rules) : undefined
}

function refuseExplain(tokens: readonly Token[], rules: Rules): string | undefined {
  const query = tokens.findIndex(({ kind, value }) => kind === 'word' && QUERY_WORDS.has(value))
  const between = tokens.slice(0, query < 0 ? tokens.length : query)
  while (between.at(-1)?.value === '(') between.pop()
  const options = between.map((it) => it.value).join(' ')
  if (query >= 0 && rules.explainOptions.test(options)) return undefined
  const write = between.find((it) => isOne(it, ...WRITING_WORDS))?.value.toUpperCase()
  if (write !== undefined) return `EXPLAIN may only plan a query here, not ${write}.`
  if (between.some((it) => isOne(it, 'analyze', 'analyse')) || isText(between[0])) {
    return 'EXPLAIN may only plan a query, without ANALYZE: that would run it.'
  }
  const plain = query >= 0 && between.length > 0 ? ' Leave out its options.' : ''
  return `EXPLAIN may only plan a query here.${rules.explainAlternative ? ` ${rules.explainAlternative}` : plain}`
}

const WRITING_WORDS = new Set(['insert', 'update', 'delete', 'merge', 'replace'])

/**
 * Refuses a WITH that ends in a write, at any depth: after `SEARCH … SET x` the keyword of the write
 * follows an ordinary word. In MySQL a write may also follow DESCRIBE, with other words between them.
 */
function refuseBehindWith(tokens: readonly Token[]): string | undefined {
  /** At each depth of parentheses: whether the statement of a WITH is still to come. */
  const waiting = [isOne(tokens[0], 'describe', 'desc')]
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '(')) waiting.push(false)
    if (isOne(token, ')') && waiting.length > 1) waiting.pop()
    if (token.kind !== 'word') continue
    const depth = waiting.length - 1
    if (beginsQuery(tokens, i)) waiting[depth] = token.value === 'with'
    // `WITH update AS (…)` and `, update (a) AS (…)` only name a table expression.
    const named = isOne(tokens[i - 1], 'with', 'recursive', ',')
    if (waiting[depth] && WRITING_WORDS.has(token.value) && !named) return writes(token.value)
  }
  return undefined
}

/**
 * Refuses a function that is called as if it were a column. `x.f` is `f(x)` for any value `x`, and
 * PostgreSQL names some values by itself: `trim(…)` in FROM is `btrim`. So what is before the dot does
 * not matter, and only the name of a relation calls nothing: `from x.f`, `x.f.a`.
 */
function refuseAttribute(
  tokens: readonly Token[],
  { attributeFunctions }: Rules,
): string | undefined {
  if (!attributeFunctions) return undefined
  const tables = relations(tokens)
  /** What the names between dots belong to. */
  let of: 'table' | 'column' | 'value' = 'column'
  for (const [i, token] of tokens.entries()) {
    if (!isName(token)) continue
    if (!isOne(tokens[i - 1], '.')) of = tables.has(i) ? 'table' : 'column'
    // `(x).f`, `x[1].f`, `$1.f`: each name after a value may be a call.
    else if (!isName(tokens[i - 2])) of = 'value'
    else if (of === 'table') continue
    const behindDot = isOne(tokens[i - 1], '.')
    const last = !isOne(tokens[i + 1], '.')
    if (behindDot && (last || of === 'value') && matches(attributeFunctions, token.value)) {
      return `${token.value}() is not allowed here.`
    }
  }
  return undefined
}

/** Refuses a name that calls a refused function, reads a hidden relation, writes, or locks. */
function refuseToken(tokens: readonly Token[], i: number, rules: Rules): string | undefined {
  const { kind, value } = tokens[i]!
  if (kind !== 'word' && kind !== 'name') return undefined
  const call = isCall(tokens, i, rules)
  if (call && isRefusedCall(tokens, i, rules)) return `${value}() is not allowed here.`
  if (matches(rules.hiddenRelations, value)) return `${value} is not allowed here.`
  if (kind === 'name') return undefined

  const before = tokens[i - 1]
  const clause =
    !call &&
    rules.refusedClauses.find((words) => words.startsWith(value) && follows(tokens, i, words))
  if (clause && !isLabel(tokens, i)) {
    return rules.outputClauses?.includes(clause)
      ? `${clause.toUpperCase()} is not allowed here; leave that clause out: the answer has its own form.`
      : `${clause.toUpperCase()} is not allowed here; this endpoint never writes or locks.`
  }
  // Where a statement begins inside another: `WITH a AS (DELETE …`, `WITH a AS (…) DELETE …`.
  const after = tokens[i + 1]
  const begins =
    after?.kind === 'name' || (after?.kind === 'word' && !AFTER_COLUMN.has(after.value))
  return WRITING_WORDS.has(value) && begins && isOne(before, '(', ')') ? writes(value) : undefined
}

/** Words that follow a column and name no table: `cast(update as date)`. */
const AFTER_COLUMN = new Set(['as', 'is', 'in', 'like', 'and', 'or', 'not', 'order'])

/**
 * Whether a keyword is only the name of a column: after AS or a dot. An AS after a dot, after `@` or
 * after another AS may itself be a name. No space may follow the dot: MySQL reads `@a. into` as the
 * variable `a.` and INTO.
 */
function isLabel(tokens: readonly Token[], i: number): boolean {
  let first = i
  while (isOne(tokens[first - 1], 'as')) first--
  const before = tokens[first - 1]
  if (first === i) return isOne(before, '.') && before?.end === tokens[i]!.start
  const labels = i - first - (isOne(before, '.', '@') ? 1 : 0)
  return labels % 2 === 1
}

const isText = (token: Token | undefined) => token?.kind === 'text'

const follows = (tokens: readonly Token[], from: number, words: string) =>
  words.split(' ').every((word, n) => isOne(tokens[from + n], word))

const writes = (word: string) =>
  `${word.toUpperCase()} is not allowed here; this endpoint never writes.`

function pastParentheses(tokens: readonly Token[], from: number): number {
  let at = from
  while (isOne(tokens[at], '(')) at++
  return at
}

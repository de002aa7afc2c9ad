import type { Statement } from '../rows.ts'
import type { Rules } from '../rules.ts'
import { refuseAttribute } from './attributes.ts'
import { isCall, isRefusedCall } from './calls.ts'
import { type Labels, labelsIn, namesAs } from './labels.ts'
import { matches } from './names.ts'
import { beginsQuery, namesExpression, QUERY_WORDS } from './query.ts'
import { read, type StatementReading } from './reading.ts'
import { refuseSetting } from './settings.ts'
import { isOne, type Token } from './token.ts'

/** Cached verdicts: the reason for refusing a statement, or undefined if it is allowed. Drivers check again. */
const verdicts = new WeakMap<StatementReading, string | undefined>()

/**
 * Returns the reason why a statement is not allowed to run as read-only, as a sentence its author can act on,
 * or undefined if it is allowed. Tidegate's own statements can read relations that other statements cannot.
 *
 * This is the first of three layers. The engine's own read-only mode is the second, and the privileges of the
 * database role are the third, because a list of words cannot show what a user-defined function does.
 */
export function refuse(statement: Statement, rules: Rules): string | undefined {
  const reading = read(statement, rules)
  if (reading.fault !== undefined) return reading.fault
  const effectiveRules = statement.internal ? internalRules(rules) : rules
  if (!verdicts.has(reading)) verdicts.set(reading, judge(reading, effectiveRules))
  return verdicts.get(reading)
}

const internalRules = (rules: Rules): Rules => ({
  ...rules,
  hiddenRelations: NO_NAME,
  readableSettings: undefined,
  explainOptions: rules.internalExplainOptions ?? rules.explainOptions,
})

const NO_NAME = /(?!)/

function judge(reading: StatementReading, rules: Rules): string | undefined {
  const tokens = reading.tokens.filter(({ kind }) => kind !== 'end')
  const labels = labelsIn(tokens)
  const refused =
    refuseVerb(tokens, rules) ??
    refuseBehindWith(tokens, labels) ??
    refuseAttribute(tokens, labels, rules) ??
    refuseSetting(reading, rules)
  if (refused !== undefined) return refused
  for (const i of tokens.keys()) {
    const sentence = refuseToken(tokens, i, labels, rules)
    if (sentence !== undefined) return sentence
  }
  return undefined
}

/** Refuses a statement that does not begin like a read-only one, or that explains something other than a query. */
function refuseVerb(tokens: readonly Token[], rules: Rules): string | undefined {
  const first = tokens.findIndex((it) => !isOne(it, '('))
  const { kind, value } = tokens[first] ?? tokens[0]!
  if (kind !== 'word' || !rules.readVerbs.includes(value)) {
    const words = rules.readVerbs.map((word) => word.toUpperCase())
    const reads = `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
    return `Only ${reads} can run; this endpoint never writes.`
  }
  return value === 'explain' ? refuseExplain(tokens.slice(first + 1), rules) : undefined
}

function refuseExplain(tokens: readonly Token[], rules: Rules): string | undefined {
  const isFromFirst = rules.readVerbs.includes('from')
  const query = tokens.findIndex(
    ({ kind, value }) =>
      kind === 'word' && (QUERY_WORDS.has(value) || (isFromFirst && value === 'from')),
  )
  const between = tokens.slice(0, query < 0 ? tokens.length : query)
  while (between.at(-1)?.value === '(') between.pop()
  const options = between.map((it) => it.value).join(' ')
  if (query >= 0 && rules.explainOptions.test(options)) return undefined
  const write = between.find((it) => isOne(it, ...WRITING_WORDS))?.value.toUpperCase()
  if (write !== undefined) return `EXPLAIN can only plan a query here, not ${write}.`
  if (between.some((it) => isOne(it, 'analyze', 'analyse')) || between[0]?.kind === 'text') {
    return 'EXPLAIN can only plan a query, without ANALYZE: that would run it.'
  }
  const plain = query >= 0 && between.length > 0 ? ' Leave out its options.' : ''
  return `EXPLAIN can only plan a query here.${rules.explainAlternative ? ` ${rules.explainAlternative}` : plain}`
}

const WRITING_WORDS = new Set(['insert', 'update', 'delete', 'merge', 'replace'])

/**
 * Refuses a WITH that ends in a write, at any depth: after `SEARCH … SET x`, the write's keyword follows
 * an ordinary word. In MySQL a write can also follow DESCRIBE, with other words between them.
 *
 * Such a WITH begins its statement. After SELECT, or after a value in parentheses, it is part of a type or a
 * clause, such as `timestamp with time zone`, WITH ORDINALITY, WITH TIES.
 */
function refuseBehindWith(tokens: readonly Token[], labels: Labels): string | undefined {
  /** For each depth of parentheses, true if the statement of a WITH is still to come. */
  const waiting = [isOne(tokens[0], 'describe', 'desc')]
  /** True once the statement itself has reached its SELECT. */
  let hasBegun = false
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '(')) waiting.push(false)
    if (isOne(token, ')') && waiting.length > 1) waiting.pop()
    if (token.kind !== 'word') continue
    const depth = waiting.length - 1
    if (beginsQuery(tokens, i, labels)) {
      if (token.value !== 'with') {
        waiting[depth] = false
        hasBegun ||= depth === 0
      } else if (depth === 0 ? !hasBegun : isOne(tokens[i - 1], '(')) waiting[depth] = true
    }
    // `WITH update AS (…)` and `, update (a) AS (…)` only name a table expression.
    const writing = WRITING_WORDS.has(token.value) && !namesExpression(tokens, i)
    if (waiting[depth] && writing) return writes(token.value)
  }
  return undefined
}

/** Refuses a name that calls a refused function, reads a hidden relation, writes, or locks. */
function refuseToken(
  tokens: readonly Token[],
  i: number,
  labels: Labels,
  rules: Rules,
): string | undefined {
  const { kind, value } = tokens[i]!
  if (kind !== 'word' && kind !== 'name') return undefined
  if (rules.asNamesColumns && namesAs(tokens, i, labels)) {
    return 'A column or an alias that is called "as" is not allowed here; give it another name.'
  }
  const call = isCall(tokens, i, labels, rules)
  if (call && isRefusedCall(tokens, i, rules)) return `${value}() is not allowed here.`
  if (matches(rules.hiddenRelations, value)) return `${value} is not allowed here.`
  const schema = isOne(tokens[i - 1], '.') ? tokens[i - 2]?.value : undefined
  if (schema && matches(rules.hiddenQualified, `${schema}.${value}`)) {
    return `${schema}.${value} is not allowed here.`
  }
  if (kind === 'name') return undefined

  const before = tokens[i - 1]
  // A function name that follows APPLY has no arguments after it, so it can still begin a clause.
  const clause =
    !(call && isOne(tokens[i + 1], '(')) &&
    rules.refusedClauses.find((words) => words.startsWith(value) && follows(tokens, i, words))
  if (clause && !isLabel(tokens, i, labels) && !isShown(tokens, i, rules)) {
    return rules.outputClauses?.includes(clause)
      ? `${clause.toUpperCase()} is not allowed here; leave that clause out: the answer has its own form.`
      : `${clause.toUpperCase()} is not allowed here; this endpoint never writes or locks.`
  }
  // A statement that begins inside another statement: `WITH a AS (DELETE …`, `WITH a AS (…) DELETE …`.
  const after = tokens[i + 1]
  const begins =
    after?.kind === 'name' || (after?.kind === 'word' && !AFTER_COLUMN.has(after.value))
  return WRITING_WORDS.has(value) && begins && isOne(before, '(', ')') ? writes(value) : undefined
}

/** Words that can follow a column and are not table names: `cast(update as date)`. */
const AFTER_COLUMN = new Set(['as', 'is', 'in', 'like', 'and', 'or', 'not', 'order'])

/**
 * True if a keyword is only the name of a column. No space is allowed after a dot, because MySQL reads
 * `@a. into` as the variable `a.` and INTO.
 */
const isLabel = (tokens: readonly Token[], i: number, labels: Labels) =>
  labels.get(i) === 'as' || (labels.has(i) && tokens[i - 1]!.end === tokens[i]!.start)

/** True if a word is the object of a SHOW: `show settings like 'max%'`. */
const isShown = (tokens: readonly Token[], i: number, { shownClauses = [] }: Rules) =>
  shownClauses.includes(tokens[i]!.value) &&
  (i === 1 || (i === 2 && isOne(tokens[1], 'changed'))) &&
  isOne(tokens[0], 'show')

const follows = (tokens: readonly Token[], from: number, words: string) =>
  words.split(' ').every((word, n) => isOne(tokens[from + n], word))

const writes = (word: string) =>
  `${word.toUpperCase()} is not allowed here; this endpoint never writes.`

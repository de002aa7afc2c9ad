import { type Lexis, lex, type Token, Unreadable } from './lexer.ts'

/**
 * How the guard reads a dialect, and what it lets through. A further dialect is one more of these.
 * Names are compared as the engine knows them: without quotes, in lower case.
 */
export interface Rules {
  readonly lexis: Lexis
  /** First words of statements that only read, in the order they are told. */
  readonly reads: readonly string[]
  /** What may stand between EXPLAIN and the statement it explains, its tokens parted by spaces. */
  readonly explain: RegExp
  /** Functions that do more than compute: they write, lock, reach out, or run a text as SQL. */
  readonly calls: RegExp
  /** Relations that hold secrets or the platform's own state. */
  readonly hidden: RegExp
  /** Clauses by which a read writes or locks. */
  readonly clauses: readonly string[]
}

/** Longer than any statement a person or a model writes, shorter than what every engine takes. */
const LONGEST = 100_000

/**
 * Why this text may not run as one statement that only reads, as a sentence its author can act on;
 * nothing if it may.
 *
 * It is the first of three layers. The engine's own read-only mode is the second and the rights of
 * the database role the third: a function that somebody defined is beyond any list of words.
 */
export function refuse(sql: string, rules: Rules): string | undefined {
  if (sql.length > LONGEST) return `Send at most ${LONGEST} characters; these are ${sql.length}.`
  try {
    const tokens = statement(sql, rules)
    const no = refuseVerb(tokens, rules) ?? refuseMain(tokens)
    for (let i = 0; no === undefined && i < tokens.length; i++) {
      const sentence = refuseToken(tokens, i, rules)
      if (sentence) return sentence
    }
    return no
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

/**
 * The text of a statement without the semicolon and the comments behind it. Throws where
 * {@link refuse} would have refused the text as a whole.
 */
export function single(sql: string, rules: Rules): string {
  return sql.slice(0, statement(sql, rules).at(-1)?.end)
}

/** The first word of a statement, past any parentheses: `select`, `show`. */
export function verb(sql: string, rules: Rules): string | undefined {
  const tokens = statement(sql, rules)
  return tokens[pastParentheses(tokens, 0)]?.value
}

/** The tokens of the one statement in a text. */
function statement(sql: string, { lexis }: Rules): readonly Token[] {
  const tokens = lex(sql, lexis)
  const last = tokens.findLastIndex(({ kind }) => kind !== 'end')
  const one = tokens.slice(0, last + 1)
  if (one.length === 0) throw new Unreadable('The statement is empty.')
  if (one.some(({ kind }) => kind === 'end')) throw new Unreadable('Send one statement at a time.')
  return one
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
  const plans = query >= 0 && rules.explain.test(options)
  return plans ? undefined : 'EXPLAIN may only plan a query, without ANALYZE: that would run it.'
}

const WRITES = new Set(['insert', 'update', 'delete', 'merge', 'replace'])

/**
 * Refuses a writing statement behind its WITH, at any depth: after `SEARCH … SET x` its own keyword
 * follows an ordinary word.
 */
function refuseMain(tokens: readonly Token[]): string | undefined {
  const waiting = [false]
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '(')) waiting.push(false)
    if (isOne(token, ')') && waiting.length > 1) waiting.pop()
    if (token.kind !== 'word') continue
    const depth = waiting.length - 1
    if (QUERY.has(token.value)) waiting[depth] = token.value === 'with'
    // `WITH update AS (…)` and `WITH update (a) AS (…)` only name a table expression.
    const named = isOne(tokens[i + 1], 'as', '(')
    if (waiting[depth] && WRITES.has(token.value) && !named) return writes(token.value)
  }
  return undefined
}

function refuseToken(tokens: readonly Token[], i: number, rules: Rules): string | undefined {
  const { kind, value } = tokens[i]!
  if (kind !== 'word' && kind !== 'name') return undefined
  const call = isOne(tokens[i + 1], '(')
  if (call && rules.calls.test(value)) return `${value}() is not allowed here.`
  if (rules.hidden.test(value)) return `${value} is not allowed here.`
  if (kind === 'name') return undefined

  const before = tokens[i - 1]
  const clause =
    !call && rules.clauses.find((words) => words.startsWith(value) && follows(tokens, i, words))
  if (clause && !isOne(before, 'as', '.')) {
    return `${clause.toUpperCase()} is not allowed here; this endpoint never writes or locks.`
  }
  // Where a statement begins inside another: `WITH a AS (DELETE …`, `WITH a AS (…) DELETE …`.
  return WRITES.has(value) && !call && isOne(before, '(', ')') ? writes(value) : undefined
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

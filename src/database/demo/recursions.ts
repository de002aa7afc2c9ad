import { isName, type Token } from '../guard/token.ts'
import { isSymbol, isWord, type LexedSql } from './lexed-sql.ts'

/** A query that refers to itself: the one in `with recursive NAME as (…)`. */
export interface Recursion {
  readonly name: string
  /** The rows at which its LIMIT stops it; `unclear` where the LIMIT is not a number alone. */
  readonly limit: number | 'none' | 'unclear'
  /** Whether UNION keeps its rows apart, so that none comes twice. */
  readonly isDistinct: boolean
  /** Where its body begins in the statement. */
  readonly at: number
  /** What is between its parentheses. */
  readonly body: string
  /** The text from its WITH to the end of its body. */
  readonly text: string
}

/** An open parenthesis, and what was seen after it outside of others. */
interface Level {
  /** The token that opens it. */
  readonly start: number
  /** The name that the query in it is given. */
  readonly name: string | undefined
  /** The last WITH before, at any depth. */
  with: number | undefined
  isCompound: boolean
  isDistinct: boolean
  hasLimit: boolean
}

/** The queries in a statement that refer to themselves, inner ones first. */
export function recursionsIn({ sql, tokens }: LexedSql): readonly Recursion[] {
  const found: Recursion[] = []
  /** Where each name was last, and where each parenthesis was opened, by where it is closed. */
  const lastUse = new Map<string, number>()
  const opened = new Map<number, number>()
  const begin = (start: number, around?: Level): Level => ({
    start,
    name: around && nameBefore(tokens, start, opened),
    with: around?.with,
    isCompound: false,
    isDistinct: false,
    hasLimit: false,
  })
  const levels = [begin(0)]
  for (const [i, token] of tokens.entries()) {
    const level = levels.at(-1)!
    if (isWord(token, 'with')) {
      level.with = i
    } else if (isWord(token, 'union')) {
      level.isCompound = true
      level.isDistinct ||= !isWord(tokens[i + 1], 'all')
    } else if (isWord(token, 'limit')) {
      level.hasLimit = true
    } else if (canBeNamed(token)) {
      lastUse.set(token.value, i)
    } else if (isSymbol(token, '(')) {
      levels.push(begin(i, level))
    } else if (isSymbol(token, ')') && levels.length > 1) {
      levels.pop()
      opened.set(i, level.start)
      const { name, start, isCompound, isDistinct } = level
      if (name === undefined || !isCompound || (lastUse.get(name) ?? -1) <= start) continue
      const at = tokens[start]!.end
      found.push({
        name,
        limit: level.hasLimit ? limitBefore(tokens, i) : 'none',
        isDistinct,
        at,
        body: sql.slice(at, token.start),
        text: sql.slice(tokens[levels.at(-1)!.with ?? 0]!.start, token.start),
      })
    }
  }
  return found
}

/** Those of a statement's recursions that are in no other. Their bodies hold all the rest. */
export function outermostOf(recursions: readonly Recursion[]): readonly Recursion[] {
  const found: Recursion[] = []
  let start = Number.POSITIVE_INFINITY
  // Inner ones come first, so from the end each one is in the last that was found, or ends before it.
  for (const it of recursions.toReversed()) {
    if (it.at + it.body.length > start) continue
    found.push(it)
    start = it.at
  }
  return found
}

/**
 * The name that a query in parentheses is given: `name (a, b) as not materialized (`.
 *
 * @param start the token that opens the parentheses
 * @param opened where each pair of parentheses before was opened, by where it was closed
 */
export function nameBefore(
  tokens: readonly Token[],
  start: number,
  opened: ReadonlyMap<number, number>,
): string | undefined {
  let at = start - 1
  if (isWord(tokens[at], 'materialized')) at--
  if (isWord(tokens[at], 'not')) at--
  if (!isWord(tokens[at], 'as')) return undefined
  at--
  while (opened.has(at)) at = opened.get(at)! - 1
  const token = tokens[at]
  return isName(token) ? token!.value : undefined
}

/** The number of a LIMIT that ends right before this token. */
function limitBefore(tokens: readonly Token[], end: number): number | 'unclear' {
  const number = tokens[end - 1]
  const isPlain = number?.kind === 'number' && isWord(tokens[end - 2], 'limit')
  const limit = isPlain ? Number(number.value) : undefined
  return Number.isSafeInteger(limit) ? limit! : 'unclear'
}

const canBeNamed = (token: Token) =>
  isName(token) && !(token.kind === 'word' && KEYWORDS.has(token.value))

const KEYWORDS = new Set(['with', 'as', 'not', 'materialized', 'union', 'all', 'limit'])

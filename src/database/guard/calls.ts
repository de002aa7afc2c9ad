import type { Rules } from '../rules.ts'
import type { Labels } from './labels.ts'
import { matches } from './names.ts'
import { beginsQuery, namesExpression } from './query.ts'
import { isName, isOne, type Token } from './token.ts'

/** Maximum number of tokens searched for the beginning of a call or for its commas. A longer call is refused. */
const MAX_CALL_TOKENS = 200

/** True if this name calls a function. A name with parentheses can also list columns: `x (a, b) as (…)`. */
export function isCall(
  tokens: readonly Token[],
  i: number,
  labels: Labels,
  { hasApply, higherOrderFunctions }: Rules,
): boolean {
  if (!isOne(tokens[i + 1], '(')) {
    if (hasApply && isApplyArgument(tokens, i)) return true
    return !!higherOrderFunctions && isFunctionArgument(tokens, i, higherOrderFunctions)
  }
  const isAlias = !hasApply && labels.get(i) === 'as'
  return !isAlias && !isTableExpression(tokens, i, labels)
}

/** `WITH x (a, b) AS (SELECT …`. AS can also follow a call in FROM, but then typed columns follow. */
function isTableExpression(tokens: readonly Token[], i: number, labels: Labels): boolean {
  if (!namesExpression(tokens, i)) return false
  let end = i + 2
  while (isName(tokens[end]) && isOne(tokens[end + 1], ',')) end += 2
  if (!isName(tokens[end]) || !isOne(tokens[end + 1], ')')) return false
  let query = end + 2
  if (!isOne(tokens[query], 'as')) return false
  while (isOne(tokens[query + 1], 'not', 'materialized')) query++
  return isOne(tokens[query + 1], '(') && beginsQuery(tokens, query + 2, labels)
}

const isApplyArgument = (tokens: readonly Token[], i: number) =>
  isOne(tokens[i - 1], 'apply') || (isOne(tokens[i - 1], '(') && isOne(tokens[i - 2], 'apply'))

/**
 * True if a name is the first argument of a function that calls it: `arrayMap(f, x)`. ClickHouse ignores
 * parentheses or an alias around the name, ALL or `+` before it, and `()` before the arguments. A chain of these
 * that is longer than {@link MAX_CALL_TOKENS} counts as such an argument.
 */
function isFunctionArgument(tokens: readonly Token[], i: number, callers: RegExp): boolean {
  let depth = 0
  let at = i - 1
  for (; !opensCall(tokens, at, callers); at--) {
    if (i - at > MAX_CALL_TOKENS) return true
    if (isOne(tokens[at], '(')) depth++
    else if (!isOne(tokens[at], '+', 'all')) return false
  }
  let end = i + 1
  let isNamed = false
  for (; ; end++) {
    if (end - i > MAX_CALL_TOKENS) return true
    if (depth > 0 && isOne(tokens[end], ')')) depth--
    else if (isOne(tokens[end], 'as')) {
      isNamed = true
      end++
    } else break
  }
  return isNamed || (depth === 0 && isOne(tokens[end], ','))
}

/** True if a parenthesis begins the arguments of one of these functions. */
function opensCall(tokens: readonly Token[], open: number, callers: RegExp): boolean {
  if (!isOne(tokens[open], '(')) return false
  const hasParameters = isOne(tokens[open - 1], ')') && isOne(tokens[open - 2], '(')
  const caller = tokens[open - (hasParameters ? 3 : 1)]
  return isName(caller) && callers.test(caller!.value)
}

/** True if the rules refuse a call of this function. */
export const isRefusedCall = (
  tokens: readonly Token[],
  i: number,
  { refusedFunctions, refusedWithTwoArguments, refusedUnlessOfThreeTexts }: Rules,
) =>
  matches(refusedFunctions, tokens[i]!.value) ||
  (matches(refusedUnlessOfThreeTexts, tokens[i]!.value) && !hasThreeTexts(tokens, i + 1)) ||
  (matches(refusedWithTwoArguments, tokens[i]!.value) && !hasThird(tokens, i + 1))

/** True if a call has three arguments that are all string literals: a list or a column could stand for more values. */
const hasThreeTexts = (tokens: readonly Token[], open: number) =>
  tokens
    .slice(open, open + 7)
    .map(({ kind, value }) => (kind === 'text' ? 'text' : value))
    .join(' ') === '( text , text , text )'

/** True if a call has a third argument within its first {@link MAX_CALL_TOKENS}. */
function hasThird(tokens: readonly Token[], open: number): boolean {
  let [depth, commas] = [0, 0]
  for (let i = open; i < open + MAX_CALL_TOKENS; i++) {
    if (isOne(tokens[i], '(', '[')) depth++
    if (isOne(tokens[i], ')', ']') && --depth === 0) break
    if (depth === 1 && isOne(tokens[i], ',')) commas++
  }
  return commas >= 2
}

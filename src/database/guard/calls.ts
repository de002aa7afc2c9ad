import type { Rules } from '../rules.ts'
import { matches } from './names.ts'
import { beginsQuery } from './query.ts'
import { isName, isOne, type Token } from './token.ts'

/** Whether this name calls a function. One with parentheses may also name columns: `x (a, b) as (…)`. */
export function isCall(
  tokens: readonly Token[],
  i: number,
  { hasApply, higherOrderFunctions }: Rules,
): boolean {
  if (!isOne(tokens[i + 1], '(')) {
    const applied = hasApply === true && isApplyArgument(tokens, i)
    return (
      applied ||
      (higherOrderFunctions !== undefined && isFunctionArgument(tokens, i, higherOrderFunctions))
    )
  }
  const isAlias = !hasApply && isOne(tokens[i - 1], 'as')
  return !isAlias && !isTableExpression(tokens, i)
}

/** `WITH x (a, b) AS (SELECT …`. AS can also follow a call in FROM, but then columns with types follow. */
function isTableExpression(tokens: readonly Token[], i: number): boolean {
  if (!isOne(tokens[i - 1], 'with', 'recursive', ',')) return false
  let end = i + 2
  while (isName(tokens[end]) && isOne(tokens[end + 1], ',')) end += 2
  if (!isName(tokens[end]) || !isOne(tokens[end + 1], ')')) return false
  let query = end + 2
  if (!isOne(tokens[query], 'as')) return false
  while (isOne(tokens[query + 1], 'not', 'materialized')) query++
  return isOne(tokens[query + 1], '(') && beginsQuery(tokens, query + 2)
}

const isApplyArgument = (tokens: readonly Token[], i: number) =>
  isOne(tokens[i - 1], 'apply') || (isOne(tokens[i - 1], '(') && isOne(tokens[i - 2], 'apply'))

/** Whether a name alone, in parentheses or not, is the first argument of a function that calls it. */
function isFunctionArgument(tokens: readonly Token[], i: number, callers: RegExp): boolean {
  let [first, last] = [i - 1, i + 1]
  for (; isOne(tokens[first - 1], '(') && isOne(tokens[last], ')'); last++) first--
  const caller = tokens[first - 1]
  const called = isOne(tokens[first], '(') && isName(caller) && callers.test(caller!.value)
  return called && isOne(tokens[last], ',', 'as')
}

/** Whether the rules refuse a call of this function. */
export const isRefusedCall = (
  tokens: readonly Token[],
  i: number,
  { refusedFunctions, refusedWithTwoArguments }: Rules,
) =>
  matches(refusedFunctions, tokens[i]!.value) ||
  (refusedWithTwoArguments !== undefined &&
    matches(refusedWithTwoArguments, tokens[i]!.value) &&
    !hasThird(tokens, i + 1))

/** Tokens of a call in which commas are counted. A call with more of them before its second comma is refused. */
const MAX_CALL_TOKENS = 200

/** Whether a call has a third argument, going by its first {@link MAX_CALL_TOKENS}. */
function hasThird(tokens: readonly Token[], open: number): boolean {
  let [depth, commas] = [0, 0]
  for (let i = open; i < open + MAX_CALL_TOKENS; i++) {
    if (isOne(tokens[i], '(', '[')) depth++
    if (isOne(tokens[i], ')', ']') && --depth === 0) break
    if (depth === 1 && isOne(tokens[i], ',')) commas++
  }
  return commas >= 2
}

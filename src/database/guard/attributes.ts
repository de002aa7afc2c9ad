import type { Rules } from '../rules.ts'
import type { Labels } from './labels.ts'
import { matches } from './names.ts'
import { relations } from './relations.ts'
import { rowNames } from './row-names.ts'
import { isName, isOne, type Token } from './token.ts'

/**
 * Refuses a function that is called as if it were a column. `x.f` is `f(x)` for any value `x`, and PostgreSQL
 * names some values itself: `trim(…)` in FROM is `btrim`. So the part before the dot does not matter, and
 * only the name of a relation calls nothing: `from x.f`, `x.f.a`. Where `x` can only be rows, a few functions
 * that do not take rows are treated as columns: `l.nextval`.
 */
export function refuseAttribute(
  tokens: readonly Token[],
  labels: Labels,
  { attributeFunctions, rowColumns, tableColumns, settingFunction }: Rules,
): string | undefined {
  if (!attributeFunctions) return undefined
  const tables = relations(tokens, labels)
  const rowName = rowNames(tokens, tables, labels)
  const hasWith = tokens.some(isWith)
  /** Kind of name that the dots belong to. */
  let of: 'table' | 'column' | 'value' = 'column'
  for (const [i, token] of tokens.entries()) {
    if (!isName(token)) continue
    if (!isOne(tokens[i - 1], '.')) of = tables.has(i) ? 'table' : 'column'
    // `(x).f`, `x[1].f`, `$1.f`: each name after a value can be a call.
    else if (!isName(tokens[i - 2])) of = 'value'
    else if (of === 'table') continue
    const behindDot = isOne(tokens[i - 1], '.')
    const last = !isOne(tokens[i + 1], '.')
    if (!behindDot || !(last || of === 'value') || !matches(attributeFunctions, token.value))
      continue
    // A call is judged by its argument.
    if (isOne(tokens[i + 1], '(') && matches(settingFunction, token.value)) continue
    const columns = [rowColumns, tableColumns].some((it) => it?.test(token.value))
    const row =
      columns && of === 'column' && !isOne(tokens[i - 3], '.')
        ? rowName(tokens[i - 2]!.value)
        : undefined
    if (row && rowColumns?.test(token.value)) continue
    if (row === 'table' && tableColumns?.test(token.value) && !hasWith) continue
    return `${token.value}() is not allowed here.`
  }
  return undefined
}

const isWith = (token: Token) => isOne(token, 'with')

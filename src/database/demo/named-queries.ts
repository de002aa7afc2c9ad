import { isName, isOne, type Token } from '../guard/token.ts'

/** A query in parentheses that has a name: `name (a, b) as not materialized (…)`, or `(…) as name`. */
export interface NamedQuery {
  readonly name: string
  /** True if it comes after WITH. */
  readonly isCommon: boolean
  /** The token that opens its parentheses. */
  readonly opensAt: number
  /** The text between its parentheses, as offsets in the statement. */
  readonly start: number
  readonly end: number
  /** The number of parentheses around it. */
  readonly depth: number
}

/** The named queries of a statement, inner ones first. */
export function namedQueries(tokens: readonly Token[]): readonly NamedQuery[] {
  const found: NamedQuery[] = []
  /** The opening of each earlier pair of parentheses, by its end. */
  const opened = new Map<number, number>()
  const open: number[] = []
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '(')) open.push(i)
    const opensAt = isOne(token, ')') ? open.pop() : undefined
    if (opensAt === undefined) continue
    opened.set(i, opensAt)
    if (!isOne(tokens[opensAt + 1], 'select', 'with', 'values')) continue
    const common = nameBefore(tokens, opensAt, opened)
    const after = tokens[isOne(tokens[i + 1], 'as') ? i + 2 : i + 1]
    const name = common ?? (isName(after) ? after!.value : undefined)
    if (name === undefined) continue
    const [start, end] = [tokens[opensAt]!.end, token.start]
    found.push({ name, isCommon: common !== undefined, opensAt, start, end, depth: open.length })
  }
  return found
}

function nameBefore(
  tokens: readonly Token[],
  opensAt: number,
  opened: ReadonlyMap<number, number>,
): string | undefined {
  let at = opensAt - 1
  if (isOne(tokens[at], 'materialized')) at--
  if (isOne(tokens[at], 'not')) at--
  if (!isOne(tokens[at], 'as')) return undefined
  at--
  while (opened.has(at)) at = opened.get(at)! - 1
  return isName(tokens[at]) ? tokens[at]!.value : undefined
}

import { isName, type Token } from '../guard/token.ts'
import type { Counts } from './counts.ts'

/** Each name in a statement with the names right before it: so an alias has its table. */
export function namesBefore(tokens: readonly Token[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  let before: string | undefined
  for (const token of tokens) {
    const { kind, value } = token
    if (kind === 'word' && value === 'as') continue
    if (!isName(token)) {
      before = undefined
      continue
    }
    const names = found.get(value) ?? new Set()
    found.set(value, before === undefined ? names : names.add(before))
    before = value
  }
  return found
}

/** What a computed column is made of: a literal, or something that may change from row to row. */
export type Computed = 'literal' | 'expression'

/** The names that a statement gives to computed columns. */
export function computedNames(
  all: readonly Token[],
  counts: Counts,
): ReadonlyMap<string, Computed> {
  const found = new Map<string, Computed>()
  const tokens = all.filter(({ kind, value }) => kind !== 'word' || value !== 'as')
  const addExpression = (name: string) => found.has(name) || found.set(name, 'expression')
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1]
    if (token.value === ')' && BEFORE_QUERY.has(tokens[i + 1]?.value ?? '')) {
      // `t (a, b) as (…)` names columns, too. The words AS are left out.
      for (let at = i - 1; isName(tokens[at]); at -= 2) addExpression(tokens[at]!.value)
    }
    if (!isName(token) || !before) continue
    if (before.kind === 'number' || before.kind === 'text') found.set(token.value, 'literal')
    else if (before.value === ')' || before.value === 'end') addExpression(token.value)
    else if (isName(before) && counts.valuesOf(before.value) > 1) addExpression(token.value)
  }
  return found
}

/** What comes after AS where a query is named: `as (…)`, `as not materialized (…)`. */
export const BEFORE_QUERY: ReadonlySet<string> = new Set(['(', 'not', 'materialized'])

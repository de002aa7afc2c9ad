import type { Token } from './token.ts'

/** Words that end a list of relations. All but VALUES are reserved in PostgreSQL. */
const AFTER_RELATIONS = new Set([
  'select',
  'values',
  'where',
  'group',
  'having',
  'window',
  'order',
  'limit',
  'offset',
  'fetch',
  'for',
  'union',
  'intersect',
  'except',
])

/** What can be in front of JOIN, but not in front of a value. */
const BEFORE_JOIN = new Set(['left', 'right', 'full', 'outer', 'inner', 'cross', 'natural', ')'])

/** What can be in front of a name, but not in front of an operator. */
const BEFORE_NAME = new Set(['.', ',', 'as'])

/**
 * Where in a statement the name of a relation begins: after FROM, JOIN and TABLE, and after the
 * commas of a FROM. Where that is not certain, no relation begins: a value follows in `trim(from x.y)`,
 * in `a is distinct from x.y`, in `on array[a, x.y]`, and after ORDER BY.
 */
export function relations(tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>()
  /** At each depth: whether a SELECT began, whether commas part relations, whether it is `operator(…)`. */
  const levels = [{ query: false, list: false, operator: false }]
  let expectsRelation = false
  /** Whether the last parenthesis closed an `operator(…)`. */
  let closedOperator = false
  for (const [i, { kind, value }] of tokens.entries()) {
    const level = levels.at(-1)!
    const [before, after] = [bare(tokens[i - 1]), bare(tokens[i + 1])]
    const keyword = kind === 'word' && before !== '.' && before !== 'as'
    if (kind === 'symbol' && (value === '(' || value === '[')) {
      expectsRelation &&= value === '('
      levels.push({ query: false, list: expectsRelation, operator: before === 'operator' })
    } else if (kind === 'symbol') {
      if ((value === ')' || value === ']') && levels.length > 1)
        closedOperator = levels.pop()!.operator
      expectsRelation = value === ',' && level.list
    } else if (keyword && AFTER_RELATIONS.has(value)) {
      if (value === 'select') level.query = true
      level.list = expectsRelation = false
    } else if (keyword && value === 'from') {
      expectsRelation = level.query && before !== 'distinct'
      level.list ||= expectsRelation
    } else if (keyword && (value === 'table' || value === 'join')) {
      // `join(` may also call a function: then an operator is in front of it, and not a relation `x.y`.
      const operand = before === ')' && closedOperator
      const behind = BEFORE_JOIN.has(before ?? '') || BEFORE_NAME.has(bare(tokens[i - 2]) ?? '')
      const joins = level.list && (after !== '(' || (behind && !operand))
      expectsRelation = joins || (value === 'table' && after !== '(')
    } else if (!(expectsRelation && keyword && (value === 'only' || value === 'lateral'))) {
      if (expectsRelation) found.add(i)
      expectsRelation = false
    }
  }
  return found
}

/** The value of a token; undefined for a name in quotes, which is no keyword: `"as"`. */
const bare = (token: Token | undefined) => (token?.kind === 'name' ? undefined : token?.value)

import { words } from '../words.ts'
import { type Labels, labelsIn } from './labels.ts'
import { isName, isOne, type Token } from './token.ts'

/** Words that end a list of relations. All but VALUES are reserved in PostgreSQL. */
const AFTER_RELATIONS = new Set(
  words(
    'select values where group having window order limit offset fetch for',
    'union intersect except',
  ),
)

/** Words that can be in front of JOIN, but not in front of a value. */
const BEFORE_JOIN = new Set(['left', 'right', 'full', 'outer', 'inner', 'cross', 'natural', ')'])

/**
 * Positions where a relation's name begins: after FROM, JOIN and TABLE, and after the commas of a FROM.
 * Uncertain positions are left out: a value follows in `trim(from x.y)`, in `a is distinct from x.y`, in `on
 * array[a, x.y]`, and after ORDER BY.
 */
export function relations(
  tokens: readonly Token[],
  labels = labelsIn(tokens),
): ReadonlySet<number> {
  const found = new Set<number>()
  /** Facts about each depth: a SELECT has begun, commas separate relations, it is an `operator(…)`. */
  const levels = [{ query: false, list: false, operator: false }]
  let expectsRelation = false
  /** True if the last parenthesis closed an `operator(…)`. */
  let closedOperator = false
  for (const [i, { kind, value }] of tokens.entries()) {
    const level = levels.at(-1)!
    const [before, after] = [bare(tokens[i - 1]), bare(tokens[i + 1])]
    const keyword = kind === 'word' && !labels.has(i)
    if (kind === 'symbol' && (value === '(' || value === '[')) {
      expectsRelation &&= value === '('
      levels.push({ query: false, list: expectsRelation, operator: before === 'operator' })
    } else if (kind === 'symbol') {
      if ((value === ')' || value === ']') && levels.length > 1)
        closedOperator = levels.pop()!.operator
      expectsRelation = value === ',' && level.list
    } else if (keyword && (AFTER_RELATIONS.has(value) || (value === 'with' && before === '('))) {
      if (value === 'select') level.query = true
      level.list = expectsRelation = false
    } else if (keyword && value === 'from') {
      expectsRelation = level.query && before !== 'distinct'
      level.list ||= expectsRelation
    } else if (keyword && (value === 'table' || value === 'join')) {
      // `join(` can also call a function: then an operator is in front of it, and not a relation `x.y`.
      const operand = before === ')' && closedOperator
      const behind = BEFORE_JOIN.has(before ?? '') || endsRelation(tokens, i - 1, labels)
      const joins = level.list && (after !== '(' || (behind && !operand))
      expectsRelation = joins || (value === 'table' && after !== '(')
    } else if (!(expectsRelation && keyword && (value === 'only' || value === 'lateral'))) {
      if (expectsRelation) found.add(i)
      expectsRelation = false
    }
  }
  return found
}

/** True if this is the last name of a relation: after a dot, a comma or AS, but not after `t.as`. */
const endsRelation = (tokens: readonly Token[], i: number, labels: Labels) =>
  isName(tokens[i]) &&
  !isOne(tokens[i], 'lateral') &&
  (isOne(tokens[i - 1], '.', ',') || (isOne(tokens[i - 1], 'as') && !labels.has(i - 1)))

/** The value of a token; undefined for a quoted name, which is not a keyword: `"as"`. */
const bare = (token: Token | undefined) => (token?.kind === 'name' ? undefined : token?.value)

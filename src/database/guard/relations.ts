import { words } from '../words.ts'
import type { Token } from './lexer.ts'

/** Behind one of them a list of relations is over. All but VALUES are reserved in PostgreSQL. */
const ENDS = new Set(
  words(
    'select values where group having window order limit offset',
    'fetch for union intersect except',
  ),
)

/** What stands in front of a JOIN, and of no value. */
const JOINS = new Set(['left', 'right', 'full', 'outer', 'inner', 'cross', 'natural', ')'])

/** What stands in front of a name, and of no operator. */
const NAMED = new Set(['.', ',', 'as'])

/**
 * Where in a statement the name of a relation begins: behind FROM, JOIN and TABLE, and behind the
 * commas of a FROM. Where that is not certain, nothing begins: `trim(from x.y)` has a value there,
 * as `a is distinct from x.y` has, `on array[a, x.y]` and whatever follows ORDER BY.
 */
export function relations(tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>()
  /** At each depth: whether a SELECT stands there, and whether a comma is followed by a relation. */
  const depths = [{ query: false, list: false, operator: false }]
  let due = false
  /** Whether the last parenthesis closed an `operator(…)`. */
  let infix = false
  for (const [i, { kind, value }] of tokens.entries()) {
    const depth = depths.at(-1)!
    const [before, after] = [bare(tokens[i - 1]), bare(tokens[i + 1])]
    const keyword = kind === 'word' && before !== '.' && before !== 'as'
    if (kind === 'symbol' && (value === '(' || value === '[')) {
      due &&= value === '('
      depths.push({ query: false, list: due, operator: before === 'operator' })
    } else if (kind === 'symbol') {
      if ((value === ')' || value === ']') && depths.length > 1) infix = depths.pop()!.operator
      due = value === ',' && depth.list
    } else if (keyword && ENDS.has(value)) {
      if (value === 'select') depth.query = true
      depth.list = due = false
    } else if (keyword && value === 'from') {
      due = depth.query && before !== 'distinct'
      depth.list ||= due
    } else if (keyword && (value === 'table' || value === 'join')) {
      // A function may have the name JOIN: it stands behind an operator, and no name does of `x.y`.
      const operand = before === ')' && infix
      const behind = JOINS.has(before ?? '') || NAMED.has(bare(tokens[i - 2]) ?? '')
      const joins = depth.list && (after !== '(' || (behind && !operand))
      due = joins || (value === 'table' && after !== '(')
    } else if (!(due && keyword && (value === 'only' || value === 'lateral'))) {
      if (due) found.add(i)
      due = false
    }
  }
  return found
}

/** What a token says, unless it is a name in quotes: `"as"` is no AS. */
const bare = (token: Token | undefined) => (token?.kind === 'name' ? undefined : token?.value)

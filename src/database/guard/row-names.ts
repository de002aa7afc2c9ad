import type { Labels } from './labels.ts'
import { namesExpression } from './query.ts'
import { isName, isOne, type Token } from './token.ts'

/**
 * Meaning of a name before a dot: the rows of a table, or the rows of a subquery or WITH, which have an ad
 * hoc type.
 */
export type RowName = 'table' | 'query'

/** Finds the meaning of the names in a statement. Each name is examined once. */
export function rowNames(
  tokens: readonly Token[],
  tables: ReadonlySet<number>,
  labels: Labels,
): (name: string) => RowName | undefined {
  const places = placesIn(tokens, tables, labels)
  const uses = new Map<string, number[]>()
  for (const [i, token] of tokens.entries()) {
    if (!isName(token)) continue
    const known = uses.get(token.value)
    if (known) known.push(i)
    else uses.set(token.value, [i])
  }
  // PostgreSQL also folds other letters, and chooses names for the values of these functions: `int4`, `btrim`.
  const unsure = tokens.some((it, i) => isUnsure(it, tokens[i + 1]))
  const found = new Map<string, RowName | undefined>()
  return (name) => {
    if (!found.has(name)) {
      const isKnown = !unsure && PLAIN.test(name)
      found.set(name, isKnown ? rowName(places, uses.get(name) ?? []) : undefined)
    }
    return found.get(name)
  }
}

/**
 * Finds the meaning of a name in front of a dot, if it can only be rows: then `x.f` calls no function that
 * takes a string or a number. A function in FROM can have any alias, including its own name, and then `x` is a
 * value. So every use of the name must be understood. If one is not, the result is undefined.
 */
function rowName(places: TokenPlaces, uses: readonly number[]): RowName | undefined {
  const found = new Set(uses.map((i) => meaning(places, i)))
  if (found.has('unknown')) return undefined
  return found.has('query') ? 'query' : found.has('table') ? 'table' : undefined
}

/** A statement's tokens, and where its relations, dotted names and parentheses begin. */
interface TokenPlaces {
  readonly tokens: readonly Token[]
  readonly labels: Labels
  /** Positions where the names of relations begin. */
  readonly tables: ReadonlySet<number>
  /** For each name, the start of the dotted name that it ends. */
  readonly starts: readonly number[]
  /** For each closing parenthesis, its opening one. */
  readonly opens: ReadonlyMap<number, number>
}

function placesIn(
  tokens: readonly Token[],
  tables: ReadonlySet<number>,
  labels: Labels,
): TokenPlaces {
  const starts: number[] = []
  const opens = new Map<number, number>()
  const open: number[] = []
  for (const [i, token] of tokens.entries()) {
    const dotted = isOne(tokens[i - 1], '.') && isName(tokens[i - 2])
    starts.push(dotted ? starts[i - 2]! : i)
    if (isOne(token, '(')) open.push(i)
    const last = isOne(token, ')') ? open.pop() : undefined
    if (last !== undefined) opens.set(i, last)
  }
  return { tokens, labels, tables, starts, opens }
}

// PostgreSQL truncates longer names.
const PLAIN = /^[a-z_][a-z\d_]{0,60}$/

const isUnsure = (token: Token, after: Token | undefined) =>
  (isName(token) && /[^ -~]/.test(token.value)) ||
  (isOne(token, 'cast', 'trim', 'extract', 'collation') && isOne(after, '(', 'for'))

/** Values that PostgreSQL accepts as relations without parentheses: `from current_user x`. */
const VALUE = /^(?:current_\w+|local\w+|session_user|system_user|user)$/

/** Words that are followed by a value, not an alias. */
const BEFORE_VALUE = ['select', 'distinct', 'by', 'where', 'on', 'and', 'or', 'not', 'when']

function meaning(places: TokenPlaces, i: number): RowName | 'nothing' | 'unknown' {
  const { tokens, tables, labels, starts } = places
  const [before, after] = [tokens[i - 1], tokens[i + 1]]
  if (VALUE.test(tokens[i]!.value)) return 'unknown'
  if (namesExpression(tokens, i) && isOne(after, 'as')) return 'query'
  if (isOne(after, '(')) return 'unknown'
  // `x.a`, and `from x.a`, where x is a schema.
  if (isOne(after, '.') && !isOne(before, '.')) return 'nothing'
  if (isOne(before, '.') || tables.has(i)) return tables.has(starts[i]!) ? 'table' : 'nothing'
  const isLabel = labels.get(i) === 'as'
  if (!isLabel && (isOne(before, ...BEFORE_VALUE) || isOperator(before))) return 'nothing'
  return aliasOf(places, isLabel ? i - 2 : i - 1)
}

const isOperator = (token: Token | undefined) =>
  token?.kind === 'symbol' && !isOne(token, ')', ']', '*', '.')

/** Kind of the item that ends at this position and is followed by an alias. */
function aliasOf({ tokens, tables, starts, opens }: TokenPlaces, end: number) {
  const token = tokens[end]
  if (isName(token)) {
    const value = token!.kind === 'word' && VALUE.test(token!.value)
    return tables.has(starts[end]!) && !value ? 'table' : 'unknown'
  }
  const open = opens.get(end)
  if (open === undefined) return 'unknown'
  const isQuery = isOne(tokens[open + 1], 'select', 'values', 'with')
  return isQuery && isOne(tokens[open - 1], 'from', 'join', 'lateral', ',') ? 'query' : 'unknown'
}

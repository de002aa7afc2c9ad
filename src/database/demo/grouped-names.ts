import { isName, type Token } from '../guard/token.ts'
import { isSymbol, isWord } from './lexed-sql.ts'

/**
 * The names of columns whose values never repeat, in every query that gives a column this name: the
 * only column that a query groups by, the only column of a SELECT DISTINCT, or a row_number().
 */
export function groupedNames(tokens: readonly Token[]): ReadonlySet<string> {
  const [unique, others] = [new Set<string>(), new Set<string>()]
  for (const select of selectsIn(tokens)) {
    const key = keyOf(select)
    for (const name of select.columns) {
      if (name === undefined) continue
      const isUnique = name === key || select.rowNumbers.has(name)
      ;(isUnique ? unique : others).add(name)
    }
  }
  return new Set([...unique].filter((name) => !others.has(name)))
}

/** The only column that keeps the rows of a query apart, if there is one. */
function keyOf({ columns, groups, isDistinct }: Select): string | undefined {
  if (groups.length === 1) return groups[0]
  return isDistinct && columns.length === 1 ? columns[0] : undefined
}

/** What is between two parentheses: a SELECT, or anything else, which has no columns. */
interface Select {
  /** The names of its columns; undefined for one without. */
  readonly columns: (string | undefined)[]
  /** What it groups by. */
  readonly groups: (string | undefined)[]
  /** The names of columns that number the rows. */
  readonly rowNumbers: Set<string | undefined>
  isDistinct: boolean
  /** Whether these are the parentheses of `row_number() over (…)`, without a PARTITION so far. */
  isRowNumber: boolean
  /** The clause that the next token belongs to. */
  clause: 'columns' | 'group by' | 'other'
}

const begin = (isRowNumber: boolean): Select => ({
  columns: [],
  groups: [],
  rowNumbers: new Set(),
  isDistinct: false,
  isRowNumber,
  clause: 'other',
})

function selectsIn(tokens: readonly Token[]): readonly Select[] {
  const found = [begin(false)]
  /** The SELECT at each depth of parentheses. */
  const depths = [...found]
  for (const [i, token] of tokens.entries()) {
    const select = depths.at(-1)!
    if (isSymbol(token, '(')) {
      const isOver = tokens[i - 1]?.value === 'over' && tokens[i - 4]?.value === 'row_number'
      depths.push(begin(isOver))
      found.push(depths.at(-1)!)
    } else if (isSymbol(token, ')')) {
      if (depths.length > 1) depths.pop()
      const name = tokens[i + 1]?.value === 'as' ? tokens[i + 2] : tokens[i + 1]
      if (select.isRowNumber) depths.at(-1)!.rowNumbers.add(name?.value)
    } else if (isWord(token, 'select')) {
      const next = begin(select.isRowNumber)
      next.clause = 'columns'
      next.isDistinct = tokens[i + 1]?.value === 'distinct'
      depths[depths.length - 1] = next
      found.push(next)
    } else {
      readInto(select, tokens, i)
    }
  }
  return found
}

/** Records what a token tells about the SELECT that it is in. */
function readInto(select: Select, tokens: readonly Token[], i: number): void {
  const [token, before] = [tokens[i]!, tokens[i - 1]]
  const { kind, value } = token
  if (select.clause === 'columns' && (value === ',' || value === 'from')) {
    select.columns.push(isName(before) ? before!.value : undefined)
    if (value === 'from') select.clause = 'other'
  } else if (isWord(token, 'by')) {
    select.clause = before?.value === 'group' ? 'group by' : 'other'
    if (before?.value === 'partition') select.isRowNumber = false
  } else if (select.clause === 'group by') {
    if (kind === 'number') select.groups.push(select.columns[Number(value) - 1])
    else if (AFTER_GROUP_BY.has(value)) select.clause = 'other'
    else if (value !== ',') select.groups.push(value)
  }
}

const AFTER_GROUP_BY = new Set([
  'having',
  'order',
  'limit',
  'window',
  'union',
  'intersect',
  'except',
])

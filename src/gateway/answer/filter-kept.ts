import {
  type Cell,
  type Condition,
  keyOfOrder,
  type Operator,
  type Selection,
  trimEnd,
} from '../../database/index.ts'
import { ToolError } from '../../mcp/index.ts'
import type { KeptResult } from './kept-results.ts'
import { likeMatcher } from './like-matcher.ts'

/** The arguments of query_table, for a stored result. */
type KeptSelection = Omit<Selection, 'table' | 'limit'> & { readonly limit?: number | undefined }

/** Each condition reads all stored rows. */
const MAX_CONDITIONS = 20

/** Selects rows from a stored result. Throws {@link ToolError} if a stored result cannot answer the question. */
export function filterKept(kept: KeptResult, selection: KeptSelection): KeptResult {
  const { columns, where = [], orderBy = [], limit, offset = 0 } = selection
  if (selection.aggregates) {
    throw new ToolError('A stored result cannot be aggregated: aggregate in a new statement.')
  }
  if (where.length > MAX_CONDITIONS) {
    throw new ToolError(`A stored result accepts at most ${MAX_CONDITIONS} conditions: send fewer.`)
  }
  const at = (name: string) => placeOf(kept, name)
  const known = new Map<number, readonly Comparable[]>()
  /** The values of a column in comparable form. They are read once for all conditions and sort keys. */
  const column = (place: number) => {
    const values = known.get(place) ?? kept.rows.map((row) => comparableOf(row[place] ?? null))
    known.set(place, values)
    return values
  }
  const tests = where.map(({ column: name, op, value }) => {
    const [values, holds] = [column(at(name)), testOf(op, value)]
    return (i: number) => holds(values[i]!)
  })
  const shown = columns?.map(at)
  const rows = kept.rows
    .map((_, i) => i)
    .filter((i) => tests.every((test) => test(i)))
    .toSorted(orderOf(kept, orderBy, column))
    .slice(offset, limit === undefined ? undefined : offset + limit)
    .map((i) => kept.rows[i]!)
  if (!shown) return { columns: kept.columns, rows }
  return {
    columns: shown.map((place) => kept.columns[place]!),
    rows: rows.map((row) => shown.map((place) => row[place] ?? null)),
  }
}

/** Compares two rows by their indexes. Only the first sort key for a column counts. */
function orderOf(
  kept: KeptResult,
  orderBy: readonly string[],
  column: (place: number) => readonly Comparable[],
) {
  const signs = new Map<number, number>()
  for (const term of orderBy) {
    const whole = kept.columns.some(({ name }) => name === term)
    const { key, descends } = whole ? { key: term, descends: false } : keyOfOrder(term)
    const place = placeOf(kept, key)
    if (!signs.has(place)) signs.set(place, descends ? -1 : 1)
  }
  const keys = [...signs].map(([place, sign]) => ({ values: column(place), sign }))
  return (a: number, b: number) => {
    for (const { values, sign } of keys) {
      const order = compare(values[a]!, values[b]!)
      if (order !== 0) return sign * order
    }
    return 0
  }
}

function placeOf({ columns }: KeptResult, name: string): number {
  const place = columns.findIndex((it) => it.name === name)
  if (place >= 0) return place
  const names = columns.map((it) => it.name).join(', ')
  throw new ToolError(
    `The result has no column called ${JSON.stringify(name.slice(0, 100))}. It has: ${names.slice(0, 500)}.`,
  )
}

/** Builds the test for a condition, so its value is parsed once for all cells. */
function testOf(op: Operator, value: Condition['value']): (cell: Comparable) => boolean {
  if (op === 'is_null') return (cell) => cell === null
  if (op === 'not_null') return (cell) => cell !== null
  const values = (value === undefined ? [] : [value].flat()).map(comparableOf)
  if (values.length === 0) throw new ToolError(`${op} takes a value.`)
  const [first = null, second = null] = values
  const matches = matching(op, first, second, values)
  return (cell) => cell !== null && matches(cell)
}

function matching(
  op: Exclude<Operator, 'is_null' | 'not_null'>,
  first: Comparable,
  second: Comparable,
  values: readonly Comparable[],
): (cell: ComparedValue) => boolean {
  switch (op) {
    case 'eq':
      return (cell) => compare(cell, first) === 0
    case 'ne':
      return (cell) => compare(cell, first) !== 0
    case 'lt':
      return (cell) => compare(cell, first) < 0
    case 'lte':
      return (cell) => compare(cell, first) <= 0
    case 'gt':
      return (cell) => compare(cell, first) > 0
    case 'gte':
      return (cell) => compare(cell, first) >= 0
    case 'between':
      return (cell) => compare(cell, first) >= 0 && compare(cell, second) <= 0
    case 'in':
    case 'not_in': {
      const among = new Set(values.map((it) => it?.same))
      return (cell) => among.has(cell.same) === (op === 'in')
    }
    case 'contains': {
      const part = pattern(first).toLowerCase()
      return ({ text }) => text.toLowerCase().includes(part)
    }
    case 'like': {
      const likes = likeMatcher(pattern(first))
      return ({ text }) => likes(text)
    }
  }
}

const MAX_PATTERN_CHARS = 1_000

function pattern(value: Comparable): string {
  const text = value?.text ?? 'null'
  if (text.length <= MAX_PATTERN_CHARS) return text
  throw new ToolError(`In a stored result, search for at most ${MAX_PATTERN_CHARS} characters.`)
}

/** A cell in comparable form. NULL stays NULL. */
type Comparable = ComparedValue | null

interface ComparedValue {
  readonly text: string
  /** Identical for equal values, and different for different values. */
  readonly same: string
  readonly digits?: Digits | undefined
}

/** The digits of a number, without leading and trailing zeros. */
interface Digits {
  readonly sign: number
  readonly whole: string
  readonly fraction: string
}

function comparableOf(cell: Cell): Comparable {
  if (cell === null) return null
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
  const [, minus = '', integer, decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (integer === undefined) return { text, same: text }
  const whole = integer.replace(/^0+/, '')
  const fraction = trimEnd(decimals, '0')
  const isZero = whole === '' && fraction === ''
  const sign = isZero ? 0 : minus ? -1 : 1
  // Written as a number, so a string that is not a number never equals it.
  const same = `${sign < 0 ? '-' : ''}${whole || 0}${fraction && `.${fraction}`}`
  return { text, same, digits: { sign, whole, fraction } }
}

/** Compares numbers of any length by value, and other values by their text. NULL is the largest. */
function compare(a: Comparable, b: Comparable): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  if (a.same === b.same) return 0
  const [x, y] = [a.digits, b.digits]
  if (!x || !y) return a.text < b.text ? -1 : 1
  if (x.sign !== y.sign) return x.sign - y.sign
  return (
    x.sign *
    (x.whole.length - y.whole.length || order(x.whole, y.whole) || order(x.fraction, y.fraction))
  )
}

const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

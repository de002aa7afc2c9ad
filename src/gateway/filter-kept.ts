import { type Cell, keyOfOrder, type Operator, type Param, withoutEnd } from '../database/index.ts'
import { ToolError } from '../mcp/index.ts'
import type { Kept } from './kept-results.ts'
import { likeness } from './likeness.ts'

/** What query_table asks of a table, asked of a result that was kept. */
export interface Asked {
  readonly columns?: readonly string[] | undefined
  readonly aggregates?: readonly string[] | undefined
  readonly where?:
    | readonly {
        readonly column: string
        readonly op: Operator
        readonly value?: Param | readonly Param[] | undefined
      }[]
    | undefined
  readonly orderBy?: readonly string[] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Conditions of one reading: each looks through all that is kept. */
const MOST_CONDITIONS = 20

/** Reads some of the rows of a result. Throws {@link ToolError} for what a result cannot answer. */
export function select(kept: Kept, asked: Asked): Kept {
  const { columns, where = [], orderBy = [], limit, offset = 0 } = asked
  if (asked.aggregates) {
    throw new ToolError('A kept result cannot be aggregated: aggregate in a new statement.')
  }
  if (where.length > MOST_CONDITIONS) {
    throw new ToolError(`A kept result takes at most ${MOST_CONDITIONS} conditions.`)
  }
  const at = (name: string) => placeOf(kept, name)
  const known = new Map<number, readonly Worth[]>()
  /** What the cells of a column are worth, worked out once however often they are compared. */
  const column = (place: number) => {
    const worths = known.get(place) ?? kept.rows.map((row) => worthOf(row[place] ?? null))
    known.set(place, worths)
    return worths
  }
  const tests = where.map(({ column: name, op, value }) => {
    const [worths, holds] = [column(at(name)), testOf(op, value)]
    return (i: number) => holds(worths[i]!)
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

/** Compares two rows, by their numbers. The second key of one column would never be asked. */
function orderOf(
  kept: Kept,
  orderBy: readonly string[],
  column: (place: number) => readonly Worth[],
) {
  const signs = new Map<number, number>()
  for (const asked of orderBy) {
    const whole = kept.columns.some(({ name }) => name === asked)
    const { key, descends } = whole ? { key: asked, descends: false } : keyOfOrder(asked)
    const place = placeOf(kept, key)
    if (!signs.has(place)) signs.set(place, descends ? -1 : 1)
  }
  const keys = [...signs].map(([place, sign]) => ({ worths: column(place), sign }))
  return (a: number, b: number) => {
    for (const { worths, sign } of keys) {
      const order = compare(worths[a]!, worths[b]!)
      if (order !== 0) return sign * order
    }
    return 0
  }
}

function placeOf({ columns }: Kept, name: string): number {
  const place = columns.findIndex((it) => it.name === name)
  if (place >= 0) return place
  const names = columns.map((it) => it.name).join(', ')
  throw new ToolError(
    `The result has no column called ${JSON.stringify(name.slice(0, 100))}. It has: ${names.slice(0, 500)}.`,
  )
}

const list = (value: Param | readonly Param[] | undefined): readonly Param[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as Param]

/** Whether a cell meets a condition, which is read once for all of them. */
function testOf(
  op: Operator,
  value: Param | readonly Param[] | undefined,
): (cell: Worth) => boolean {
  if (op === 'is_null') return (cell) => cell === null
  if (op === 'not_null') return (cell) => cell !== null
  const values = list(value).map(worthOf)
  if (values.length === 0) throw new ToolError(`${op} takes a value.`)
  const [first = null, second = null] = values
  const matches = matching(op, first, second, values)
  return (cell) => cell !== null && matches(cell)
}

function matching(
  op: Exclude<Operator, 'is_null' | 'not_null'>,
  first: Worth,
  second: Worth,
  values: readonly Worth[],
): (cell: Value) => boolean {
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
      const likes = likeness(pattern(first))
      return ({ text }) => likes(text)
    }
  }
}

/** Characters of a text that is looked for. */
const LONGEST = 1_000

function pattern(value: Worth): string {
  const text = value?.text ?? 'null'
  if (text.length <= LONGEST) return text
  throw new ToolError(`In a kept result, look for at most ${LONGEST} characters.`)
}

/** A value as it is compared, and NULL as itself. */
type Worth = Value | null

interface Value {
  readonly text: string
  /** The same for all values that are equal, and only for those. */
  readonly same: string
  readonly digits?: Digits | undefined
}

/** The digits of a number, without the zeros that say nothing. */
interface Digits {
  readonly sign: number
  readonly whole: string
  readonly fraction: string
}

function worthOf(cell: Cell): Worth {
  if (cell === null) return null
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
  const [, minus = '', integer, decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (integer === undefined) return { text, same: text }
  const whole = integer.replace(/^0+/, '')
  const fraction = withoutEnd(decimals, '0')
  const isZero = whole === '' && fraction === ''
  const sign = isZero ? 0 : minus ? -1 : 1
  // A number again, so that no text that is none is the same.
  const same = `${sign < 0 ? '-' : ''}${whole || 0}${fraction && `.${fraction}`}`
  return { text, same, digits: { sign, whole, fraction } }
}

/** Numbers by what they are worth, however long; other values by their text. NULL is above all. */
function compare(a: Worth, b: Worth): number {
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

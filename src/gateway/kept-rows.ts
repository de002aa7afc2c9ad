import type { Cell, Operator, Param } from '../database/index.ts'
import { ToolError } from '../mcp/index.ts'
import type { Kept } from './results.ts'

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

/** Reads some of the rows of a result. Throws {@link ToolError} for what a result cannot answer. */
export function select(kept: Kept, asked: Asked): Kept {
  const { columns, where = [], orderBy = [], limit, offset = 0 } = asked
  if (asked.aggregates) {
    throw new ToolError('A kept result has no aggregates: aggregate in a statement of its own.')
  }
  const at = (name: string) => placeOf(kept, name)
  const tests = where.map(({ column, op, value }) => {
    const place = at(column)
    return (row: Row) => holds(row[place] ?? null, op, value)
  })
  const keys = orderBy.map((key) => {
    const [, name = key, direction] = /^(.*?)\s+(asc|desc)$/is.exec(key) ?? []
    return { place: at(name), sign: /desc/i.test(direction ?? '') ? -1 : 1 }
  })
  const shown = columns?.map(at)
  const rows = kept.rows
    .filter((row) => tests.every((test) => test(row)))
    .toSorted((a, b) => {
      for (const { place, sign } of keys) {
        const order = compare(a[place] ?? null, b[place] ?? null)
        if (order !== 0) return sign * order
      }
      return 0
    })
    .slice(offset, limit === undefined ? undefined : offset + limit)
  if (!shown) return { columns: kept.columns, rows }
  return {
    columns: shown.map((place) => kept.columns[place]!),
    rows: rows.map((row) => shown.map((place) => row[place] ?? null)),
  }
}

type Row = readonly Cell[]

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

function holds(cell: Cell, op: Operator, value: Param | readonly Param[] | undefined): boolean {
  if (op === 'is_null') return cell === null
  if (op === 'not_null') return cell !== null
  const values = list(value)
  const [first = null, second = null] = values
  if (values.length === 0) throw new ToolError(`${op} takes a value.`)
  if (cell === null) return false
  const order = (other: Param) => compare(cell, other)
  switch (op) {
    case 'eq':
      return order(first) === 0
    case 'ne':
      return order(first) !== 0
    case 'lt':
      return order(first) < 0
    case 'lte':
      return order(first) <= 0
    case 'gt':
      return order(first) > 0
    case 'gte':
      return order(first) >= 0
    case 'between':
      return order(first) >= 0 && order(second) <= 0
    case 'in':
      return values.some((it) => order(it) === 0)
    case 'not_in':
      return values.every((it) => order(it) !== 0)
    case 'contains':
      return textOf(cell).toLowerCase().includes(textOf(first).toLowerCase())
    case 'like':
      return likeness(textOf(first)).test(textOf(cell))
  }
}

const textOf = (cell: Cell) =>
  cell !== null && typeof cell === 'object' ? JSON.stringify(cell) : String(cell)

/**
 * A pattern of SQL, in which `%` is any text and `_` any character. What stands behind a `%` is sought
 * once: the first place is as good as any, and to try them all would take years on a long text.
 */
const likeness = (pattern: string) => {
  const parts = pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('_', '.')
  const places = `${parts}$`.split('%').map((it, i) => (i ? `(?=(.*?${it}))\\${i}` : it))
  return new RegExp(`^${places.join('')}`, 'su')
}

const DECIMAL = /^-?\d{1,1000}(?:\.\d{1,1000})?$/

/** Numbers by what they are worth, however long; other values by their text. NULL is above all. */
function compare(a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const [left, right] = [textOf(a), textOf(b)]
  if (left === right) return 0
  if (!DECIMAL.test(left) || !DECIMAL.test(right)) return left < right ? -1 : 1
  const digits = Math.max(fraction(left).length, fraction(right).length)
  const [x, y] = [scaled(left, digits), scaled(right, digits)]
  return x === y ? 0 : x < y ? -1 : 1
}

const fraction = (number: string) => number.split('.')[1] ?? ''

const scaled = (number: string, digits: number) =>
  BigInt(number.split('.')[0]! + fraction(number).padEnd(digits, '0'))

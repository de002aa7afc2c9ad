import type { Answer, Cell, Column, Limits } from '../rows.ts'
import { cap } from '../transport/row-cap.ts'
import { BLOB_BYTES, blob, classOf, commonClass } from './values.ts'

// A character that cannot be typed on a keyboard. A string in the database that starts with it is marked as a string.
const MARK = '\u0001'

// The platform's limit. Our own column counts in addition to the query's columns.
const MAX_COLUMNS = 100

/**
 * Rewrites a query so that its values survive JSON and doubles. Integers that do not fit in a double, infinities,
 * minus zeros and the starts of blobs become strings that describe them. {@link decodeExact} reads those.
 *
 * The query is put into a FROM, where it cannot see our names. In a WITH, its meaning could change: its
 * tables could have the same names as ours, and SQLite misreads a compound query whose ORDER BY has a COLLATE. The
 * empty first part of the union gives the columns our names. One LIMIT keeps the rows lazy. Two nested LIMITs
 * keep SQLite from merging the queries, because it would then compute a value once for each time that we
 * refer to it.
 */
export function encodeExact(sql: string, columns: number, maxRows: number): string {
  const names = numbered(columns)
  return `select ${names.map((c) => `${mark(c)} as ${c}`)} from (
    select ${names.map((c) => `null as ${c}`)} where 0 union all
    select * from (${sql}\n) limit ${maxRows}) limit ${maxRows}`
}

const mark = (c: string) => `case typeof(${c})
  when 'integer' then iif(${c} between -9007199254740991 and 9007199254740991, ${c}, char(1, 105) || ${c})
  when 'real' then case when abs(${c}) = 9e999 then char(1, 114) || iif(${c} < 0, '-', '') || 'Infinity'
    when ${c} = 0 and atan2(${c}, -1) < 0 then char(1, 114) || '-0' else ${c} end
  when 'blob' then char(1, 98) || length(${c}) || ' ' || hex(substr(${c}, 1, ${BLOB_BYTES}))
  when 'text' then iif(substr(${c}, 1, 1) = char(1), char(1, 116) || ${c}, ${c}) end`

/** A value's storage class, and the value in the result. */
export interface Exact {
  readonly type: string
  readonly cell: Cell
}

/** Reads a value from a query that {@link encodeExact} rewrote. */
export function decodeExact(value: null | number | string): Exact {
  if (typeof value !== 'string' || !value.startsWith(MARK)) {
    return { type: classOf(value), cell: value }
  }
  const text = value.slice(2)
  switch (value[1]) {
    case 'i':
      return { type: 'integer', cell: text }
    case 'r':
      return { type: 'real', cell: text }
    case 'b': {
      const [length = '', hex = ''] = text.split(' ')
      const bytes = hex.match(/../g)?.map((digits) => Number.parseInt(digits, 16)) ?? []
      return { type: 'blob', cell: blob(Uint8Array.from(bytes), Number(length)) }
    }
    default:
      return { type: 'text', cell: text }
  }
}

/** The columns for rows with these storage classes. A class stands in for a type that was not declared. */
export const columnsFor = (
  names: readonly string[],
  classes: readonly (readonly string[])[],
  declared: readonly (string | null | undefined)[] = [],
): Column[] =>
  names.map((name, i) => ({
    name,
    type: declared[i]?.toLowerCase() || commonClass(classes.map((row) => row[i] ?? 'null')),
  }))

/** Reads the rows that the limits allow, value by value, and derives their columns. */
export function exactAnswer<Value>(
  names: readonly string[],
  rows: Iterable<readonly Value[]>,
  limits: Pick<Limits, 'maxRows' | 'maxBytes'>,
  read: (value: Value) => Exact,
  declared?: readonly string[],
): Answer {
  const classes: string[][] = []
  function* cells() {
    for (const row of rows) {
      const exact = row.map(read)
      classes.push(exact.map(({ type }) => type))
      yield exact.map(({ cell }) => cell)
    }
  }
  const capped = cap(cells(), { ...limits, timeoutMs: 0 })
  const shown = classes.slice(0, capped.rows.length)
  return { columns: columnsFor(names, shown, declared), ...capped }
}

/**
 * Leaves most of the rows that do not fit into `maxBytes` out of a query that {@link encodeExact} rewrote, for a
 * database that only sends complete results. The query returns at least one row that does not fit, which shows that
 * rows are missing.
 */
export function withinBytes(sql: string, columns: number, maxBytes: number): string {
  if (columns >= MAX_COLUMNS) return sql
  const names = numbered(columns)
  // Values are cast to blobs, because length() stops at the first NUL in a string.
  const size = sum(names.map((c) => `ifnull(length(cast(${c} as blob)), 4)`))
  // A number can be twice as long here as in JSON: 1.0 becomes 1.
  return `select ${names} from (select *,
      sum(${size}) over (rows between unbounded preceding and 1 preceding) as before from (${sql}))
    where ifnull(before, 0) <= ${2 * maxBytes}`
}

const numbered = (columns: number) => Array.from({ length: columns }, (_, i) => `c${i}`)

/** Writes a sum with as little nesting as possible, because SQLite allows at most a hundred levels. */
function sum(terms: readonly string[]): string {
  if (terms.length <= 1) return terms[0] ?? '0'
  const half = terms.length >> 1
  return `(${sum(terms.slice(0, half))} + ${sum(terms.slice(half))})`
}

import type { Cell } from '../database.ts'
import { BLOB_BYTES, blob, classOf } from './values.ts'

// No keyboard has it, and a text that begins with it is marked as one.
const MARK = '\u0001'

// A platform's limit; a column of ours needs room beside those of the query.
const MOST_COLUMNS = 100

/**
 * The same query, its values in a form that survives JSON and doubles: integers that a double
 * cannot hold, infinities and the beginnings of blobs come as texts that tell what they are.
 * {@link unmark} reads them.
 */
export function marked(sql: string, columns: number, maxRows: number): string {
  const names = numbered(columns)
  // The inner LIMIT keeps the statement's own order, and its rows lazy.
  return `with q (${names}) as (select * from (${sql}\n) limit ${maxRows})
    select ${names.map(mark)} from q`
}

const mark = (c: string) => `case typeof(${c})
  when 'integer' then iif(${c} between -9007199254740991 and 9007199254740991, ${c}, char(1, 105) || ${c})
  when 'real' then iif(abs(${c}) < 9e999, ${c}, char(1, 114) || iif(${c} > 0, '', '-') || 'Infinity')
  when 'blob' then char(1, 98) || length(${c}) || ' ' || hex(substr(${c}, 1, ${BLOB_BYTES}))
  when 'text' then iif(substr(${c}, 1, 1) = char(1), char(1, 116) || ${c}, ${c}) end`

/** A value's storage class, and the value as it is answered. */
export interface Exact {
  readonly type: string
  readonly cell: Cell
}

/** Reads a value that a query as {@link marked} sent. */
export function unmark(value: null | number | string): Exact {
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

/**
 * The same query without the rows that are sure to come after `maxBytes` of answer, for a database
 * that sends an answer only whole. One row more than fits is left, so that it shows.
 */
export function within(maxBytes: number, sql: string, columns: number): string {
  if (columns >= MOST_COLUMNS) return sql
  const names = numbered(columns)
  const size = sum(names.map((c) => `ifnull(length(${c}), 4)`))
  // A number may be twice as long here as it is in JSON: 1.0 is 1 there.
  return `with a (${names}) as (${sql}), b as (select *,
      sum(${size}) over (rows between unbounded preceding and 1 preceding) as before from a)
    select ${names} from b where ifnull(before, 0) <= ${2 * maxBytes}`
}

const numbered = (columns: number) => Array.from({ length: columns }, (_, i) => `c${i}`)

/** A sum of few levels: SQLite takes no expression with more than a hundred. */
function sum(terms: readonly string[]): string {
  if (terms.length <= 1) return terms[0] ?? '0'
  const half = terms.length >> 1
  return `(${sum(terms.slice(0, half))} + ${sum(terms.slice(half))})`
}

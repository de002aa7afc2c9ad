import type { Cell } from '../rows.ts'
import { BLOB_BYTES, blob, classOf } from './values.ts'

// It cannot be typed on a keyboard. A text of the database that begins with it is marked as a text.
const MARK = '\u0001'

// A limit of the platform. Our own column needs room beside those of the query.
const MAX_COLUMNS = 100

/**
 * The same query with values that survive JSON and doubles: integers that a double cannot hold,
 * infinities, minus zeros and the beginnings of blobs come as texts that say what they are.
 * {@link decodeExact} reads them.
 *
 * The query is put into a FROM, from where it cannot see our names. In a WITH it would mean something
 * else: its tables could have the same name as ours, and SQLite misreads a compound whose ORDER BY has
 * a COLLATE. The empty first part of the union gives the columns our names. One LIMIT keeps the rows
 * lazy. Two, one inside the other, keep SQLite from merging the queries: it would then compute a value
 * once for each time that we name it.
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

/** A value's storage class, and the value as it is answered. */
export interface Exact {
  readonly type: string
  readonly cell: Cell
}

/** Reads a value of a query of {@link encodeExact}. */
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

/**
 * A query of {@link encodeExact}, without most of the rows that do not fit into `maxBytes`: for a database
 * that sends an answer only whole. At least one row more than fits comes, which shows that some are cut.
 */
export function withinBytes(sql: string, columns: number, maxBytes: number): string {
  if (columns >= MAX_COLUMNS) return sql
  const names = numbered(columns)
  // As a blob: length() of a text stops at a NUL.
  const size = sum(names.map((c) => `ifnull(length(cast(${c} as blob)), 4)`))
  // A number may be twice as long here as it is in JSON: 1.0 is 1 there.
  return `select ${names} from (select *,
      sum(${size}) over (rows between unbounded preceding and 1 preceding) as before from (${sql}))
    where ifnull(before, 0) <= ${2 * maxBytes}`
}

const numbered = (columns: number) => Array.from({ length: columns }, (_, i) => `c${i}`)

/** A sum that nests as little as it can: SQLite takes at most a hundred levels. */
function sum(terms: readonly string[]): string {
  if (terms.length <= 1) return terms[0] ?? '0'
  const half = terms.length >> 1
  return `(${sum(terms.slice(0, half))} + ${sum(terms.slice(half))})`
}

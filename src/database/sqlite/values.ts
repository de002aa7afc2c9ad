import type { Cell } from '../rows.ts'
import { isNumber } from '../transport/exact-json.ts'

/** A value that the cursor of a Durable Object yields. */
export type SqliteValue = null | number | string | ArrayBuffer

/** Bytes of a blob that are shown: more are of no use to a reader, and each takes several in JSON. */
export const BLOB_BYTES = 256

/** The value as it is answered: itself where JSON keeps it exact, or else a string. */
export function cell(value: SqliteValue): Cell {
  if (typeof value === 'number') return isNumber(value) ? value : value ? String(value) : '-0'
  return value instanceof ArrayBuffer ? blob(new Uint8Array(value)) : value
}

/** A blob literal, cut when it is long: `x'00ff'`, `x'00ff…' (2 of 4096 bytes)`. */
export function blob(start: Uint8Array, length = start.length): string {
  const shown = start.subarray(0, BLOB_BYTES)
  const hex = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return length > shown.length ? `x'${hex}…' (${shown.length} of ${length} bytes)` : `x'${hex}'`
}

/**
 * The storage class of a column's values, since a cursor does not tell the declared type. Empty if
 * there are no values, or values of several classes. A whole real, 12.0, looks like the integer 12.
 */
export function storageClass(values: readonly SqliteValue[]): string {
  return commonClass(values.map(classOf))
}

/** The storage class that all of these have in common. NULL does not count: every column may hold it. */
export function commonClass(found: readonly string[]): string {
  const classes = new Set(found.filter((it) => it !== 'null'))
  if (classes.has('real')) classes.delete('integer')
  return classes.size === 1 ? [...classes].join() : ''
}

/** The storage class of a value. */
export function classOf(value: SqliteValue): string {
  if (value === null) return 'null'
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && isNumber(value) ? 'integer' : 'real'
  }
  return typeof value === 'string' ? 'text' : 'blob'
}

/** Whether a whole number is so big that the platform may have rounded it. */
export const mayBeRounded = (value: SqliteValue) =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) >= 2 ** 53

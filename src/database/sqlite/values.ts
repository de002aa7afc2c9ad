import type { Cell } from '../rows.ts'
import { isNumber } from '../transport/exact-json.ts'

// What a Durable Object's cursor yields.
export type SqliteValue = null | number | string | ArrayBuffer

// Longer blobs are of no use to a reader, and six times as long in JSON as in the database.
export const BLOB_BYTES = 256

/** A value as it is answered: exact, or a string that is. */
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
 * The storage class of a column's values, since a cursor does not tell what was declared. Empty
 * when there is none to see, or more than one. A whole real, 12.0, cannot be told from 12.
 */
export function storageClass(values: readonly SqliteValue[]): string {
  return commonClass(values.map(classOf))
}

/** The storage class that these have in common, but for NULL, which every column may hold. */
export function commonClass(found: readonly string[]): string {
  const classes = new Set(found.filter((it) => it !== 'null'))
  if (classes.has('real')) classes.delete('integer')
  return classes.size === 1 ? [...classes].join() : ''
}

/** The storage class that a value has, as far as it can be told. */
export function classOf(value: SqliteValue): string {
  if (value === null) return 'null'
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && isNumber(value) ? 'integer' : 'real'
  }
  return typeof value === 'string' ? 'text' : 'blob'
}

/** Whether a whole number is so big that the platform may have rounded it on its way to us. */
export const mayBeRounded = (value: SqliteValue) =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) >= 2 ** 53

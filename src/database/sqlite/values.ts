import type { Cell } from '../rows.ts'
import { isNumber } from '../transport/exact-json.ts'

/** A value from a Durable Object's cursor. */
export type SqliteValue = null | number | string | ArrayBuffer

/** Maximum number of bytes of a blob to show. More would not help a reader, and each byte takes several in JSON. */
export const BLOB_BYTES = 256

/** The value in the result: unchanged if JSON keeps it exact, otherwise a string. */
export function cell(value: SqliteValue): Cell {
  if (typeof value === 'number') return isNumber(value) ? value : value ? String(value) : '-0'
  return value instanceof ArrayBuffer ? blob(new Uint8Array(value)) : value
}

/** A blob literal, cut off if it is long: `x'00ff'`, `x'00ff…' (2 of 4096 bytes)`. */
export function blob(start: Uint8Array, length = start.length): string {
  const shown = start.subarray(0, BLOB_BYTES)
  const hex = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return length > shown.length ? `x'${hex}…' (${shown.length} of ${length} bytes)` : `x'${hex}'`
}

/** The storage class that all of these share, except NULL. Empty if there are several. A whole real looks like 12. */
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

/** True if a whole number is so large that the platform could have rounded it. */
export const mayBeRounded = (value: SqliteValue) =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) >= 2 ** 53

import type { Cell } from '../rows.ts'
import { readJson } from '../transport/exact-json.ts'

/** Type of a result column, as in information_schema. */
export interface Type {
  /** For example `bigint unsigned`, `decimal(12,2)` or `tinyint(1)`. */
  readonly name: string
  readonly form: 'integer' | 'boolean' | 'float' | 'double' | 'bytes' | 'json' | 'time' | 'text'
  /** Digits of fractional seconds. */
  readonly decimals?: number
}

/**
 * A raw value: NULL, a number of at most 53 bits, digits, or bytes. The type determines whether the
 * bytes are text.
 */
export type Raw = null | number | string | Uint8Array

/** Converts one value to a JSON number or boolean if that loses nothing, otherwise to a string. */
export function readValue(raw: Raw, { form, decimals = 0 }: Type): Cell {
  if (raw === null) return null
  if (form === 'bytes') return hex(bytesOf(raw))
  const text = textOf(raw)
  switch (form) {
    case 'boolean':
      return text === '0' ? false : text === '1' ? true : Number(text)
    case 'integer':
      return Number.isSafeInteger(Number(text)) ? Number(text) : text
    case 'float':
      return text === '-0' ? text : shortest(Number(text))
    case 'double':
      return text === '-0' ? text : Number(text)
    case 'json':
      return json(text)
    case 'time':
      return padded(text, decimals)
    default:
      return text
  }
}

// A string can begin with a byte order mark that is part of it.
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const encoder = new TextEncoder()

const textOf = (raw: number | string | Uint8Array) =>
  raw instanceof Uint8Array ? decoder.decode(raw) : Object.is(raw, -0) ? '-0' : String(raw)

const bytesOf = (raw: number | string | Uint8Array) =>
  raw instanceof Uint8Array ? raw : encoder.encode(String(raw))

/** Bytes as a hexadecimal literal, which MySQL reads as the same bytes. */
const hex = (bytes: Uint8Array) =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Rounds a 32-bit number to the fewest digits that identify it. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

/** Leaves a string that is not JSON unchanged: MariaDB calls a column JSON without checking its values. */
function json(text: string): Cell {
  try {
    return readJson(text)
  } catch {
    return text
  }
}

/** Pads a time to all the digits of its type, because trailing zeros are not always sent. */
function padded(text: string, decimals: number): string {
  if (decimals < 1 || decimals > 6) return text
  const [whole, fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

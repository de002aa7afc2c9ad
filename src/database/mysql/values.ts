import type { Cell } from '../rows.ts'
import { readJson } from '../transport/exact-json.ts'

/** What a column of an answer is, in the words of information_schema. */
export interface Type {
  /** `bigint unsigned`, `decimal(12,2)`, `tinyint(1)`. */
  readonly name: string
  readonly form: 'integer' | 'boolean' | 'float' | 'double' | 'bytes' | 'json' | 'time' | 'text'
  /** Digits after the point of a second. */
  readonly decimals?: number
}

/**
 * A value as it came: NULL, a number of at most 53 bits, digits, or bytes. The type says whether the
 * bytes are text.
 */
export type Raw = null | number | string | Uint8Array

/** Reads one value: as a JSON number or boolean where that loses nothing, else as text. */
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

// A text may begin with a byte order mark of its own.
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const encoder = new TextEncoder()

const textOf = (raw: number | string | Uint8Array) =>
  raw instanceof Uint8Array ? decoder.decode(raw) : Object.is(raw, -0) ? '-0' : String(raw)

const bytesOf = (raw: number | string | Uint8Array) =>
  raw instanceof Uint8Array ? raw : encoder.encode(String(raw))

/** As MySQL itself reads it back. */
const hex = (bytes: Uint8Array) =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** A number of 32 bits in as few digits as tell it from the others. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

/** A text that is not JSON stays as it is: MariaDB calls a column JSON without checking it. */
function json(text: string): Cell {
  try {
    return readJson(text)
  } catch {
    return text
  }
}

/** A time with all the digits of its type: trailing zeros are not always sent. */
function padded(text: string, decimals: number): string {
  if (decimals < 1 || decimals > 6) return text
  const [whole, fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

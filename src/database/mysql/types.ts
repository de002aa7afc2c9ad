import type { Type } from './values.ts'

/** What a server says about a column of an answer, in either protocol. */
export interface Described {
  /** The type's own name: `bigint`, `varchar`. */
  readonly base: string
  readonly unsigned: boolean
  /** Characters to display, of a number with its sign and point. */
  readonly length: number
  /** Digits after the point. */
  readonly decimals: number
}

const forms: Readonly<Record<string, Type['form']>> = {
  tinyint: 'integer',
  smallint: 'integer',
  mediumint: 'integer',
  int: 'integer',
  bigint: 'integer',
  year: 'integer',
  float: 'float',
  double: 'double',
  bit: 'bytes',
  binary: 'bytes',
  varbinary: 'bytes',
  blob: 'bytes',
  geometry: 'bytes',
  vector: 'bytes',
  json: 'json',
  time: 'time',
  datetime: 'time',
  timestamp: 'time',
}

/** How to call a type, and how to read its values. */
export function typeOf({ base, unsigned, length, decimals }: Described): Type {
  const form = forms[base] ?? 'text'
  if (base === 'tinyint' && length === 1 && !unsigned)
    return { name: 'tinyint(1)', form: 'boolean' }
  if (base === 'decimal') {
    const precision = length - (decimals > 0 ? 1 : 0) - (unsigned ? 0 : 1)
    // A sum of integers is a decimal without a fraction.
    const whole = decimals === 0 ? 'integer' : form
    return { name: `decimal(${precision},${decimals})${unsigned ? ' unsigned' : ''}`, form: whole }
  }
  if (form === 'time' && decimals >= 1 && decimals <= 6) {
    return { name: `${base}(${decimals})`, form, decimals }
  }
  const counts = form === 'integer' || form === 'float' || form === 'double'
  return { name: unsigned && counts && base !== 'year' ? `${base} unsigned` : base, form }
}

/** A column as the wire protocol describes it. */
export interface Field {
  readonly name: string
  readonly columnType: number
  readonly characterSet: number
  readonly columnLength: number
  readonly flags: number
  readonly decimals: number
  /** MariaDB's `uuid`, `inet6`. */
  readonly extendedTypeName?: string | undefined
  /** MariaDB's `json`. */
  readonly extendedFormat?: string | undefined
}

const UNSIGNED = 32
const ENUM = 256
const SET = 2048

/** The character set of bytes that are no characters. */
const BINARY = 63

/** Types by their number on the wire. */
const numbered: Readonly<Record<number, string>> = {
  0: 'decimal',
  1: 'tinyint',
  2: 'smallint',
  3: 'int',
  4: 'float',
  5: 'double',
  6: 'null',
  7: 'timestamp',
  8: 'bigint',
  9: 'mediumint',
  10: 'date',
  11: 'time',
  12: 'datetime',
  13: 'year',
  14: 'date',
  16: 'bit',
  242: 'vector',
  245: 'json',
  246: 'decimal',
  247: 'enum',
  248: 'set',
  255: 'geometry',
}

/** The type of a column on the wire. */
export function typeOfField(field: Field): Type {
  const { columnType, characterSet, columnLength, flags, decimals } = field
  if (field.extendedFormat === 'json') return { name: 'json', form: 'json' }
  const base = numbered[columnType] ?? ofText(columnType, flags, characterSet === BINARY)
  const type = typeOf({
    base,
    unsigned: (flags & UNSIGNED) !== 0,
    length: columnLength,
    decimals,
  })
  return field.extendedTypeName ? { ...type, name: field.extendedTypeName } : type
}

/** Texts and bytes have the same numbers. */
function ofText(columnType: number, flags: number, binary: boolean): string {
  if (flags & ENUM) return 'enum'
  if (flags & SET) return 'set'
  if (columnType === 254) return binary ? 'binary' : 'char'
  if (columnType === 253 || columnType === 15) return binary ? 'varbinary' : 'varchar'
  return binary ? 'blob' : 'text'
}

import { words } from '../words.ts'
import type { Field } from './mysql2.mjs'
import type { Type } from './values.ts'

/** A server's description of a result column, in either protocol. */
export interface ColumnDescription {
  /** The type's own name: `bigint`, `varchar`. */
  readonly base: string
  readonly unsigned: boolean
  /** Display width in characters. For a number, it includes the sign and the point. */
  readonly length: number
  /** Digits after the point. */
  readonly decimals: number
}

const forms: ReadonlyMap<string, Type['form']> = new Map(
  (
    [
      ['integer', 'tinyint smallint mediumint int bigint year'],
      ['float', 'float'],
      ['double', 'double'],
      ['bytes', 'bit binary varbinary blob geometry vector'],
      ['json', 'json'],
      ['time', 'time datetime timestamp'],
    ] as const
  ).flatMap(([form, names]) => words(names).map((it) => [it, form] as const)),
)

/** The name of a type, and the form of its values. */
export function typeOf({ base, unsigned, length, decimals }: ColumnDescription): Type {
  const form = forms.get(base) ?? 'text'
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

const UNSIGNED = 32
const ENUM = 256
const SET = 2048

/** The character set of binary data. */
const BINARY = 63

/** Types by their number in the protocol. */
const numbered: ReadonlyMap<number, string> = new Map([
  ...words(
    'decimal tinyint smallint int float double null timestamp bigint mediumint date time datetime',
    'year date',
  ).entries(),
  [16, 'bit'],
  [242, 'vector'],
  [245, 'json'],
  [246, 'decimal'],
  [247, 'enum'],
  [248, 'set'],
  [255, 'geometry'],
])

/** Derives a column's type from its description in the protocol. */
export function typeOfField(field: Field): Type {
  const { columnType, characterSet, columnLength, flags, decimals } = field
  if (field.extendedFormat === 'json') return { name: 'json', form: 'json' }
  const base = numbered.get(columnType) ?? ofText(columnType, flags, characterSet === BINARY)
  const type = typeOf({
    base,
    unsigned: (flags & UNSIGNED) !== 0,
    length: columnLength,
    decimals,
  })
  return field.extendedTypeName ? { ...type, name: field.extendedTypeName } : type
}

/** Distinguishes text types from binary types, which have the same numbers. */
function ofText(columnType: number, flags: number, binary: boolean): string {
  if (flags & ENUM) return 'enum'
  if (flags & SET) return 'set'
  if (columnType === 254) return binary ? 'binary' : 'char'
  if (columnType === 253 || columnType === 15) return binary ? 'varbinary' : 'varchar'
  return binary ? 'blob' : 'text'
}

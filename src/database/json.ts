import type { Cell } from './database.ts'

/** What JSON can say as a number: neither NaN, nor infinite, nor minus zero. */
export const isNumber = (value: number) => Number.isFinite(value) && !Object.is(value, -0)

type Reviver = (key: string, value: Cell, context: { readonly source?: string }) => Cell

// The types of ES2024 do not know yet that a reviver sees the source of a number.
const parseJson = JSON.parse as (text: string, reviver: Reviver) => Cell

/** Parsed, if that loses nothing but the digits of numbers, which then stay as text. */
export function readJson(text: string): Cell {
  let members = 0
  const value = parseJson(text, (_key, value, { source }) => {
    if (typeof value === 'number') return survives(source!, value) ? value : source!
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      members += Object.keys(value).length
    }
    return value
  })
  // JSON.parse keeps only the last of the members that share a name; `json` holds them all.
  const colons = text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
  return members === colons ? value : text
}

/** Whether a number reads the same in decimal before and after it was a double. */
const survives = (source: string, value: number) =>
  isNumber(value) && decimal(source) === decimal(String(value))

/** Sign, digits and exponent, the same for `1.50`, `15e-1` and `1.5`. */
function decimal(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === '' ? '0' : `${sign}${significant}e${power}`
}

import type { Cell } from '../rows.ts'
import { trimEnd } from './trim-end.ts'

/** True if JSON can represent a number exactly. It must not be NaN, infinite or minus zero. */
export const isNumber = (value: number) => Number.isFinite(value) && !Object.is(value, -0)

type Reviver = (key: string, value: Cell, context: { readonly source?: string }) => Cell

// The ES2024 types lack the reviver's access to a number's source text.
const parseJson = JSON.parse as (text: string, reviver: Reviver) => Cell

/**
 * Reads a database's JSON document as a cell. It is parsed if that loses nothing. A number that does not fit in a
 * double stays a string. Otherwise, the cell is the document's own text: for `null`, which would become NULL, for
 * members that share a name or would change their order, and for a string that looks like JSON. So a cell with
 * valid JSON is the whole document, and any other string is a JSON string's value.
 */
export function readJson(text: string): Cell {
  const { names, depth } = outline(text)
  if (depth > MAX_DEPTH) return text
  const value = parseJson(text, (_key, value, { source }) =>
    typeof value !== 'number' || survives(source!, value) ? value : source!,
  )
  if (value === null) return 'null'
  if (typeof value === 'string' && text.trimStart().startsWith('"')) {
    return isJson(value) ? text : value
  }
  let at = 0
  const inOrder = (it: Cell): boolean => {
    if (it === null || typeof it !== 'object') return true
    if (Array.isArray(it)) return it.every(inOrder)
    return Object.entries(it).every(([name, member]) => name === names[at++] && inOrder(member))
  }
  return inOrder(value) && at === names.length ? value : text
}

/** Maximum nesting depth to parse. Deeper JSON could not be written out again, and stays text. */
const MAX_DEPTH = 200

/** Lists the names of all members in a document, in order, and its depth. The text does not have to be valid JSON. */
function outline(text: string): { readonly names: readonly string[]; readonly depth: number } {
  const names: string[] = []
  let open = 0
  let depth = 0
  let name: readonly [start: number, end: number] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const start = at
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
      name = [start, at + 1]
    } else if (character === ':') names.push(JSON.parse(text.slice(...name)))
    else if (character === '{' || character === '[') depth = Math.max(depth, ++open)
    else if (character === '}' || character === ']') open--
  }
  return { names, depth }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** True if a number keeps its decimal digits when converted to a double. */
const survives = (source: string, value: number) =>
  isNumber(value) && source.length <= MAX_DIGITS && decimal(source) === decimal(String(value))

/** Maximum number of digits in a number that can be exact as a double. 1e308 has 309. */
const MAX_DIGITS = 400

/** Normalizes a number to sign, digits and exponent: the same for `1.50`, `15e-1` and `1.5`. */
function decimal(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = trimEnd(digits, '0')
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === '' ? '0' : `${sign}${significant}e${power}`
}

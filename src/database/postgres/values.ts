import type { Cell } from '../database.ts'

/**
 * Reads one value from PostgreSQL's own text for it: as a JSON number, boolean, array or object
 * where that loses nothing, else as the text itself. The type is a name out of pg_type, with `[]`
 * behind it for an array.
 */
export function readValue(text: string, type: string): Cell {
  if (type.endsWith('[]')) return readArray(text, type.slice(0, -2)) ?? text
  switch (type) {
    case 'bool':
      return text === 't'
    case 'int2':
    case 'int4':
    case 'int8':
    case 'oid':
      return Number.isSafeInteger(Number(text)) ? Number(text) : text
    case 'float4':
    case 'float8':
      return isNumber(Number(text)) ? Number(text) : text
    case 'json':
    case 'jsonb':
      return readJson(text)
    default:
      return text
  }
}

/** What JSON can say as a number: neither NaN, nor infinite, nor minus zero. */
const isNumber = (value: number) => Number.isFinite(value) && !Object.is(value, -0)

/** An array literal such as `{1,NULL,"a b",{2}}`, its elements read. Nothing if it is not one. */
function readArray(text: string, type: string): Cell[] | undefined {
  const separator = type === 'box' ? ';' : ','
  // Lower bounds other than 1 come first: `[0:1]={…}`.
  let at = text.startsWith('[') ? text.indexOf('=') + 1 : 0

  const quoted = () => {
    let value = ''
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      value += text[at]
    }
    at++
    return value
  }
  const bare = () => {
    const start = at
    while (at < text.length && text[at] !== separator && text[at] !== '}') at++
    return text.slice(start, at)
  }
  const elements = (): Cell[] => {
    const list: Cell[] = []
    for (at++; at < text.length && text[at] !== '}'; ) {
      if (text[at] === separator) at++
      else if (text[at] === '{') list.push(elements())
      else if (text[at] === '"') list.push(readValue(quoted(), type))
      else {
        const value = bare()
        list.push(value === 'NULL' ? null : readValue(value, type))
      }
    }
    at++
    return list
  }

  if (text[at] !== '{') return undefined
  const list = elements()
  return at === text.length ? list : undefined
}

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

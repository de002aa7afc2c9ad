import type { Cell } from '../rows.ts'
import { isNumber, readJson } from '../transport/exact-json.ts'

/**
 * Converts one value from PostgreSQL's text format to a JSON number, boolean, array or object
 * if that loses nothing, otherwise to a string. The type is a name from pg_type, followed by `[]`
 * for an array.
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
    case 'numeric':
      // A sum of bigints is a numeric without a fraction. `1.0` stays a string, because 1 would lose its precision.
      return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text
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

/**
 * Parses an array literal such as `{1,NULL,"a b",{2}}`. Returns undefined for all other strings, such as
 * `[0:1]={…}`: a JSON array would lose the bounds.
 */
function readArray(text: string, type: string): Cell[] | undefined {
  const separator = type === 'box' ? ';' : ','
  let at = 0

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

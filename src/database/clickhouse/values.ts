import type { Cell } from '../rows.ts'
import { type Shape, shapeOf } from './types.ts'

/**
 * How to read the values of a type from ClickHouse's own text for them, one character a byte: as
 * JSON numbers, booleans, arrays or objects where that loses nothing, else as the text itself.
 */
export function readerOf(type: string): (text: string) => Cell {
  const shape = shapeOf(type)
  if (shape.kind === 'scalar') {
    const read = scalarReader(shape.type)
    return (text) => (text === '\\N' ? null : read(unescaped(text)))
  }
  return (text) => (text === '\\N' ? null : (readComposite(text, shape) ?? fromUtf8(text)))
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
  ...{ '0': '\0', a: '\x07', v: '\v', e: '\x1b' },
}

/** A text without its backslash escapes. */
export const unescaped = (text: string) =>
  text.includes('\\') ? text.replace(/\\(.)/gs, (_, sign) => ESCAPES[sign] ?? sign) : text

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as UTF-8 text; for bytes that are not UTF-8, the expression that makes them. */
export function fromUtf8(bytes: string): string {
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes
  try {
    return strict.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
  } catch {
    const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'))
    return `unhex('${hex.join('').toUpperCase()}')`
  }
}

/** The type of a column is looked at once, not for every cell. */
function scalarReader(type: string): (text: string) => Cell {
  if (/^U?Int\d+$/.test(type)) {
    return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text)
  }
  if (/^B?Float\d+$/.test(type)) {
    return (text) => {
      const value = Number(text)
      return Number.isFinite(value) && !Object.is(value, -0) ? value : text
    }
  }
  if (type !== 'Bool') return fromUtf8
  return (text) => (/^(?:true|false)$/.test(text) ? text === 'true' : fromUtf8(text))
}

const readScalar = (text: string, type: string) => scalarReader(type)(text)

/** An object. Returns nothing if it would lose a key that is there twice, or move one that is a number. */
function record(entries: readonly (readonly [string, Cell])[]): Cell | undefined {
  const object = Object.fromEntries(entries)
  const names = Object.keys(object)
  return entries.every(([key], n) => key === names[n]) ? object : undefined
}

/** Thrown within this file where a text is not what its type promises. */
const UNEXPECTED = Symbol('unexpected')

/** Reads a list, record or map such as `[1,NULL,'a']`, `(1,'b')`, `{'k':1}`. Returns nothing for all other texts. */
function readComposite(text: string, shape: Shape): Cell | undefined {
  let at = 0
  const expect = (sign: string) => {
    if (text[at++] !== sign) throw UNEXPECTED
  }
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found === undefined) throw UNEXPECTED
    at += found.length
    return found
  }
  const list = (open: string, close: string, element: (n: number) => void) => {
    expect(open)
    for (let n = 0; text[at] !== close; n++) {
      if (n > 0) expect(',')
      if (text[at] !== close) element(n)
    }
    at++
  }
  const value = (of: Shape): Cell => {
    if (of.kind === 'array') {
      const cells: Cell[] = []
      list('[', ']', () => cells.push(value(of.of)))
      return cells
    }
    if (of.kind === 'tuple') {
      const cells: Cell[] = []
      list('(', ')', (n) => cells.push(value(of.of[n] ?? { kind: 'scalar', type: '' })))
      const { names } = of
      if (names === undefined || names.length !== cells.length) return cells
      return record(names.map((name, n) => [name, cells[n]!])) ?? cells
    }
    if (of.kind === 'map') {
      const entries: [string, Cell][] = []
      list('{', '}', () => {
        const key = String(value(of.key))
        expect(':')
        entries.push([key, value(of.value)])
      })
      return record(entries) ?? entries
    }
    if (text[at] === "'") {
      return readScalar(unescaped(match(/'(?:[^'\\]|\\.)*'/sy).slice(1, -1)), of.type)
    }
    const bare = match(/[^,:()[\]{}']+/y)
    return bare === 'NULL' ? null : readScalar(bare, of.type)
  }

  try {
    const cell = value(shape)
    return at === text.length ? cell : undefined
  } catch (thrown) {
    if (thrown === UNEXPECTED) return undefined
    throw thrown
  }
}

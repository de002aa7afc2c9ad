import type { Cell } from '../rows.ts'
import { type ClickHouseShape, shapeOf } from './types.ts'

/**
 * Returns a reader for a type's values. It parses ClickHouse's text format, with one character per byte, and
 * returns JSON numbers, booleans, arrays or objects if that loses nothing, otherwise the text itself.
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

/** Decodes the backslash escapes in a string. */
export const unescaped = (text: string) =>
  text.includes('\\') ? text.replace(/\\(.)/gs, (_, sign) => ESCAPES[sign] ?? sign) : text

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes bytes as UTF-8. For bytes that are not UTF-8, returns the SQL expression that makes them. */
export function fromUtf8(bytes: string): string {
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes
  try {
    return strict.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
  } catch {
    const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'))
    return `unhex('${hex.join('').toUpperCase()}')`
  }
}

/** Returns a reader, so that a column's type is examined only once and not for every cell. */
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

/** Makes an object. Returns undefined if it would drop a repeated key, or move a key that is a number. */
function record(entries: readonly (readonly [string, Cell])[]): Cell | undefined {
  const object = Object.fromEntries(entries)
  const names = Object.keys(object)
  return entries.every(([key], n) => key === names[n]) ? object : undefined
}

/** Thrown within this file if a string does not match its type. */
const UNEXPECTED = Symbol('unexpected')

/** Reads a list, record or map: `[1,NULL,'a']`, `(1,'b')`, `{'k':1}`. Undefined for any other string. */
function readComposite(text: string, shape: ClickHouseShape): Cell | undefined {
  const source = new ValueText(text)
  try {
    const cell = readCell(source, shape)
    return source.isAtEnd ? cell : undefined
  } catch (thrown) {
    if (thrown === UNEXPECTED) return undefined
    throw thrown
  }
}

function readCell(source: ValueText, shape: ClickHouseShape): Cell {
  if (shape.kind === 'array') {
    const cells: Cell[] = []
    source.list('[', ']', () => cells.push(readCell(source, shape.of)))
    return cells
  }
  if (shape.kind === 'tuple') {
    const cells: Cell[] = []
    source.list('(', ')', (n) =>
      cells.push(readCell(source, shape.of[n] ?? { kind: 'scalar', type: '' })),
    )
    const { names } = shape
    if (names === undefined || names.length !== cells.length) return cells
    return record(names.map((name, n) => [name, cells[n]!])) ?? cells
  }
  if (shape.kind === 'map') {
    const entries: [string, Cell][] = []
    source.list('{', '}', () => {
      const key = String(readCell(source, shape.key))
      source.expect(':')
      entries.push([key, readCell(source, shape.value)])
    })
    return record(entries) ?? entries
  }
  const read = scalarReader(shape.type)
  if (source.next === "'") {
    return read(unescaped(source.match(/'(?:[^'\\]|\\.)*'/sy).slice(1, -1)))
  }
  const bare = source.match(/[^,:()[\]{}']+/y)
  return bare === 'NULL' ? null : read(bare)
}

/** A string that is read from its start. Unexpected characters throw {@link UNEXPECTED}. */
class ValueText {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  get next(): string | undefined {
    return this.#text[this.#at]
  }

  expect(sign: string): void {
    if (this.#text[this.#at++] !== sign) throw UNEXPECTED
  }

  /** Matches a pattern with the flag `y` at this position. */
  match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found === undefined) throw UNEXPECTED
    this.#at += found.length
    return found
  }

  /** Reads the elements between two brackets, separated by commas. */
  list(open: string, close: string, readElement: (n: number) => void): void {
    this.expect(open)
    for (let n = 0; this.next !== close; n++) {
      if (n > 0) this.expect(',')
      if (this.next !== close) readElement(n)
    }
    this.#at++
  }
}

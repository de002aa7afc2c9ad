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
  const source = new Source(text)
  try {
    const cell = readCell(source, shape)
    return source.isAtEnd ? cell : undefined
  } catch (thrown) {
    if (thrown === UNEXPECTED) return undefined
    throw thrown
  }
}

function readCell(source: Source, shape: Shape): Cell {
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
  if (source.next === "'") {
    return readScalar(unescaped(source.match(/'(?:[^'\\]|\\.)*'/sy).slice(1, -1)), shape.type)
  }
  const bare = source.match(/[^,:()[\]{}']+/y)
  return bare === 'NULL' ? null : readScalar(bare, shape.type)
}

/** A text that is read from its beginning on. What is not expected there is thrown as {@link UNEXPECTED}. */
class Source {
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

  /** What a pattern with the flag `y` finds here. */
  match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found === undefined) throw UNEXPECTED
    this.#at += found.length
    return found
  }

  /** Reads what is between two signs, with commas between the elements. */
  list(open: string, close: string, readElement: (n: number) => void): void {
    this.expect(open)
    for (let n = 0; this.next !== close; n++) {
      if (n > 0) this.expect(',')
      if (this.next !== close) readElement(n)
    }
    this.#at++
  }
}

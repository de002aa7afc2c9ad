// Edits a host's configuration. Everything else in it stays the same, including comments and order.
import { isDeepStrictEqual } from 'node:util'
import type { ParseError } from 'jsonc-parser'
import { isObject } from '../../ground/index.ts'

/** The format of a configuration. */
export type ConfigFormat = keyof typeof formats

/** A change. Without a value, it removes the path. */
export interface Edit {
  readonly path: readonly string[]
  readonly value?: unknown
}

/** A parsed configuration. */
export interface Config {
  readonly value: ConfigTable
  /** The text after these changes. Throws if it would change anything else. */
  with(edits: readonly Edit[]): string
}

type ConfigTable = Record<string, unknown>

interface FileFormat {
  read(text: string): unknown
  write(text: string, edit: Edit): string
}

/** Parses a configuration. Throws if it does not have this format. */
export async function configIn(format: ConfigFormat, whole: string): Promise<Config> {
  const mark = whole.startsWith('\ufeff') ? '\ufeff' : ''
  const text = whole.slice(mark.length)
  const { read, write } = await formats[format](text)
  const value = read(text)
  if (!isObject(value)) throw new Error('no table')
  return {
    value,
    with(edits) {
      const after = edits.reduce(write, text)
      const wanted = edits.reduce(edited, structuredClone(value))
      if (!isDeepStrictEqual(plain(read(after)), plain(wanted))) throw new Error('not as wanted')
      return mark + after
    },
  }
}

const formats = {
  async json(first: string): Promise<FileFormat> {
    const { default: jsonc } = await import('jsonc-parser')
    const eol = first.includes('\r\n') ? '\r\n' : '\n'
    const [, indent = '  '] = /\n([ \t]+)\S/.exec(first) ?? []
    const isTab = indent.startsWith('\t')
    const formattingOptions = {
      eol,
      insertSpaces: !isTab,
      tabSize: isTab ? 1 : indent.length,
    }
    const read = (text: string): unknown => {
      if (text.trim() === '') return {}
      const faults: ParseError[] = []
      const value: unknown = jsonc.parse(text, faults, { allowTrailingComma: true })
      if (faults.length > 0) throw new Error('not JSON')
      return value
    }
    const write = (text: string, { path, value }: Edit): string => {
      const so = text.trim() === '' ? '{}' : text
      const after = jsonc.applyEdits(so, jsonc.modify(so, [...path], value, { formattingOptions }))
      return first.trim() === '' ? `${after.trimEnd()}${eol}` : after
    }
    return { read, write }
  },

  async toml(first: string): Promise<FileFormat> {
    const { parse, patch, stringify } = await import('@decimalturn/toml-patch')
    const eol = first.includes('\r\n') ? '\r\n' : '\n'
    const write = (text: string, { path, value }: Edit): string => {
      const before: ConfigTable = parse(text)
      const isNew = at(before, path) === undefined
      const hasSections = at(before, path.slice(0, -1)) === undefined || /^\s*\[mcp_/m.test(text)
      if (value === undefined || !isNew || !hasSections) {
        return patch(text, edited(before, { path, value }))
      }
      // At the end, with its own header, as Codex itself writes it.
      const header = `[${path.map(tomlKey).join('.')}]`
      const gap = text === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`
      const lines = stringify(value, { inlineTableStart: 0 }).trimEnd().split(/\r?\n/)
      return `${text}${gap}${[header, ...lines].join(eol)}${eol}`
    }
    return { read: parse, write }
  },
}

const tomlKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))

/** The value at a path, or undefined. */
export function at(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** Changes a value at a path, and returns the whole table. */
function edited(value: ConfigTable, { path, value: becomes }: Edit): ConfigTable {
  const [name = '', ...rest] = path
  if (rest.length > 0) {
    const within = Object.hasOwn(value, name) ? value[name] : {}
    if (!isObject(within)) throw new Error('no table')
    value[name] = edited(within, { path: rest, value: becomes })
  } else if (becomes === undefined) delete value[name]
  else value[name] = becomes
  return value
}

/** Converts a value for comparison: to JSON types, with dates as strings. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, it: unknown) => (typeof it === 'bigint' ? String(it) : it)))

// Edits the configuration of a host: everything else in it stays as it is, comments and order too.
import { isDeepStrictEqual } from 'node:util'

/**
 * Reads the text of a configuration.
 * @returns its value, and `with(edits)`, the text after `{ path, value }` each; without a value, the path is removed
 * @throws if it is not of this format
 */
export async function configIn(format, whole) {
  const [mark] = /^\ufeff?/.exec(whole)
  const text = whole.slice(mark.length)
  const { read, write } = await formats[format](text)
  const value = read(text)
  if (!isTable(value)) throw new Error('no table')
  return {
    value,
    with(edits) {
      const after = edits.reduce((so, edit) => write(so, edit, text), text)
      const wanted = edits.reduce(edited, structuredClone(value))
      if (!isDeepStrictEqual(plain(read(after)), plain(wanted))) throw new Error('not as wanted')
      return mark + after
    },
  }
}

const formats = {
  async json(first) {
    const { default: jsonc } = await import('jsonc-parser')
    const eol = first.includes('\r\n') ? '\r\n' : '\n'
    const [, indent = '  '] = /\n([ \t]+)\S/.exec(first) ?? []
    const isTab = indent.startsWith('\t')
    const formattingOptions = {
      eol,
      insertSpaces: !isTab,
      tabSize: isTab ? 1 : indent.length,
    }
    const read = (text) => {
      if (text.trim() === '') return {}
      const faults = []
      const value = jsonc.parse(text, faults, { allowTrailingComma: true })
      if (faults.length > 0) throw new Error('not JSON')
      return value
    }
    const write = (text, { path, value }) => {
      const so = text.trim() === '' ? '{}' : text
      const after = jsonc.applyEdits(so, jsonc.modify(so, path, value, { formattingOptions }))
      return first.trim() === '' ? `${after.trimEnd()}${eol}` : after
    }
    return { read, write }
  },

  async toml(first) {
    const { parse, patch, stringify } = await import('@decimalturn/toml-patch')
    const eol = first.includes('\r\n') ? '\r\n' : '\n'
    const write = (text, { path, value }) => {
      const before = parse(text)
      const isNew = at(before, path) === undefined
      const hasSections = at(before, path.slice(0, -1)) === undefined || /^\s*\[mcp_/m.test(text)
      if (value === undefined || !isNew || !hasSections) {
        return patch(text, edited(before, { path, value }))
      }
      // At the end, with a header of its own, as Codex itself writes it.
      const header = `[${path.map(tomlKey).join('.')}]`
      const gap = text === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`
      const lines = stringify(value, { inlineTableStart: 0 }).trimEnd().split(/\r?\n/)
      return `${text}${gap}${[header, ...lines].join(eol)}${eol}`
    }
    return { read: parse, write }
  },
}

const tomlKey = (name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))

/** The value at a path, or undefined. */
export function at(value, path) {
  let found = value
  for (const name of path) {
    if (!isTable(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** Changes a value at a path, and returns the whole. */
function edited(value, { path, value: becomes }) {
  const [name, ...rest] = path
  if (rest.length > 0) {
    if (Object.hasOwn(value, name) && !isTable(value[name])) throw new Error('no table')
    if (!Object.hasOwn(value, name)) value[name] = {}
    edited(value[name], { path: rest, value: becomes })
  } else if (becomes === undefined) delete value[name]
  else value[name] = becomes
  return value
}

export const isTable = (it) => typeof it === 'object' && it !== null && !Array.isArray(it)

/** What two values are compared by: what JSON has, and dates as texts. */
const plain = (value) =>
  JSON.parse(JSON.stringify(value, (_, it) => (typeof it === 'bigint' ? String(it) : it)))

import type { Glossary } from './shown.ts'

/** A text that a person may have changed: which it is, what they saw, and what they wrote. */
interface Field {
  /** A column, or '' for the table itself. */
  readonly column: string
  readonly seen: string
  readonly text: string
}

/** What a form changes of one entry of a glossary. */
export interface Changes {
  /** The patch of the entry: null takes a description away. Undefined if nothing changes. */
  readonly patch: object | undefined
  /** What somebody else changed meanwhile, by column: it stays as they wrote it. */
  readonly conflicts: readonly string[]
}

/** The longest description that the API takes. */
export const MAX_TEXT_CHARS = 500

/** Tells one text from another, so that a form says which one it showed. */
export function markOf(text = ''): string {
  // FNV-1a, of 32 bits.
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0
  }
  return hash.toString(36)
}

/** The fields of the form of a table. Each hidden `seen` is a mark and a column, and `text` follows in the same order. */
export function fieldsOf(form: URLSearchParams): readonly Field[] {
  const texts = form.getAll('text')
  return form.getAll('seen').map((it, i) => {
    const end = it.indexOf(' ')
    return {
      seen: end < 0 ? it : it.slice(0, end),
      column: end < 0 ? '' : it.slice(end + 1),
      text: tidy(texts[i]),
    }
  })
}

/** A text as it is stored: with the line ends of JSON, and no blanks around it. */
export const tidy = (text = ''): string => text.replaceAll('\r\n', '\n').trim()

/**
 * What these fields change of an entry. Only what this person changed is in the patch, and nothing that somebody
 * else has changed since they saw it.
 */
export function changesOf(fields: readonly Field[], now: Glossary[string] = {}): Changes {
  const said = new Map(Object.entries(now.columns ?? {}))
  const changed = fields.filter(({ text, seen }) => markOf(text) !== seen)
  const current = ({ column }: Field) => (column === '' ? now.description : said.get(column)) ?? ''
  const mine = changed.filter((it) => markOf(current(it)) === it.seen)
  const conflicts = changed.filter((it) => !mine.includes(it) && current(it) !== it.text)
  const table = mine.find(({ column }) => column === '')
  const columns = mine.filter(({ column }) => column !== '')
  return {
    patch:
      mine.length === 0
        ? undefined
        : {
            ...(table && { description: table.text || null }),
            ...(columns.length > 0 && {
              columns: Object.fromEntries(
                columns.map(({ column, text }) => [column, text || null]),
              ),
            }),
          },
    conflicts: conflicts.map(({ column }) => column),
  }
}

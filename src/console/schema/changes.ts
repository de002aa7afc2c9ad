import type { ApiGlossary } from './shown.ts'

/** Text in a form: the version that the person saw, and the one they submitted. */
interface GlossaryField {
  /** A column, or '' for the table itself. */
  readonly column: string
  readonly seen: string
  readonly text: string
}

/** Changes that a form makes to one entry in the glossary. */
export interface GlossaryChanges {
  /** Patch of the entry: null removes a description. Undefined if nothing changes. */
  readonly patch: object | undefined
  /** Columns that someone else changed in the meantime. Their version stays. */
  readonly conflicts: readonly string[]
}

/** Maximum length of a description in the API. */
export const MAX_TEXT_CHARS = 500

/** Hash of a string, so that a form can say which version it showed. */
export function markOf(text = ''): string {
  // FNV-1a, 32 bits.
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0
  }
  return hash.toString(36)
}

/** Fields in a table's form. Each hidden `seen` is a mark and a column, for the `text` at the same position. */
export function fieldsOf(form: URLSearchParams): readonly GlossaryField[] {
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

/** Normalizes text for storage: `\n` as the line ending, no surrounding whitespace. */
export const tidy = (text = ''): string => text.replaceAll('\r\n', '\n').trim()

/**
 * Computes the changes to an entry. The patch has only the fields that this person changed and that nobody else has
 * changed since.
 */
export function changesOf(
  fields: readonly GlossaryField[],
  now: ApiGlossary[string] = {},
): GlossaryChanges {
  const stored = new Map(Object.entries(now.columns ?? {}))
  const changed = fields.filter(({ text, seen }) => markOf(text) !== seen)
  const current = ({ column }: GlossaryField) =>
    (column === '' ? now.description : stored.get(column)) ?? ''
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

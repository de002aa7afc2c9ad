import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Statements that must not run, with a place for a name at each `@`: a keyword there may look to the guard as
 * the beginning or the end of a clause, and is only a name to the engine, or the other way round. A `^` stands
 * for an `@` that is part of the statement.
 */
export interface Slots {
  readonly statements: readonly string[]
  /** The name in all other places. */
  readonly name: string
  /** The quotes of a name. */
  readonly quote: string
}

const slots = (file: string, name: string, quote: string): Slots => ({
  statements: readFileSync(join(import.meta.dirname, file), 'utf8')
    .trim()
    .split('\n'),
  name,
  quote,
})

export const POSTGRES = slots('slots.txt', 'x', '"')

/** MariaDB resolves names, so the name is that of a column. */
export const MARIADB = slots('slots-mariadb.txt', 'id', '`')

const FORMS = ['#', 'x.#', '#.x', 'as #', 'x as #', '"#"']

/** Each statement with each of these words in each place, and with each two of the others in each two places. */
export function* filled(
  words: Iterable<string>,
  pairs: readonly string[],
  { statements, name, quote }: Slots = POSTGRES,
): Generator<string> {
  const forms = FORMS.map((form) => form.replaceAll('x', name).replaceAll('"', quote))
  const alone = [...words].flatMap((word) => forms.map((form) => form.replace('#', word)))
  for (const statement of statements) {
    const parts = statement.split('@').map((it) => it.replaceAll('^', '@'))
    const fill = (names: Readonly<Record<number, string>>) =>
      parts.reduce((text, part, i) => text + (names[i] ?? name) + part)
    for (let i = 1; i < parts.length; i++) {
      for (const name of alone) yield fill({ [i]: name })
      for (let k = i + 1; k < parts.length; k++) {
        for (const one of pairs) for (const other of pairs) yield fill({ [i]: one, [k]: other })
      }
    }
    if (parts.length === 1) yield parts[0]!
  }
}

/** The words by which the guard finds its way in a statement. */
export const GUIDES: readonly string[] = [
  ...['as', 'from', 'join', 'table', 'select', 'values', 'with', 'recursive', 'lateral', 'only'],
  ...['distinct', 'into', 'for', 'update', 'delete', 'on', 'where', 'group', 'order', 'and', 'not'],
  ...['operator', 'materialized', 'left', 'cross', 'cast', 'using', 'set', 'union', 'limit'],
]

/** The words that the guard looks for in a statement of MariaDB, as far as they are not {@link GUIDES}. */
export const MARIADB_GUIDES: readonly string[] = [
  ...['next', 'value', 'lock', 'in', 'share', 'show', 'describe', 'desc', 'explain', 'extended'],
  ...['procedure', 'default', 'replace', 'insert', 'interval', 'analyze', 'having', 'offset'],
]

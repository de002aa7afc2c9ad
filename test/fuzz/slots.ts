import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Statements that must not run, with a slot for a name at each `@`. The guard may take a keyword there for the
 * start or the end of a clause where the engine reads only a name, or the other way around. A `^` represents an
 * `@` that is part of the statement.
 */
export interface Slots {
  readonly statements: readonly string[]
  /** The name in all other slots. */
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

/** MariaDB resolves names, so this is the name of a column. */
export const MARIADB = slots('slots-mariadb.txt', 'id', '`')

const FORMS = ['#', 'x.#', '#.x', 'as #', 'x as #', '"#"']

/** Each statement with each of the words in each slot, and with each pair of `pairs` in each pair of slots. */
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

/** The keywords that the guard uses to find the clauses of a statement. */
export const GUIDES: readonly string[] = [
  ...['as', 'from', 'join', 'table', 'select', 'values', 'with', 'recursive', 'lateral', 'only'],
  ...['distinct', 'into', 'for', 'update', 'delete', 'on', 'where', 'group', 'order', 'and', 'not'],
  ...['operator', 'materialized', 'left', 'cross', 'cast', 'using', 'set', 'union', 'limit'],
]

/** More keywords that the guard uses in a MariaDB statement, in addition to {@link GUIDES}. */
export const MARIADB_GUIDES: readonly string[] = [
  ...['next', 'value', 'lock', 'in', 'share', 'show', 'describe', 'desc', 'explain', 'extended'],
  ...['procedure', 'default', 'replace', 'insert', 'interval', 'analyze', 'having', 'offset'],
]

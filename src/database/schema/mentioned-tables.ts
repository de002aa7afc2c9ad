import type { Dialect } from '../dialect.ts'
import { read } from '../guard/reading.ts'
import type { Statement } from '../rows.ts'

/** How many names of a statement the catalog is asked about. */
const MAX_TABLES = 5

/**
 * The first names after FROM, JOIN and commas in a statement: tables, or names that only look so. They
 * serve hints, and never decide what is allowed.
 */
export function mentionedTables(statement: Statement, { rules }: Dialect): readonly string[] {
  const { tokens } = read(statement, rules)
  const names = tokens.flatMap(({ kind, value }, i) => {
    const before = tokens[i - 1]
    const introduced = before?.kind === 'word' && /^(?:from|join)$/.test(before.value)
    if ((kind !== 'word' && kind !== 'name') || !(introduced || before?.value === ',')) return []
    const qualified = tokens[i + 1]?.value === '.' && tokens[i + 2]
    return [qualified ? `${value}.${qualified.value}` : value]
  })
  return [...new Set(names)].slice(0, MAX_TABLES)
}

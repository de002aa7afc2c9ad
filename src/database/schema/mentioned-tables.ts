import type { Dialect } from '../dialect.ts'
import { read } from '../guard/reading.ts'
import type { Statement } from '../rows.ts'

/** Maximum number of names from a statement that are looked up in the catalog. */
const MAX_TABLES = 5

/** Names after FROM, JOIN and commas: probably tables. They are for hints, and never decide what is allowed. */
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

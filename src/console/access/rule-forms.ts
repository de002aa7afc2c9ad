import { columnsOf } from './catalog.ts'
import type { DatabaseRules } from './group.ts'
import { ownRule, type Place } from './rule-place.tsx'

/** What a form of tables asks for, as a merge patch of the rules of a database. */
export function tablesIn(fields: URLSearchParams, rules: DatabaseRules = {}): object {
  const act = fields.get('act')
  if (act === 'all-tables') return { tables: null, schemas: null }
  if (act === 'some-tables') return { tables: {} }
  if (act === 'schemas') {
    const schemas = (fields.get('schemas') ?? '')
      .split('\n')
      .map((it) => it.trim())
      .filter(Boolean)
    return { schemas: schemas.length > 0 ? schemas : null, tables: rules.tables ?? {} }
  }
  const ticked = new Set(fields.getAll('table'))
  const changes = fields.getAll('shown').flatMap((table): [string, unknown][] => {
    const isSeen = act === 'tick' || (act !== 'untick' && ticked.has(table))
    const old = ownRule(rules, table)
    // A table that is ticked already keeps its columns.
    if (isSeen) return old ? [] : [[table, true]]
    return old ? [[table, null]] : []
  })
  return { tables: Object.fromEntries(changes) }
}

/** The columns that a form of one table leaves it: `true` for all, `null` for a table that is not seen. */
export async function columnsIn(
  { visit, endpoint, database, rules = {} }: Place,
  table: string,
): Promise<true | null | readonly string[]> {
  const { fields } = visit
  if (fields.get('act') === 'all-columns') return true
  const shown = new Set(fields.getAll('shown'))
  const ticked = fields.getAll('column')
  const old = ownRule(rules, table)
  // Of a table that was seen whole, the columns of other pages go on being seen.
  if (old === true) {
    const { columns } = await columnsOf(visit, endpoint, database, table)
    const kept = columns.map(({ name }) => name).filter((it) => !shown.has(it))
    if (ticked.length === shown.size) return true
    return orNull([...kept, ...ticked])
  }
  return orNull([...(old ?? []).filter((it) => !shown.has(it)), ...ticked])
}

const orNull = (columns: readonly string[]) => (columns.length > 0 ? columns : null)

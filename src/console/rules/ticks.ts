import { linesIn } from '../parts/texts.ts'
import type { ApiRefusal } from '../visit.ts'
import { columnsOf } from './catalog.ts'
import { hrefOf, type RuleScope, type RuleView, ruleFor, rulesOf, saveRules } from './scope.ts'

/** Saves the selection in the editor's submitted form. */
export async function saveTicks(scope: RuleScope, view: RuleView): Promise<ApiRefusal | undefined> {
  const change = await changeIn(scope, view)
  if (change && 'message' in change) return change
  return change && saveRules(scope, change)
}

/** Merge patch for the database's rules; undefined if nothing changed. */
async function changeIn(
  scope: RuleScope,
  { table }: RuleView,
): Promise<object | ApiRefusal | undefined> {
  const { fields } = scope.visit
  const found = rulesOf(scope)
  const rules = found === 'missing' ? {} : found
  const todo = fields.get('do')
  if (todo === 'all') return { tables: null, schemas: null }
  if (todo === 'none') return { tables: {} }
  if (todo === 'schemas') {
    const schemas = linesIn(fields, 'schemas')
    return { schemas: schemas.length > 0 ? schemas : null, tables: rules.tables ?? {} }
  }
  const shown = fields.getAll('shown')
  const ticked = new Set(todo === 'page' ? shown : todo === 'clear' ? [] : fields.getAll('tick'))
  if (table === undefined) {
    // A table that was already selected keeps its columns.
    const changed = shown.filter((it) => ticked.has(it) !== (ruleFor(rules, it) !== undefined))
    if (changed.length === 0) return undefined
    return { tables: Object.fromEntries(changed.map((it) => [it, ticked.has(it) || null])) }
  }
  if (todo === 'whole') return { tables: { [table]: true } }
  const was = ruleFor(rules, table)
  // If the whole table was visible, columns on other pages stay visible.
  const all = was === true ? await columnsOf(scope, table) : []
  if ('message' in all) return all
  const before = was === true ? all.map(({ name }) => name) : (was ?? [])
  const columns = [
    ...before.filter((it) => !shown.includes(it)),
    ...shown.filter((it) => ticked.has(it)),
  ]
  const isSame = was === true ? columns.length === all.length : !was && columns.length === 0
  return isSame ? undefined : { tables: { [table]: columns.length > 0 ? columns : null } }
}

/** Page to go to after the selection is saved. */
export function onward(scope: RuleScope, view: RuleView): string {
  const { fields } = scope.visit
  if (fields.get('to') === 'tables') return hrefOf(scope, { offset: 0 })
  const columns = fields.get('columns')
  if (columns !== null) return hrefOf(scope, { table: columns, offset: 0 })
  const search = fields.get('search')?.slice(0, 200) ?? view.search
  const isSame = (search || undefined) === view.search
  const offset = Number(fields.get('offset') ?? (isSame ? view.offset : 0)) || 0
  const done = fields.has('do') ? 'saved' : undefined
  return hrefOf(scope, { table: view.table, search: search || undefined, offset, done })
}

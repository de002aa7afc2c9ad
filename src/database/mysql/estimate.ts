import type { Estimate, EstimatedPlan } from '../dialect.ts'
import { finite } from '../finite.ts'
import type { Answer } from '../rows.ts'

/** Part of a plan, as the engine writes it. */
type PlanPart = { readonly [key: string]: unknown }

/**
 * Estimates a statement's cost with MySQL (5.6 and later) or MariaDB (10.1 and later). MariaDB reports a cost since
 * version 11. Both estimate a statement as if it had no LIMIT, unless the LIMIT decides which index is used.
 *
 * https://dev.mysql.com/doc/refman/8.4/en/explain.html
 * https://mariadb.com/kb/en/explain-format-json/
 */
export const estimate: EstimatedPlan = {
  of: (sql) => `explain format=json ${sql}`,
  read(answer) {
    const found = planOf(answer)
    if (!found) return {}
    const block = found.query_block
    if (isPart(block)) return ofBlock(block)
    // Version 2 of MySQL's format, since 8.3.
    const root = isPart(found.query_plan) ? found.query_plan : found
    return { plan: costOf(root), rows: rowsOf(root, 1) }
  },
  advice: 'Filter on an indexed column, or join fewer tables.',
}

function planOf({ rows }: Answer): PlanPart | undefined {
  const cell: unknown = rows[0]?.[0]
  try {
    const found: unknown = typeof cell === 'string' ? JSON.parse(cell) : cell
    return isPart(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** A query block: its tables in join order, and the blocks within it. */
interface QueryBlock {
  readonly tables: PlanPart[]
  /** `perRow`: the inner block depends on the outer row, so it runs for each one. */
  readonly inner: { readonly block: PlanPart; readonly perRow: boolean }[]
}

/** Adds up the cost and the rows examined for a block and its inner blocks. */
function ofBlock(block: PlanPart): Estimate {
  const { tables, inner } = partsOf(block)
  let joined = 1
  let most = 1
  let rows = 0
  for (const table of tables) {
    const read = product(joined, finite(table.rows_examined_per_scan ?? table.rows) ?? 0)
    rows += read
    most = Math.max(most, read)
    joined = (read * (finite(table.filtered) ?? 100)) / 100
  }
  const info = isPart(block.cost_info) ? block.cost_info.query_cost : block.cost
  let plan = finite(info) ?? (tables.length === 0 ? 0 : undefined)
  for (const { block, perRow } of inner) {
    const times = perRow ? most : 1
    const found = ofBlock(block)
    rows += product(times, found.rows ?? 0)
    plan =
      plan === undefined || found.plan === undefined ? undefined : plan + product(times, found.plan)
  }
  return { plan, rows }
}

/** A product that is never infinite: zero times infinity is NaN, which exceeds no limit. */
const product = (times: number, each: number) => Math.min(times * each, Number.MAX_VALUE) || 0

/** Finds the parts of a block, no matter how deep they are in sorts, buffers, unions and materializations. */
function partsOf(block: PlanPart): QueryBlock {
  const found: QueryBlock = { tables: [], inner: [] }
  const visit = (part: unknown, within: boolean): void => {
    if (Array.isArray(part)) for (const it of part) visit(it, within)
    if (!isPart(part)) return
    // MySQL marks a block that depends on a row. MariaDB caches the results of such a block.
    const perRow = within || part.dependent === true
    for (const [key, it] of Object.entries(part)) {
      if (key === 'query_block' && isPart(it)) {
        found.inner.push({ block: it, perRow })
        continue
      }
      if (key === 'table' && isPart(it) && it.table_name !== undefined) found.tables.push(it)
      visit(it, perRow || key === 'expression_cache')
    }
  }
  visit(block, false)
  return found
}

/** Cost of a step and the steps inside it, in version 2 of the format. */
function costOf(step: PlanPart): number | undefined {
  const own = finite(step.estimated_total_cost)
  if (own !== undefined) return own
  const inner = inputsOf(step).map(costOf)
  return inner.reduce(
    (sum, it) => (sum === undefined || it === undefined ? undefined : sum + it),
    0,
  )
}

/** Number of rows that a step examines if it runs this many times, in version 2 of the format. */
function rowsOf(step: PlanPart, times: number): number {
  const inputs = inputsOf(step)
  const own = finite(step.estimated_rows) ?? 0
  if (inputs.length === 0) return step.table_name === undefined ? 0 : product(times, own)
  let rows = 0
  let each = times
  for (const it of inputs) {
    rows += rowsOf(it, each)
    if (step.join_algorithm === 'nested_loop') each = product(each, finite(it.estimated_rows) ?? 1)
  }
  return rows
}

/** The steps inside a step: its inputs and their subqueries. */
const inputsOf = (step: PlanPart): PlanPart[] =>
  Object.entries(step).flatMap(([key, it]) =>
    key.startsWith('inputs') && Array.isArray(it) ? it.filter(isPart) : [],
  )

const isPart = (it: unknown): it is PlanPart =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

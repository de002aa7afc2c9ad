import type { PlanNode } from './plan.ts'
import { recursive } from './statement-size.ts'
import { isAutomatic, type TableSizes } from './table-sizes.ts'

/** The number of rows that a part of a plan visits each time it runs, and the number it returns. */
interface Cost {
  readonly visits: number
  readonly rows: number
}

/**
 * The maximum number of rows that a statement visits according to its plan, and the length of the value list
 * that it looks up. Sorted rows count several times.
 *
 * @param perRow cost of one row visit, in visits
 */
export function visitsOf(
  plan: readonly PlanNode[],
  sizes: TableSizes,
  perRow: number,
): { readonly visits: number; readonly longestList: number } {
  // A part that does not depend on the query around it runs only once, wherever it is in the plan.
  let oneTimeVisits = 0
  let longestList = 1
  const { visits } = fold(plan)
  return { visits: visits + oneTimeVisits, longestList }

  /** Loops are nested; a compound and an OR have parts. */
  function fold(nodes: readonly PlanNode[]): Cost {
    // SQLite makes an automatic index once, even if its query runs many times.
    const isIndexed = nodes.every(({ kind, what }) => kind !== 'loop' || isAutomatic(what))
    let [visits, loops, compoundRows, kept] = [0, 1, 0, 0]
    for (const { kind, what, inside } of nodes) {
      const inner = fold(inside)
      switch (kind) {
        case 'loop':
          loops *= sizes.rowsFound(what)
          visits += loops * perRow
          break
        case 'recursiveStep':
          throw recursive()
        case 'query':
          sizes.setQuery(what, inner.rows)
          if (isIndexed && sizes.isMeasured(what)) oneTimeVisits += inner.visits
          else visits += inner.visits
          break
        case 'subquery':
          oneTimeVisits += inner.visits + treeVisits(inner.rows)
          longestList = Math.max(longestList, inner.rows)
          break
        case 'correlatedList':
        case 'correlated':
          // It starts again for each row, and then makes a list for each row.
          visits += loops * (inner.visits + 10)
          if (kind === 'correlatedList') visits += loops * treeVisits(inner.rows)
          longestList = Math.max(longestList, inner.rows)
          break
        case 'tableAsList':
          longestList = Math.max(longestList, sizes.mostRows)
          break
        case 'multiIndexOr':
        case 'compound':
          visits += loops * inner.visits
          loops *= inner.rows
          break
        default:
          visits += inner.visits
          if (kind === 'distinctPart' || kind === 'part') compoundRows += inner.rows
          if (kind === 'distinctPart') visits += treeVisits(inner.rows)
          if (kind === 'distinct' || kind === 'sort') kept++
      }
    }
    return { visits: visits + kept * treeVisits(loops), rows: loops + compoundRows }
  }
}

/** Above this number of rows, SQLite sorts in several passes. */
const FEW_ROWS = 160_000

/** The cost of sorting rows or removing duplicates. */
const treeVisits = (rows: number) => rows * (rows > FEW_ROWS ? 100 : 15)

/** True if a statement contains queries whose rows it can read more than once. */
export const reusesRows = (plan: readonly PlanNode[]): boolean =>
  plan.some(({ kind, inside }) => kind === 'query' || kind === 'subquery' || reusesRows(inside))

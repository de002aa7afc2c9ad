import type { PlanNode } from './plan.ts'
import type { TableSizes } from './table-sizes.ts'

/** What a plan does not tell about recursive queries, by their names. */
export interface Recursive {
  /** How many rows it has. */
  length(name: string): number
  /** What each row costs in visits that a step makes, besides the rows that it visits. */
  stepCost(name: string): number
}

/** What a part of a plan visits each time it runs, and what it returns. */
interface Cost {
  readonly visits: number
  readonly rows: number
}

/**
 * About how many rows a statement visits, going by its plan.
 *
 * It is meant to stop a join without a condition, not an attacker. A plan does not show everything: how
 * uneven the groups of a computed value are; how long a single array for json_each() is; how many keys a
 * list after IN has, which are looked up one by one. A table with an alias in single quotes is not
 * recognised, and steps that `plan.ts` does not know cost nothing. `weight.ts` estimates the expressions.
 */
export function rowsVisited(
  plan: readonly PlanNode[],
  sizes: TableSizes,
  recursive: Recursive,
): number {
  // What does not depend on what is around it runs only once, wherever it is in the plan.
  let oneTimeVisits = 0
  return fold(plan).visits + oneTimeVisits

  /** Loops are nested in each other; a compound, a recursion and an OR have parts. */
  function fold(nodes: readonly PlanNode[], name = ''): Cost {
    let [visits, loops, compoundRows, distinctCount, sorts] = [0, 1, 0, 0, 0]
    // SQLite makes an automatic index once, however often the query that it is for runs.
    const isIndexed = nodes.some(({ hasAutomaticIndex }) => hasAutomaticIndex)
    for (const { kind, what, inside } of nodes) {
      if (kind === 'loop') {
        loops *= sizes.rowsFound(what)
        visits += loops
        continue
      }
      if (kind === 'recursiveStep') {
        const steps = recursive.length(name)
        // A step takes one row at a time.
        sizes.setQuery(name, 1)
        const step = fold(inside)
        visits += steps * step.visits
        // All rows of a step wait in the queue, of which a LIMIT counts only those that are taken out.
        visits += steps * recursive.stepCost(name) * Math.max(1, step.rows)
        compoundRows += steps
        continue
      }
      const inner = fold(inside, kind === 'query' ? what : undefined)
      switch (kind) {
        case 'query':
          sizes.setQuery(what, inner.rows)
          if (isIndexed) oneTimeVisits += inner.visits
          else visits += inner.visits
          break
        case 'subquery':
          oneTimeVisits += inner.visits
          break
        case 'correlatedList':
        case 'correlated':
          visits += loops * inner.visits
          // To begin it for each row takes as long again, and a list is then made for each row.
          visits += loops * inner.visits
          if (kind === 'correlatedList') visits += loops * costOfTree(inner.rows)
          break
        case 'multiIndexOr':
          visits += loops * inner.visits
          loops *= inner.rows
          break
        case 'compound':
          visits += inner.visits
          loops *= inner.rows
          break
        default:
          visits += inner.visits
          if (kind === 'distinctPart') visits += costOfTree(inner.rows)
          if (kind === 'distinctPart' || kind === 'part') compoundRows += inner.rows
          if (kind === 'distinct') distinctCount++
          if (kind === 'sort') sorts++
      }
    }
    return {
      visits: visits + distinctCount * costOfTree(loops) + sorts * SORTED_ROW_COST * loops,
      rows: loops + compoundRows,
    }
  }
}

/** What it costs to keep these rows apart, which SQLite does in a tree. */
const costOfTree = (rows: number) => rows * (rows > SMALL_TREE_ROWS ? 100 : 10)

/** With more rows than these, a tree takes ten times as long for each. */
const SMALL_TREE_ROWS = 100_000

/** What it costs to sort a row, in visits of one. */
const SORTED_ROW_COST = 5

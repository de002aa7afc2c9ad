/** A step of a query plan, with the steps inside it. */
export interface PlanNode {
  readonly kind: StepKind
  /** The table that a loop reads and the way it reads it, or a query's name; in lower case. */
  readonly what: string
  readonly inside: readonly PlanNode[]
}

/** The kind of work that a step does. A step of the kind `other` costs only as much as the steps inside it. */
export type StepKind = keyof typeof SENTENCES | 'other'

/** SQLite's wording for each kind, in lower case: https://sqlite.org/eqp.html. The first match is used. */
const SENTENCES = {
  loop: /^((?:scan|search) .*)/s,
  query: /^(?:materialize|co-routine) (.*)/s,
  recursiveStep: /^recursive step$/,
  correlatedList: /^correlated list/,
  correlated: /^correlated/,
  subquery: /^(?:scalar|list) subquery/,
  tableAsList: / for in-operator$/,
  multiIndexOr: /^multi-index or/,
  compound: /^(?:compound|merge)/,
  distinctPart: /^union using temp b-tree/,
  part: /^(?:setup|left|right|union|intersect|except|index)/,
  distinct: /^use temp b-tree for (?:\w+\()?distinct/,
  sort: /^use temp b-tree for/,
} as const

/**
 * Reads the rows of an EXPLAIN QUERY PLAN into the steps of its outermost level. A row has the step's
 * number, the number of the step around it, and finally its description.
 */
export function readPlan(rows: Iterable<readonly unknown[]>): readonly PlanNode[] {
  const steps = Map.groupBy(rows, ([, around]) => around)
  return inside(0)

  function inside(id: unknown): readonly PlanNode[] {
    return (steps.get(id) ?? []).map(([id, , , sentence]) => ({
      ...read(String(sentence).toLowerCase()),
      inside: inside(id),
    }))
  }
}

function read(sentence: string): Omit<PlanNode, 'inside'> {
  for (const [kind, words] of Object.entries(SENTENCES)) {
    const found = words.exec(sentence)
    if (found) return { kind: kind as StepKind, what: found[1] ?? '' }
  }
  return { kind: 'other', what: '' }
}

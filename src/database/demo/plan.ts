/** A step of a query plan, with the steps inside it. */
export interface PlanNode {
  readonly kind: StepKind
  /** What a loop reads and how, or the name of a query; in lower case. */
  readonly what: string
  /** Whether it uses an index that SQLite makes once, for this statement alone. */
  readonly hasAutomaticIndex: boolean
  readonly inside: readonly PlanNode[]
}

/** What a step does, as far as it costs something. A step of the kind `other` costs only what is inside it. */
export type StepKind = keyof typeof SENTENCES | 'other'

/** How SQLite words each kind, in lower case: https://sqlite.org/eqp.html. The first that fits holds. */
const SENTENCES = {
  loop: /^(?:scan|search) (.*)/s,
  query: /^(?:materialize|co-routine) (.*)/,
  recursiveStep: /^recursive step$/,
  correlatedList: /^correlated list/,
  correlated: /^correlated/,
  subquery: /^(?:scalar|list) subquery/,
  multiIndexOr: /^multi-index or/,
  compound: /^(?:compound|merge)/,
  distinctPart: /^union using temp b-tree/,
  part: /^(?:setup|left|right|union|intersect|except|index)/,
  distinct: /^use temp b-tree for (?:count\()?distinct/,
  sort: /^use temp b-tree for (?:group|order) by/,
} as const

/**
 * Reads the rows of an EXPLAIN QUERY PLAN into the steps of its outermost level. A row has the number of
 * a step, the number of the step that it is inside of, and at the end its sentence.
 */
export function readPlan(rows: Iterable<readonly unknown[]>): readonly PlanNode[] {
  const steps = Map.groupBy(rows, ([, around]) => around)
  return inside(0)

  function inside(id: unknown): readonly PlanNode[] {
    return (steps.get(id) ?? []).map(([id, , , sentence]) => ({
      ...read(String(sentence)),
      inside: inside(id),
    }))
  }
}

function read(sentence: string): Omit<PlanNode, 'inside'> {
  const hasAutomaticIndex = sentence.includes(' USING AUTOMATIC ')
  for (const [kind, words] of Object.entries(SENTENCES)) {
    const found = words.exec(sentence.toLowerCase())
    if (found) return { kind: kind as StepKind, what: found[1] ?? '', hasAutomaticIndex }
  }
  return { kind: 'other', what: '', hasAutomaticIndex }
}

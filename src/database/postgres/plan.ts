import type { Plan } from '../dialect.ts'
import { finite } from '../finite.ts'
import type { Answer } from '../rows.ts'

/** A step in a plan, with the names in `EXPLAIN (FORMAT JSON)`. A number beyond 2^53 is a string. */
interface PlanStep {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Plan Rows'?: number | string
  readonly 'Total Cost'?: number | string
  readonly Filter?: string
  readonly 'Index Cond'?: string
  readonly 'Hash Cond'?: string
  readonly Plans?: readonly PlanStep[]
}

const of: Plan['of'] = (sql) => `explain (format json) ${sql}`

/** Plans from PostgreSQL: https://www.postgresql.org/docs/current/sql-explain.html */
export const plan: Plan = {
  of,
  read(answer) {
    const [cell = null] = answer.rows[0] ?? []
    const step = outermost(answer)
    return { summary: step ? [...steps(step, '')] : [], plan: cell }
  },
  estimate: {
    of,
    read(answer) {
      const step = outermost(answer)
      return { plan: finite(step?.['Total Cost']), rows: finite(step?.['Plan Rows']) }
    },
    advice: 'Filter on an indexed column, join fewer tables, or add a LIMIT.',
  },
}

/** The step that returns the rows. Its cost includes all other steps. */
function outermost({ rows }: Answer): PlanStep | undefined {
  const [cell = null] = rows[0] ?? []
  const [found] = (Array.isArray(cell) ? cell : []) as unknown as readonly { Plan?: PlanStep }[]
  return found?.Plan
}

function* steps(step: PlanStep, indent: string): Iterable<string> {
  const on = step['Relation Name'] ? ` on ${step['Relation Name']}` : ''
  const using = step['Index Name'] ? ` using ${step['Index Name']}` : ''
  const condition = step['Index Cond'] ?? step['Hash Cond'] ?? step.Filter
  const expected = `${step['Plan Rows']} rows, cost ${step['Total Cost']}`
  yield `${indent}${step['Node Type']}${using}${on}: ${expected}${condition ? `, ${condition}` : ''}`
  for (const under of step.Plans ?? []) yield* steps(under, `${indent}  `)
}

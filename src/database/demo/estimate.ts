import type { Param } from '../rows.ts'
import { rowsVisited } from './cost.ts'
import type { Counts } from './counts.ts'
import { type LexedSql, lexSql } from './lexed-sql.ts'
import { readPlan } from './plan.ts'
import { outermostOf, type Recursion, recursionsIn } from './recursions.ts'
import { TableSizes } from './table-sizes.ts'
import { weightOf } from './weight.ts'

/** Runs a statement, with the parameters that the caller sent. */
export type Run = (sql: string) => SqlStorageCursor<Record<string, SqlStorageValue>>

/** What a step of a recursion costs, in visits to rows; more where UNION keeps all rows apart. */
const STEP_VISITS = 2
const DISTINCT_STEP_VISITS = 150

/** How much work a statement is: by its plan, and by what its expressions make of a row. */
export class Estimate {
  readonly text: LexedSql
  readonly recursions: readonly Recursion[]
  readonly #run: Run
  readonly #counts: Counts
  /** Characters of the longest parameter. */
  readonly #longestParamChars: number
  /** Whether a recursion makes its values larger with each step. */
  readonly #growsInRecursion: boolean

  /** @param params what the caller sent */
  constructor(text: LexedSql, run: Run, params: readonly Param[], counts: Counts) {
    this.text = text
    this.recursions = recursionsIn(text)
    this.#run = run
    this.#counts = counts
    this.#longestParamChars = params.reduce<number>((most, it) => Math.max(most, `${it}`.length), 0)
    // What grows in an inner one grows in those around it. Each body is read once.
    this.#growsInRecursion = outermostOf(this.recursions).some(
      ({ body }) => weightOf(lexSql(body), this.#longestParamChars).grows,
    )
  }

  /**
   * The work of a text, in visits to rows.
   *
   * @param length how many rows each recursion has
   */
  visits(text: LexedSql, length: (name: string) => number): number {
    const { perRow, largest, rereadsFrames } = weightOf(
      text,
      this.#longestParamChars,
      this.#growsInRecursion,
    )
    const plan = readPlan(this.#run(`explain query plan ${text.sql}`).raw())
    const sizes = new TableSizes(text, this.#counts, largest)
    // A step costs the same, however heavy a row is.
    const stepCost = (name: string) => this.#stepVisits(name) / perRow
    const rows = rowsVisited(plan, sizes, { length, stepCost })
    return rows * perRow * (rereadsFrames ? this.#counts.mostRows : 1)
  }

  #stepVisits(name: string): number {
    const isDistinct = this.recursions.some((it) => it.name === name && it.isDistinct)
    return isDistinct ? DISTINCT_STEP_VISITS : STEP_VISITS
  }
}

import type { Database } from '../database.ts'
import type { Estimate, EstimatedPlan } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import { admit } from '../guard/guarded.ts'
import { read } from '../guard/reading.ts'
import type { Answer, Cell, Gate, Limits, Rows, Statement } from '../rows.ts'

/** How a database would run a statement. */
export interface Explanation {
  /** The steps as the database nests them, one a line, with what it expects of each. */
  readonly summary: readonly string[]
  /** The whole plan, as the database returned it. */
  readonly plan: Cell
  /** What the engine expects of the statement, if it says so. */
  readonly estimate?: Estimate | undefined
}

/**
 * Asks the database for the plan of a query, without running it. The query passes the guard before EXPLAIN
 * is put in front of it. Throws {@link DatabaseError}.
 *
 * @param isEstimated whether the engine is asked for its estimate, which takes one more turn on some
 */
export async function explain(
  database: Database,
  asked: Statement,
  limits: Limits,
  isEstimated = false,
): Promise<Explanation> {
  const { rules, plan } = database.dialect
  const { estimate } = plan
  const { statement, origin } = admit(asked, database.dialect)
  const { sql, verb = '' } = read(statement, rules)
  if (!QUERIES.has(verb)) {
    throw new DatabaseError('refused', 'Only a query has a plan: send a SELECT, without EXPLAIN.')
  }
  const explained = { sql: plan.of(sql), params: statement.params }
  const room = { ...limits, maxRows: 1_000, maxBytes: 1 << 20 }
  const before = explained.sql.length - sql.length
  const ask = (gate?: Gate) => database.query(explained, { ...room, gate })
  // Some plans hold their estimate.
  const isApart = isEstimated && estimate && estimate.of(sql) !== explained.sql
  const answers = isApart
    ? behindEstimate(ask, estimate, before)
    : ask().then((rows) => ({ rows, estimate: estimate?.read(rows) }))
  const found = await answers.catch((error) => {
    if (!(error instanceof DatabaseError) || error.position === undefined) throw error
    // The position in the query, without the EXPLAIN in front of it.
    const position = error.position - before
    throw error.at(position > 0 ? origin(position) : undefined)
  })
  return { ...plan.read(found.rows), estimate: found.estimate }
}

/**
 * A plan, and the estimate that the engine tells apart from it. Old versions tell none.
 *
 * @param before how many characters are in front of the statement whose plan it is
 */
async function behindEstimate(
  ask: (gate?: Gate) => Promise<Rows>,
  { of, read }: EstimatedPlan,
  before: number,
): Promise<{ readonly rows: Rows; readonly estimate?: Estimate | undefined }> {
  let estimate: Estimate | undefined
  const pass = (answer: Answer) => {
    estimate = read(answer)
  }
  try {
    return { rows: await ask({ of: (sql) => of(sql.slice(before)), pass }), estimate }
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind === 'timeout' || estimate) throw error
    return { rows: await ask() }
  }
}

const QUERIES = new Set(['select', 'with', 'values', 'table'])

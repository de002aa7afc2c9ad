import type { Database } from '../database.ts'
import type { Estimate, EstimatedPlan } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import { admit } from '../guard/guarded.ts'
import { read } from '../guard/reading.ts'
import type { Answer, Cell, Gate, QueryContext, Rows, Statement } from '../rows.ts'

/** A database's plan for a statement. */
export interface Explanation {
  /** Steps, nested as in the database's plan, one per line, with the estimate for each. */
  readonly summary: readonly string[]
  /** Full plan, as the database returned it. */
  readonly plan: Cell
  /** The engine's estimate for the statement, if it reports one. */
  readonly estimate?: Estimate | undefined
}

/**
 * Asks the database for a query's plan, without running it. The query passes the guard before EXPLAIN is
 * put in front of it. Throws {@link DatabaseError}.
 *
 * @param isEstimated true to request the engine's estimate, which takes an extra round trip on some engines
 */
export async function explain(
  database: Database,
  asked: Statement,
  limits: QueryContext,
  isEstimated = false,
): Promise<Explanation> {
  const { rules, plan } = database.dialect
  const { estimate } = plan
  const { statement, origin } = admit(asked, database.dialect)
  const { sql, verb = '' } = read(statement, rules)
  if (!QUERIES.has(verb)) {
    throw new DatabaseError('refused', 'Only queries have plans: send a SELECT without EXPLAIN.')
  }
  const explained = { sql: plan.of(sql), params: statement.params }
  const room = { ...limits, maxRows: 1_000, maxBytes: 1 << 20 }
  const before = explained.sql.length - sql.length
  const ask = (gate?: Gate) => database.query(explained, { ...room, gate })
  // Some plans include their estimate.
  const isApart = isEstimated && estimate && estimate.of(sql) !== explained.sql
  const answers = isApart
    ? behindEstimate(ask, estimate, before)
    : ask().then((rows) => ({ rows, estimate: estimate?.read(rows) }))
  const found = await answers.catch((error) => {
    if (!(error instanceof DatabaseError) || error.position === undefined) throw error
    // Position in the query, without the EXPLAIN in front of it.
    const position = error.position - before
    throw error.at(position > 0 ? origin(position) : undefined)
  })
  return { ...plan.read(found.rows), estimate: found.estimate }
}

/**
 * Reads a plan, and the estimate that the engine reports separately. Old versions report no estimate.
 *
 * @param before number of characters in front of the explained statement
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

const QUERIES = new Set(['select', 'with', 'values', 'table', 'from'])

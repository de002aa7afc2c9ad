import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { admit } from '../guard/guarded.ts'
import { read } from '../guard/reading.ts'
import type { Cell, Limits, Statement } from '../rows.ts'

/** How a database would run a statement. */
export interface Explanation {
  /** The steps as the database nests them, one a line, with what it expects of each. */
  readonly summary: readonly string[]
  /** The whole plan, as the database returned it. */
  readonly plan: Cell
}

/**
 * Asks the database for the plan of a query, without running it. The query passes the guard before EXPLAIN
 * is put in front of it. Throws {@link DatabaseError}.
 */
export async function explain(
  database: Database,
  asked: Statement,
  limits: Limits,
): Promise<Explanation> {
  const { rules, plan } = database.dialect
  const { statement, origin } = admit(asked, database.dialect)
  const { sql, verb = '' } = read(statement, rules)
  if (!QUERIES.has(verb)) {
    throw new DatabaseError('refused', 'Only a query has a plan: send a SELECT, without EXPLAIN.')
  }
  const explained = { sql: plan.of(sql), params: statement.params }
  const room = { ...limits, maxRows: 1_000, maxBytes: 1 << 20 }
  const rows = await database.query(explained, room).catch((error) => {
    if (!(error instanceof DatabaseError) || error.position === undefined) throw error
    // The position in the query, without the EXPLAIN in front of it.
    const position = error.position - (explained.sql.length - sql.length)
    throw error.at(position > 0 ? origin(position) : undefined)
  })
  return plan.read(rows)
}

const QUERIES = new Set(['select', 'with', 'values', 'table'])

import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { admit } from '../guard/guarded.ts'
import { read } from '../guard/reading.ts'
import type { Cell, Limits, Statement } from '../rows.ts'

/** How a database would run a statement. */
export interface Explanation {
  /** The steps as the database nests them, one a line, with what it expects of each. */
  readonly summary: readonly string[]
  /** All that the database said. */
  readonly plan: Cell
}

/**
 * Has a query planned, and never run. The query passes the guard first, without the EXPLAIN that is put
 * in front of it here. Throws {@link DatabaseError}.
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
    // The place in the query without what is in front of it here.
    const position = error.position - (explained.sql.length - sql.length)
    throw error.at(position > 0 ? origin(position) : undefined)
  })
  return plan.read(rows)
}

const QUERIES = new Set(['select', 'with', 'values', 'table'])

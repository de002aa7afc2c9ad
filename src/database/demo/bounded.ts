import { DatabaseError } from '../error.ts'
import type { Param } from '../rows.ts'
import type { Counts } from './counts.ts'
import { Estimate, type Run } from './estimate.ts'
import { lexSql } from './lexed-sql.ts'
import { RecursionLengths } from './recursion-lengths.ts'

// A few seconds of work at worst. Meanwhile the Durable Object serves no other request: it has one
// thread, and nothing can interrupt SQLite on it.
const MAX_VISITS = 50_000_000

// Visiting this many rows takes a millisecond or less.
const VISITS_PER_MS = 5_000

/**
 * Refuses a statement that may visit too many rows, or has a recursion that may never end.
 *
 * @param params what the caller sent
 * @param timeoutMs how long the work may take
 */
export function assertBounded(
  sql: string,
  run: Run,
  params: readonly Param[],
  counts: Counts,
  timeoutMs: number,
): void {
  const maxVisits = Math.min(MAX_VISITS, timeoutMs * VISITS_PER_MS)
  const text = lexSql(sql)
  const estimate = new Estimate(text, run, params, counts)
  const lengths = new RecursionLengths(estimate, run, params.length, maxVisits)
  const visits = estimate.visits(text, (name) => lengths.of(name))
  // A NaN is refused, too.
  if (!(visits <= lengths.left)) throw new DatabaseError('refused', tooMuch(maxVisits))
}

const tooMuch = (visits: number) =>
  `This query is too expensive for the demo: it may visit more than ${visits / 1e6} million rows, or work as long on large values. Join on keys, filter before joining, make shorter values, or ask in parts.`

import { type Database, type Rows, rowSecurity, type Statement } from '../../database/index.ts'
import { BoundedMap, steadyNow } from '../../ground/index.ts'
import { ToolError } from '../../mcp/index.ts'
import { answerOf, type CappedAnswer, itemsThatFit } from '../answer/answer.ts'
import { handleOf, KEPT_MS, viewOf } from '../answer/kept-results.ts'
import type { DatabaseContext } from './database-tool.ts'

/** Runs a statement, and stores the rows beyond the caps if the endpoint stores results. Throws DatabaseError. */
export async function runQuery(
  statement: Statement,
  context: DatabaseContext,
): Promise<CappedAnswer> {
  const { database, caps, limits, keep } = context
  const repeated = keep && (await repeatedAnswer(statement, context))
  if (repeated) return repeated
  const maxRows = Math.max(caps.rows, keep ? keep.rows : 0)
  const found = withTypeNames(await database.query(statement, { ...limits, maxRows }), database)
  const answer = answerOf(found, caps)
  if (answer.truncated && keep) return keepResult(statement, found, answer, context)
  if (answer.rowCount > 0) return answer
  const hiding = await rowSecurity(database, statement, limits)
  if (hiding.length === 0) return answer
  const hint = `No rows, or none that this endpoint may see: ${hiding.join(', ')} has row-level security.`
  return { ...answer, hint }
}

/** The same rows, with the type names of the tools that show a schema. */
function withTypeNames(found: Rows, { dialect }: Database): Rows {
  const columns = found.columns.map(({ name, type }) => ({
    name,
    type: dialect.catalogTypeName?.(type) ?? type,
  }))
  return { ...found, columns }
}

/** Stores the rows of an answer that was cut, up to the limit, and says so in the answer. */
async function keepResult(
  statement: Statement,
  found: Rows,
  answer: CappedAnswer,
  context: DatabaseContext,
): Promise<CappedAnswer> {
  const { keep, results, caller } = context
  if (!keep || !results) return answer
  const rows = found.rows.slice(0, itemsThatFit(found.rows, keep.bytes, 0))
  if (rows.length === 0) return answer
  const result = await results.keep({ columns: found.columns, rows }, caller)
  // Totals are not stored.
  if (keep.repeatSeconds > 0 && !found.totals)
    recentResults.set(keyOf(statement, context), { result, at: steadyNow() })
  const whole = rows.length === found.rows.length && !found.truncated
  const what = whole ? `All ${rows.length} rows are` : `The first ${rows.length} rows are`
  const hint = `${answer.hint} ${what} kept for ${KEPT_MS / 60_000} minutes: give the result to query_table as its table.`
  return { ...answer, hint, result }
}

/** The results that this isolate stored last, by statement and caller. */
const recentResults = new BoundedMap<{ readonly result: string; readonly at: number }>({
  entries: 200,
})

/** A result is repeated only to the same caller, by the same server. */
const keyOf = ({ sql, params }: Statement, { results, name, caller }: DatabaseContext) =>
  JSON.stringify([results?.server, name, sql, params, caller?.subject, viewOf(caller)])

/** Answers a statement that ran a short while ago, from its stored result. */
async function repeatedAnswer(
  statement: Statement,
  context: DatabaseContext,
): Promise<CappedAnswer | undefined> {
  const { keep, results, caps, caller } = context
  if (!keep || !results || keep.repeatSeconds === 0) return undefined
  const found = recentResults.get(keyOf(statement, context))
  const ageSeconds = found ? Math.round((steadyNow() - found.at) / 1_000) : Number.POSITIVE_INFINITY
  if (!found || ageSeconds > keep.repeatSeconds) return undefined
  try {
    const rows = await results.read(handleOf(found.result)!, caller)
    const answer = answerOf({ ...rows, truncated: false, elapsedMs: 0 }, caps)
    const hint = [answer.hint, `Not run again: kept ${ageSeconds} s ago.`]
    return { ...answer, hint: hint.filter(Boolean).join(' '), result: found.result }
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

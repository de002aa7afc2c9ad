import { type Database, type Rows, rowSecurity, type Statement } from '../database/index.ts'
import { ToolError } from '../mcp/index.ts'
import { type Answer, answerOf } from './answer.ts'
import type { DatabaseContext } from './database-tool.ts'
import { handleOf, KEPT_MS } from './kept-results.ts'

/**
 * What a database answers to a statement, as the model gets it. What its caps leave out is kept, if
 * the endpoint keeps anything. Throws DatabaseError.
 */
export async function ask(statement: Statement, context: DatabaseContext): Promise<Answer> {
  const { database, caps, limits, keep } = context
  const again = keep && (await repeated(statement, context))
  if (again) return again
  const maxRows = Math.max(caps.rows, keep ? keep.rows : 0)
  const found = inWords(await database.query(statement, { ...limits, maxRows }), database)
  const answer = answerOf(found, caps)
  if (answer.truncated && keep) return kept(statement, found, answer, context)
  if (answer.rowCount > 0) return answer
  const hiding = await rowSecurity(database, statement, limits)
  if (hiding.length === 0) return answer
  const hint = `No rows, or none that this endpoint may see: ${hiding.join(', ')} has row-level security.`
  return { ...answer, hint }
}

/** The same answer, its types called as the tools that show a schema call them. */
function inWords(found: Rows, { dialect }: Database): Rows {
  const columns = found.columns.map(({ name, type }) => ({
    name,
    type: dialect.inWords?.(type) ?? type,
  }))
  return { ...found, columns }
}

async function kept(
  statement: Statement,
  found: Rows,
  answer: Answer,
  context: DatabaseContext,
): Promise<Answer> {
  const { keep, results, caller } = context
  if (!keep || !results) return answer
  const rows = within(found.rows, keep.bytes)
  // Of rows so large that none is kept, or of none that was left out, there is nothing to add.
  if (rows.length === 0) return answer
  const result = await results.keep({ columns: found.columns, rows }, caller)
  // Totals are not kept.
  if (keep.repeatSeconds > 0 && !found.totals) remember(keyOf(statement, context), result)
  const whole = rows.length === found.rows.length && !found.truncated
  const what = whole ? `All ${rows.length} rows are` : `The first ${rows.length} rows are`
  const hint = `${answer.hint} ${what} kept for ${KEPT_MS / 60_000} minutes: give the result to query_table as its table.`
  return { ...answer, hint, result }
}

/** As many rows as so many bytes hold. */
function within(rows: Rows['rows'], most: number): Rows['rows'] {
  let bytes = 0
  const past = rows.findIndex((row) => {
    bytes += JSON.stringify(row).length
    return bytes > most
  })
  return past < 0 ? rows : rows.slice(0, past)
}

/** Where the results of statements are that this isolate kept lately. */
const lately = new Map<string, { readonly result: string; readonly at: number }>()

/** Statements of an isolate that are remembered. */
const REMEMBERED = 200

function remember(key: string, result: string): void {
  lately.delete(key)
  lately.set(key, { result, at: Date.now() })
  const [oldest] = lately.keys()
  if (lately.size > REMEMBERED && oldest !== undefined) lately.delete(oldest)
}

/** Callers never meet each other's results, nor one endpoint another's. */
const keyOf = ({ sql, params }: Statement, { endpoint, name, caller }: DatabaseContext) =>
  JSON.stringify([endpoint, name, sql, params, caller?.subject, caller?.claims])

/** The answer to a statement that was asked a short while ago, from what was kept of it. */
async function repeated(
  statement: Statement,
  context: DatabaseContext,
): Promise<Answer | undefined> {
  const { keep, results, caps, caller } = context
  if (!keep || !results || keep.repeatSeconds === 0) return undefined
  const found = lately.get(keyOf(statement, context))
  const age = found ? Math.round((Date.now() - found.at) / 1_000) : Number.POSITIVE_INFINITY
  if (!found || age > keep.repeatSeconds) return undefined
  try {
    const rows = await results.read(handleOf(found.result)!, caller)
    const answer = answerOf({ ...rows, truncated: false, elapsedMs: 0 }, caps)
    const hint = [answer.hint, `Not asked again: kept ${age} s ago.`]
    return { ...answer, hint: hint.filter(Boolean).join(' '), result: found.result }
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

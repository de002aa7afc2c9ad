import type { UnguardedDatabase } from '../database.ts'
import type { Dialect, Estimate } from '../dialect.ts'
import { DatabaseError, TooDear } from '../error.ts'
import type { Answer, CostLimit, Gate, Limits, QueryContext, Statement } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { QUERY_WORDS } from './query.ts'
import { read } from './reading.ts'

/** Limits for a plan, which is small unless its statement is huge. */
const PLAN_ROOM = { maxRows: 1_000, maxBytes: 1 << 20 }

/** The time left after a plan is rounded to these steps, so that errors contain round numbers. */
const STEP_MS = 100

/**
 * Refuses a statement whose estimated cost is over its limits. Undefined if the limits allow any cost, for
 * our own statements, and for statements without a plan, such as SHOW.
 */
export function costGate(
  statement: Statement,
  { rules, plan, title }: Dialect,
  { cost }: Limits,
): Gate | undefined {
  const { estimate } = plan
  const { verb = '' } = read(statement, rules)
  if (!cost || !estimate || statement.internal || !plansAs(verb)) return undefined
  return {
    of: estimate.of,
    pass(answer) {
      assertCheap(estimate.read(answer), cost, estimate.advice, title)
    },
  }
}

/** True if a first word begins a query, which has a plan. ClickHouse also accepts FROM before SELECT. */
const plansAs = (verb: string) => QUERY_WORDS.has(verb) || verb === 'from'

/** Runs a statement after its cost check. Both share the time limit. Throws {@link DatabaseError}. */
export async function runBehind(
  gate: Gate,
  database: UnguardedDatabase,
  statement: Statement,
  limits: QueryContext,
): Promise<Answer> {
  if (database.asksGates) return database.query(statement, { ...limits, gate })
  return bySessions(limits.sessions, async (sessions) => {
    const { sql, params } = statement
    const asked = { sql: gate.of(sql), params }
    const before = asked.sql.length - sql.length
    const started = Date.now()
    const found = await database
      .query(asked, { ...limits, ...PLAN_ROOM, sessions })
      .catch((error) => {
        if (!(error instanceof DatabaseError)) throw error
        throw error.kind === 'too_large' ? hugePlan() : inOwnText(error, before)
      })
    gate.pass(found)
    const left = Math.ceil((limits.timeoutMs - (Date.now() - started)) / STEP_MS) * STEP_MS
    return database.query(statement, { ...limits, sessions, timeoutMs: Math.max(left, STEP_MS) })
  })
}

/**
 * Turns an error about a plan into one about its statement. An error about the words in front means that the
 * server does not provide estimates.
 */
function inOwnText(error: DatabaseError, before: number): DatabaseError {
  if (error.kind !== 'sql' || error.position === undefined) return error
  return error.position > before ? error.at(error.position - before) : noEstimates()
}

/** Throws {@link TooDear} for a statement that costs too much, or whose cost is unknown. */
function assertCheap(found: Estimate, limit: CostLimit, advice: string, title: string): void {
  const figures = (['plan', 'rows'] as const).filter((it) => limit[it] !== undefined)
  const known = figures.filter((it) => found[it] !== undefined)
  // A statement that reads nothing costs nothing, and some engines report no cost for it.
  if (known.length === 0 && found.rows !== 0) throw unknownCost(title, figures[0] === 'plan')
  const over = known.find((it) => found[it]! > limit[it]!)
  if (over === undefined) return
  const rows = found.rows === undefined ? '' : `about ${counted(found.rows)}`
  throw new TooDear(
    over === 'rows'
      ? `This query is estimated at ${rows}; the limit here is ${counted(limit.rows!)}. ${advice}`
      : `This query is estimated at cost ${inWords(found.plan!)}${rows && ` (${rows})`}; the limit here is ${inWords(limit.plan!)}. ${advice}`,
  )
}

/** The error if a limit cannot be enforced because the engine does not report that value. */
const unknownCost = (title: string, isOfPlan: boolean) =>
  new TooDear(
    `This endpoint limits the cost of queries, and ${title} did not estimate ${isOfPlan ? 'the cost of' : 'the number of rows for'} this one, so it was not run. The operator can ${isOfPlan ? 'limit the rows instead: caps.cost.rows' : 'leave caps.cost out'}.`,
  )

/** The error for server versions that report no estimates. */
const noEstimates = () =>
  new TooDear(
    'This endpoint limits the cost of queries, and this version of the database does not provide estimates, so the query was not run. The operator can leave caps.cost out, or update the database.',
  )

/** The error for a plan that is too long to read, such as one with thousands of partitions. */
const hugePlan = () =>
  new TooDear(
    'This endpoint limits the cost of queries, and the plan for this one is longer than 1 MiB, so the query was not run. Read fewer tables or partitions at once, or nest fewer subqueries.',
  )

const counted = (rows: number) => `${inWords(rows)} ${rows === 1 ? 'row' : 'rows'}`

/** Formats a number for a person. After rounding it is still over its limit. */
const inWords = (value: number) =>
  value < 1e15 ? Math.ceil(value).toLocaleString('en') : value.toExponential(1)

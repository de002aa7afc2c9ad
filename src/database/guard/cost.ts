import type { UnguardedDatabase } from '../database.ts'
import type { Dialect, Estimate } from '../dialect.ts'
import { DatabaseError, TooDear } from '../error.ts'
import type { Answer, CostLimit, Gate, Limits, Statement } from '../rows.ts'
import { bySessions } from '../sessions.ts'
import { QUERY_WORDS } from './query.ts'
import { read } from './reading.ts'

/** A plan is small, unless its statement is huge. */
const PLAN_ROOM = { maxRows: 1_000, maxBytes: 1 << 20 }

/** What is left of the time after a plan is counted in these steps, so that an error tells a round number. */
const STEP_MS = 100

/**
 * Keeps a statement from running that the engine estimates as dearer than its limits allow. Undefined if
 * they allow any cost, for statements of our own, and for what has no plan, such as SHOW.
 */
export function costGate(
  statement: Statement,
  { rules, plan, title }: Dialect,
  { cost }: Limits,
): Gate | undefined {
  const { estimate } = plan
  const { verb = '' } = read(statement, rules)
  if (!cost || !estimate || statement.internal || !QUERY_WORDS.has(verb)) return undefined
  return {
    of: estimate.of,
    pass(answer) {
      assertCheap(estimate.read(answer), cost, estimate.advice, title)
    },
  }
}

/** Runs a statement behind a gate. The time limit is for both. Throws {@link DatabaseError}. */
export async function runBehind(
  gate: Gate,
  database: UnguardedDatabase,
  statement: Statement,
  limits: Limits,
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

/** An error about a plan, as one about its statement. One about the words in front is not for its author. */
function inOwnText(error: DatabaseError, before: number): DatabaseError {
  if (error.kind !== 'sql' || error.position === undefined) return error
  return error.position > before ? error.at(error.position - before) : noEstimates()
}

/** Throws {@link TooDear} for what costs more than it may, or of which that is not known. */
function assertCheap(found: Estimate, limit: CostLimit, advice: string, title: string): void {
  const figures = (['plan', 'rows'] as const).filter((it) => limit[it] !== undefined)
  const known = figures.filter((it) => found[it] !== undefined)
  // What reads nothing costs nothing, and some engines say no more of it.
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

/** The error where a limit cannot be held, because the engine does not say what it is about. */
const unknownCost = (title: string, isOfPlan: boolean) =>
  new TooDear(
    `This endpoint limits what a query may cost, and ${title} did not estimate ${isOfPlan ? 'the cost' : 'the rows'} of this one, so it was not run. The operator can ${isOfPlan ? 'limit the rows instead: caps.cost.rows' : 'leave caps.cost out'}.`,
  )

/** The error where the version of a server cannot be asked. */
const noEstimates = () =>
  new TooDear(
    'This endpoint limits what a query may cost, and this version of the database estimates nothing, so the query was not run. The operator can leave caps.cost out, or update the database.',
  )

/** The error where a plan, such as one of thousands of partitions, is longer than is read. */
const hugePlan = () =>
  new TooDear(
    'This endpoint limits what a query may cost, and the plan of this one is longer than 1 MiB, so the query was not run. Read fewer tables or partitions at once, or nest fewer subqueries.',
  )

const counted = (rows: number) => `${inWords(rows)} ${rows === 1 ? 'row' : 'rows'}`

/** A number as a person reads it. One that is rounded is still over its limit. */
const inWords = (value: number) =>
  value < 1e15 ? Math.ceil(value).toLocaleString('en') : value.toExponential(1)

import {
  assertReads,
  type Database,
  DatabaseError,
  explain,
  type Limits,
  Sessions,
  type Statement,
} from '../database/index.ts'
import { ConfigError, type Endpoint } from './endpoint.ts'
import { type CredentialIo, type EndpointDatabase, locateAll } from './open-database.ts'
import { databaseOf } from './tool-set.ts'
import type { VerifiedQuestion } from './verified-question-config.ts'

/**
 * What a look at questions found, by their names: why one does not work, or null if it works. A question
 * about which the database said nothing is not in it.
 */
export type QuestionLook = ReadonlyMap<string, string | null>

/** How long one question may be planned, and all of them together. */
const MAX_PLAN_MS = 2_500
const MAX_LOOK_MS = 10_000

/** A plan is small on every database, and nobody reads it. */
const ROOM = { maxRows: 1_000, maxBytes: 1 << 20 }

const MAX_PROBLEM_CHARS = 400

/**
 * Has the databases of an endpoint plan its questions, or the one of a name, or those of one database. None of them is run. What
 * cannot be opened or does not answer says nothing of its questions.
 */
export async function lookAtQuestions(
  endpoint: Endpoint,
  io: CredentialIo,
  asked: {
    readonly name?: string | undefined
    readonly database?: string | undefined
    readonly signal?: AbortSignal | undefined
  } = {},
): Promise<QuestionLook> {
  const found = new Map<string, string | null>()
  const { questions = [] } = endpoint
  const wanted = questions.filter(({ name }) => asked.name === undefined || name === asked.name)
  if (wanted.length === 0) return found
  const until = Date.now() + MAX_LOOK_MS
  const databases = [...locateAll(endpoint, io)]
  for (const [name, located] of databases) {
    if (asked.database !== undefined && asked.database !== name) continue
    const own = wanted.filter((it) => databaseOf(it, databases)?.[0] === name)
    if (own.length === 0) continue
    const signal = AbortSignal.any([
      AbortSignal.timeout(Math.max(until - Date.now(), 1)),
      ...(asked.signal ? [asked.signal] : []),
    ])
    await lookIn(located.forOperator ?? located, own, signal, found)
  }
  return found
}

async function lookIn(
  located: Pick<EndpointDatabase, 'open'>,
  questions: readonly VerifiedQuestion[],
  signal: AbortSignal,
  found: Map<string, string | null>,
): Promise<void> {
  const sessions = new Sessions()
  const limits = { ...ROOM, timeoutMs: MAX_PLAN_MS, signal, sessions }
  try {
    const database = await located.open()
    let plans: boolean | undefined
    for (const it of questions) {
      if (signal.aborted) return
      const problem = (await refusal(database, it)) ?? (await planProblem(database, it, limits))
      if (problem === undefined) continue
      // Some servers plan no statement at all: ClickHouse before 20.6.
      if (problem !== null) plans ??= (await planProblem(database, TRIVIAL, limits)) === null
      found.set(it.name, plans === false ? null : problem)
    }
  } catch (error) {
    // Whoever asks this database hears of it.
    if (!(error instanceof DatabaseError) && !(error instanceof ConfigError)) throw error
  } finally {
    await sessions.end()
  }
}

const TRIVIAL = { sql: 'select 1' }

/** Why the guard refuses a statement, if it does. */
async function refusal(
  database: Database,
  { sql, params }: Statement,
): Promise<string | undefined> {
  try {
    await assertReads(database, { sql, params })
    return undefined
  } catch (error) {
    if (error instanceof DatabaseError) return bounded(error.message)
    throw error
  }
}

/** Why a database cannot plan a statement; null if it can, and undefined if it did not say in time. */
async function planProblem(
  database: Database,
  { sql, params }: Statement,
  limits: Limits,
): Promise<string | null | undefined> {
  try {
    await explain(database, { sql, params }, limits)
    return null
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const { kind, code, message } = error
    if (kind === 'sql') return bounded(message)
    // An error of the database has a code. Statements without a plan, such as SHOW, we refuse ourselves.
    if (kind === 'refused') return code === undefined ? null : bounded(message)
    if (kind === 'timeout' || kind === 'too_large') return undefined
    throw error
  }
}

const bounded = (message: string) => message.slice(0, MAX_PROBLEM_CHARS).toWellFormed()

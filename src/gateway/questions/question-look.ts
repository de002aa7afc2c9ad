import { assertReads, type Database, DatabaseError, Sessions } from '../../database/index.ts'
import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import type { VerifiedQuestion } from '../config/verified-question-config.ts'
import type { CredentialIo, EndpointDatabase } from '../open/endpoint-database.ts'
import { locateAll } from '../open/pipeline.ts'
import { databaseOf } from '../tools/tool-set.ts'
import { planFault, TRIVIAL } from './plan-fault.ts'

/** By name: the reason that a question does not work, or null if it works. Missing if unknown. */
export type QuestionLook = ReadonlyMap<string, string | null>

/** The time limits for planning one question, and all questions together. */
const MAX_PLAN_MS = 2_500
const MAX_LOOK_MS = 10_000

const MAX_PROBLEM_CHARS = 400

/**
 * Asks an endpoint's databases to plan its questions, or only the question with this name, or only those for one
 * database. No question is run. If a database cannot be opened or does not answer, its questions are left out.
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
    await lookIn(located, own, signal, found)
  }
  return found
}

async function lookIn(
  located: EndpointDatabase,
  questions: readonly VerifiedQuestion[],
  signal: AbortSignal,
  found: Map<string, string | null>,
): Promise<void> {
  const sessions = new Sessions()
  const limits = { timeoutMs: MAX_PLAN_MS, signal, sessions }
  try {
    const database = await located.open({ author: 'operator', isCheck: true })
    let plans: boolean | undefined
    for (const it of questions) {
      if (signal.aborted) return
      const fault = (await refusal(database, it)) ?? (await planFault(database, it, limits))
      if (fault?.kind === 'timeout' || fault?.kind === 'too_large') continue
      if (fault) plans ??= !(await planFault(database, TRIVIAL, limits))
      const problem =
        fault && plans ? fault.message.slice(0, MAX_PROBLEM_CHARS).toWellFormed() : null
      found.set(it.name, problem)
    }
  } catch (error) {
    // Callers of this database get this error themselves.
    if (!(error instanceof DatabaseError) && !(error instanceof ConfigError)) throw error
  } finally {
    await sessions.end()
  }
}

/** The guard's error for a question, if it refuses the question. */
const refusal = (
  database: Database,
  { sql, params }: VerifiedQuestion,
): Promise<DatabaseError | undefined> =>
  assertReads(database, { sql, params }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof DatabaseError) return error
      throw error
    },
  )

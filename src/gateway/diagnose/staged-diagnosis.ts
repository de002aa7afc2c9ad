import { DatabaseError, listTables, type Reason } from '../../database/index.ts'
import { counted } from '../../ground/index.ts'
import type { Endpoint } from '../config/endpoint.ts'
import type { CredentialIo } from '../open/endpoint-database.ts'
import { located } from '../open/open-database.ts'
import { MAX_INSPECTION_MS } from '../open/role-warning.ts'
import { behindSecret, type Diagnosis, inspect, problemAt, problemOf } from './diagnosis.ts'
import {
  type DiagnosisStage,
  encryption,
  findingsOf,
  isBuiltIn,
  recognised,
  type StageResult,
  tablesSeen,
  writing,
} from './stage.ts'

/** The time limit for all databases in an endpoint together. */
const MAX_MS = 60_000

/** Maximum number of tables whose columns are counted. */
const MAX_TABLES = 5_000

/**
 * Checks the databases in an endpoint one after the other, and yields results as soon as it has them: the stages, then
 * the whole diagnosis of each database. It attempts a write only where the engine itself must refuse it.
 */
export async function* diagnoseInStages(
  endpoint: Endpoint,
  io: CredentialIo,
  caller: AbortSignal,
): AsyncGenerator<DiagnosisStage | Diagnosis> {
  const signal = AbortSignal.any([caller, AbortSignal.timeout(MAX_MS)])
  for (const database of Object.keys(endpoint.databases)) {
    if (caller.aborted) return
    const found = yield* stagesOf(endpoint, database, io, signal)
    const behind = found.problem === undefined ? {} : await behindSecret(endpoint, database, io)
    yield { endpoint: endpoint.name, database, ...found, ...behind }
  }
}

type StageFacts = Omit<Diagnosis, 'endpoint' | 'database'>
type StageProblem = Pick<Diagnosis, 'failure'> & Required<Pick<Diagnosis, 'problem'>>

async function* stagesOf(
  endpoint: Endpoint,
  name: string,
  io: CredentialIo,
  signal: AbortSignal,
): AsyncGenerator<DiagnosisStage, StageFacts> {
  const clock = startClock()
  const at = (stage: DiagnosisStage['stage'], result: StageResult): DiagnosisStage => ({
    ...{ database: name, stage },
    ...result,
  })
  /** The stage at which a database stops. Without a failure, the stage was not checked. */
  const stop = (
    { problem, failure }: StageProblem,
    stage: DiagnosisStage['stage'],
    ms?: number,
  ): DiagnosisStage => at(stage, { state: failure ? 'bad' : 'off', sentence: problem, ms })
  const ok = (sentence: string, ms?: number): StageResult => ({ state: 'ok', sentence, ms })

  if (signal.aborted) {
    const late = { problem: 'The time ran out before its turn.' }
    yield stop(late, 'recognised')
    return late
  }
  const { url } = endpoint.databases[name]!
  const limits = { timeoutMs: Math.min(endpoint.caps.timeoutMs, MAX_INSPECTION_MS), signal }
  const database = await attempt(async () => located(endpoint.databases[name]!, io).open())
  if ('problem' in database) {
    yield stop(database, 'recognised', clock())
    return database
  }
  const { title } = database.dialect
  yield at('recognised', ok(recognised(url, title), clock()))

  const error: unknown = await database
    .query({ sql: 'select 1' }, { ...limits, maxRows: 1, maxBytes: 1_000 })
    .then(
      () => undefined,
      (thrown) => thrown,
    )
  const ms = clock()
  if (error) {
    const stage = stageOf(error)
    const isReached = stage !== 'reached'
    if (isReached) yield at('reached', ok(`${title} answers at this host`, ms))
    const problem = await problemAt(error, url, io, signal)
    yield stop(problem, stage, isReached ? undefined : ms)
    return problem
  }
  yield at('reached', ok(`${title} answers`, ms))
  yield at('encrypted', encryption(url, database.tls))
  if (!isBuiltIn(url)) {
    yield at('login', ok('The login in the connection string is accepted'))
  }

  const found: StageFacts = await inspect(endpoint, name, io, signal, {})
  const { problem, version = title, role, broken = [] } = found
  if (problem !== undefined) {
    yield stop({ ...found, problem }, 'version', clock())
    return found
  }
  yield at('version', ok(role ? `${version}, as ${role}` : version, clock()))

  const listed = await attempt(() => listTables(database, { limit: MAX_TABLES, limits }))
  if ('problem' in listed) {
    yield stop(listed, 'tables', clock())
    return listed
  }
  yield at('tables', { ...tablesSeen(listed), ms: clock() })
  yield at('writes', { ...(await writing(database, listed, limits)), ms: clock() })
  yield at('role', findingsOf(found))
  if (broken.length > 0) {
    const sentence = `${counted(broken.length, 'tool')} that the endpoint defines cannot be prepared`
    yield at('tools', { state: 'bad', sentence, detail: broken.join('\n') })
  }
  return { ...found, tables: listed.total }
}

const attempt = <T>(work: () => Promise<T>): Promise<T | StageProblem> =>
  work().catch((error: unknown) => problemOf(error))

/** The stage at which a database stopped, judging by the error from the simplest query. */
function stageOf(error: unknown): DiagnosisStage['stage'] {
  const { kind, reason } = error instanceof DatabaseError ? error : {}
  if (kind === 'auth') return 'login'
  return reason !== undefined && OF_TLS.includes(reason) ? 'encrypted' : 'reached'
}

/** Reasons that a connection is not encrypted although a server answers. */
const OF_TLS: readonly Reason[] = [
  'not_encrypted',
  'certificate_untrusted',
  'authority_not_here',
  'tls_failed',
]

/** Returns a function that returns the milliseconds since its last call. */
function startClock(): () => number {
  let last = Date.now()
  return () => {
    const since = Date.now() - last
    last += since
    return since
  }
}

import {
  type Database,
  DatabaseError,
  listTables,
  type TableList,
  type TimeLimits,
} from '../database/index.ts'
import { type Diagnosis, inspect, problemAt, problemOf } from './diagnosis.ts'
import type { Endpoint } from './endpoint.ts'
import { type CredentialIo, located } from './open-database.ts'
import { MAX_INSPECTION_MS } from './role-warning.ts'

/** What was seen in one stage of looking at a database. Holds no secret and no host. */
export interface Stage {
  readonly database: string
  readonly stage: (typeof stages)[number]
  /** `ok`: as it should be. `low`: worth a look. `bad`: to be mended. `off`: not looked at. */
  readonly state: 'ok' | 'low' | 'bad' | 'off'
  readonly sentence: string
  /** What the engine said, or more about it. */
  readonly detail?: string | undefined
  readonly ms?: number | undefined
}

/** The stages, in their order. A database that stops at one has no later ones. */
export const stages = [
  'recognised',
  'reached',
  'encrypted',
  'login',
  'version',
  'tables',
  'writes',
  'role',
  'tools',
] as const

/** How long all databases of an endpoint may take. */
const MAX_MS = 60_000

/** More tables are not counted with their columns. */
const MAX_TABLES = 5_000

/**
 * Looks at each database of an endpoint, one after the other, and tells what it sees as soon as it sees it:
 * stages, and the whole diagnosis of each database after its last one. What writes, it tries where the
 * engine alone has to refuse it.
 */
export async function* diagnoseInStages(
  endpoint: Endpoint,
  io: CredentialIo,
  caller: AbortSignal,
): AsyncGenerator<Stage | Diagnosis> {
  const signal = AbortSignal.any([caller, AbortSignal.timeout(MAX_MS)])
  for (const database of Object.keys(endpoint.databases)) {
    if (caller.aborted) return
    const about = { endpoint: endpoint.name, database }
    const seen = lookAt(endpoint, database, io, signal)
    for (;;) {
      const { value, done } = await seen.next()
      if (done) {
        yield { ...about, ...value }
        break
      }
      yield { database, ...value }
    }
  }
}

type Seen = Omit<Stage, 'database'>
type Found = Omit<Diagnosis, 'endpoint' | 'database'>

async function* lookAt(
  endpoint: Endpoint,
  name: string,
  io: CredentialIo,
  signal: AbortSignal,
): AsyncGenerator<Seen, Found> {
  if (signal.aborted)
    return yield* stopped('recognised', { problem: 'The time was over before its turn.' })
  const { url } = endpoint.databases[name]!
  const limits = { timeoutMs: Math.min(endpoint.caps.timeoutMs, MAX_INSPECTION_MS), signal }
  const clock = startClock()
  const opened = await openOrProblem(endpoint, name, io)
  if ('problem' in opened) return yield* stopped('recognised', opened, clock())
  const { database } = opened
  const { title } = database.dialect
  yield { stage: 'recognised', state: 'ok', sentence: recognised(url, title), ms: clock() }

  const reached = await reach(database, limits)
  const ms = clock()
  if (reached) {
    return yield* notReached(reached, title, ms, await problemAt(reached, url, io, signal))
  }
  yield { stage: 'reached', state: 'ok', sentence: `${title} answers`, ms }
  yield { stage: 'encrypted', ...encryption(url, database.tls) }
  if (!isBuiltIn(url)) {
    yield {
      stage: 'login',
      state: 'ok',
      sentence: 'The login of the connection string is accepted',
    }
  }

  const found: Found = await inspect(endpoint, name, io, signal, {})
  const { problem, failure } = found
  if (problem !== undefined) return yield* stopped('version', { problem, failure }, clock())
  const { version = title, role } = found
  const as = role ? `${version}, as ${role}` : version
  yield { stage: 'version', state: 'ok', sentence: as, ms: clock() }

  const listed = await tablesOf(database, limits)
  if ('problem' in listed) return yield* stopped('tables', listed, clock())
  yield { stage: 'tables', ...counted(listed), ms: clock() }
  yield { stage: 'writes', ...(await writing(database, listed, limits)), ms: clock() }
  yield { stage: 'role', ...findingsOf(found) }
  if (found.broken?.length) {
    const count = found.broken.length
    const sentence = `${number(count, 'tool')} of the endpoint’s own cannot be prepared`
    yield { stage: 'tools', state: 'bad', sentence, detail: found.broken.join('\n') }
  }
  return { ...found, tables: listed.total }
}

type Problem = Pick<Diagnosis, 'failure' | 'certificate'> & Required<Pick<Diagnosis, 'problem'>>

/** A stage at which a database stops. What follows cannot be seen; what has no failure was not looked at. */
async function* stopped(
  stage: Seen['stage'],
  { problem, failure, certificate }: Problem,
  ms?: number,
): AsyncGenerator<Seen, Found> {
  yield { stage, state: failure ? 'bad' : 'off', sentence: problem, ms }
  return { problem, ...(failure && { failure }), ...(certificate && { certificate }) }
}

async function openOrProblem(endpoint: Endpoint, name: string, io: CredentialIo) {
  try {
    return { database: await located(endpoint.databases[name]!, io).open() }
  } catch (error) {
    return problemOf(error)
  }
}

/** Why a database does not answer the simplest question, if it does not. */
const reach = (database: Database, limits: TimeLimits): Promise<unknown> =>
  database.query({ sql: 'select 1' }, { ...limits, maxRows: 1, maxBytes: 1_000 }).then(
    () => undefined,
    (error: unknown) => error,
  )

/** Tells at which stage it stopped, going by the error. */
async function* notReached(
  error: unknown,
  title: string,
  ms: number,
  problem: Problem,
): AsyncGenerator<Seen, Found> {
  const { kind, message = '' } = error instanceof DatabaseError ? error : {}
  const stage = kind === 'auth' ? 'login' : TLS.test(message) ? 'encrypted' : 'reached'
  if (stage !== 'reached') {
    yield { stage: 'reached', state: 'ok', sentence: `A ${title} answers at this host`, ms }
  }
  return yield* stopped(stage, problem, stage === 'reached' ? ms : undefined)
}

const TLS = /\bTLS\b|certificate/i

const recognised = (url: string, title: string) =>
  url.startsWith('credential:')
    ? `${title}: the connection string can be read, and its host may be reached`
    : `${title}, by ${url}`

/** Whether a database is reached without a login: it is part of Cloudflare, or of the deployment. */
const isBuiltIn = (url: string) => /^(?:demo|d1|hyperdrive):/.test(url)

function encryption(url: string, tls: boolean | undefined): Pick<Seen, 'state' | 'sentence'> {
  if (tls) return { state: 'ok', sentence: 'The connection is encrypted' }
  if (url.startsWith('hyperdrive:')) {
    return { state: 'ok', sentence: 'Hyperdrive makes the connection, as it is configured there' }
  }
  if (isBuiltIn(url)) return { state: 'ok', sentence: 'No connection leaves Cloudflare' }
  return tls === false
    ? { state: 'low', sentence: 'The connection is not encrypted: the way to it has to be private' }
    : { state: 'low', sentence: 'The connection is encrypted only if the server offers it' }
}

async function tablesOf(database: Database, limits: TimeLimits): Promise<TableList | Problem> {
  try {
    return await listTables(database, { limit: MAX_TABLES, offset: 0, limits })
  } catch (error) {
    return problemOf(error)
  }
}

function counted({ tables, total }: TableList): Pick<Seen, 'state' | 'sentence'> {
  if (total === 0) {
    return {
      state: 'low',
      sentence: 'Its role reads no table: grant it the right to select from some',
    }
  }
  const columns = tables.reduce((sum, it) => sum + it.columnCount, 0)
  const more = total > tables.length ? 'more than ' : ''
  return {
    state: 'ok',
    sentence: `Reads ${number(total, 'table')} with ${more}${number(columns, 'column')}`,
  }
}

const number = (count: number, what: string) =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`

async function writing(
  database: Database,
  { tables }: TableList,
  limits: TimeLimits,
): Promise<Pick<Seen, 'state' | 'sentence' | 'detail'>> {
  const { dialect, refusesBy } = database
  const table = tables.find(({ kind }) => kind === 'table')
  const trials = (await database.tryWrite?.(table, limits)) ?? []
  const how = refusesBy ? `. Statements run ${refusesBy}` : ''
  if (trials.length === 0) {
    const sentence = `Not tried whether it refuses to write: there is no table to try it on${how}`
    return { state: 'off', sentence }
  }
  const detail = trials
    .map(({ statement, said }) => `${statement}\n→ ${said ?? 'It ran.'}`)
    .join('\n')
  if (trials.some(({ refused }) => refused === false)) {
    const sentence = `${dialect.title} ran a statement that writes. Only the guard keeps such statements away`
    return { state: 'bad', sentence, detail }
  }
  if (trials.some(({ refused }) => refused === undefined)) {
    return { state: 'off', sentence: 'It did not answer a statement that writes', detail }
  }
  return { state: 'ok', sentence: `Refuses to write, with the guard passed by${how}`, detail }
}

function findingsOf({
  findings = [],
  note,
  role,
}: Found): Pick<Seen, 'state' | 'sentence' | 'detail'> {
  const high = findings.filter(({ severity }) => severity === 'high').length
  const low = findings.length - high
  if (findings.length === 0) {
    return note
      ? { state: 'low', sentence: 'What its role may do is not known', detail: note }
      : { state: 'ok', sentence: `${role ? 'Its role' : 'It'} may only read` }
  }
  const parts = [high > 0 && number(high, 'high finding'), low > 0 && number(low, 'low finding')]
  return {
    state: high > 0 ? 'bad' : 'low',
    sentence: `Its role may do more than read: ${parts.filter(Boolean).join(' and ')}`,
  }
}

/** Gives the milliseconds since it was asked last. */
function startClock(): () => number {
  let last = Date.now()
  return () => {
    const since = Date.now() - last
    last += since
    return since
  }
}

import {
  certificates,
  type Database,
  DatabaseError,
  doctor,
  type Failure,
  hosts,
  listTables,
  platformOf,
  type Reported,
  type SeenCertificate,
  type TimeLimits,
} from '../database/index.ts'
import { withoutEstimates } from './cost-limit.ts'
import type { CustomToolConfig } from './custom-tool-config.ts'
import { ConfigError, type Endpoint } from './endpoint.ts'
import { type CredentialIo, located, secretUrl } from './open-database.ts'
import { lookAtQuestions } from './question-look.ts'
import { MAX_INSPECTION_MS } from './role-warning.ts'

/** What an operator has to know about a database of an endpoint. Holds no secret and no host. */
export interface Diagnosis extends Partial<Reported> {
  readonly endpoint: string
  readonly database: string
  readonly dialect?: string
  /** Why the database could not be inspected. */
  readonly problem?: string
  /** What kind of a problem that is, and the code of the engine or the vendor. */
  readonly failure?:
    | { readonly kind: Failure | 'internal'; readonly code?: string | undefined }
    | undefined
  /** How many tables and views the role may read, if that was asked. */
  readonly tables?: number
  /** The certificate of its server, if that is the problem. It holds names of hosts. */
  readonly certificate?: SeenCertificate
}

/** A request may hold six connections. */
const MAX_DATABASES_AT_ONCE = 4

/** Inspects every database of these endpoints, and the role that is used there. Changes nothing. */
export async function diagnose(
  endpoints: readonly Endpoint[],
  io: CredentialIo,
  signal?: AbortSignal,
  asked: { readonly tables?: boolean } = {},
): Promise<readonly Diagnosis[]> {
  const all = endpoints.flatMap((endpoint) =>
    Object.keys(endpoint.databases).map((name) => [endpoint, name] as const),
  )
  const diagnoses: Diagnosis[] = []
  const queue = all.entries()
  const work = async () => {
    for (const [i, [endpoint, name]] of queue) {
      const database = { endpoint: endpoint.name, database: name }
      diagnoses[i] = { ...database, ...(await inspect(endpoint, name, io, signal, asked)) }
    }
  }
  await Promise.all(Array.from({ length: MAX_DATABASES_AT_ONCE }, work))
  return diagnoses
}

/** Inspects one database of an endpoint, and the role that is used there. Changes nothing. */
export async function inspect(
  endpoint: Endpoint,
  name: string,
  io: CredentialIo,
  signal: AbortSignal | undefined,
  asked: { readonly tables?: boolean },
) {
  const { databases, caps, tools = [] } = endpoint
  const started = Date.now()
  const config = databases[name]!
  const { inspectRole, unprepared } = await doctor()
  try {
    const found = located(config, io)
    const database = await found.open()
    const timeoutMs = Math.min(caps.timeoutMs, MAX_INSPECTION_MS)
    const about = { dialect: database.dialect.name, tls: database.tls }
    try {
      const { note, ...role } = await inspectRole(database, { timeoutMs, signal })
      const elapsedMs = Date.now() - started
      const customTools = tools.filter(
        (it) => typeof it !== 'string' && (it.database ?? name) === name,
      )
      const brokenTools = await unprepared(database, customTools as CustomToolConfig[], {
        timeoutMs,
        signal,
      })
      const looked = await lookAtQuestions(endpoint, io, { database: name, signal })
      const broken = [
        ...brokenTools,
        ...[...looked].flatMap(([question, problem]) =>
          problem === null ? [] : [`Its question ${question} is not served: ${problem}`],
        ),
      ]
      const notes = [
        config.url !== 'demo:' && note,
        config.role !== undefined &&
          (await loginNote(config.url, io, role.findings, { timeoutMs, signal })),
        caps.cost && !found.estimates?.length && withoutEstimates(found),
      ].filter(Boolean)
      const tables = asked.tables && (await countTables(database, { timeoutMs, signal }))
      const counted = tables !== undefined && tables !== false && { tables }
      const said = { note: notes.join('\n\n') || undefined }
      return { ...about, elapsedMs, ...role, broken, ...counted, ...said }
    } catch (error) {
      return { ...about, ...(await problemAt(error, config.url, io, signal)) }
    }
  } catch (error) {
    return problemOf(error)
  }
}

/** What an operator is told of an error of a database: where that is its certificate, what is wrong with it. */
export async function problemAt(
  error: unknown,
  url: string,
  io: CredentialIo,
  signal: AbortSignal | undefined,
): Promise<Pick<Diagnosis, 'failure' | 'certificate'> & { readonly problem: string }> {
  const told = await problemOf(error)
  if (!(error instanceof DatabaseError) || !/certificate of the database/.test(error.message)) {
    return told
  }
  const { certificateSentence, seeCertificate } = await certificates()
  // A URL may also name no host, or a socket: then variables of the machine say where it leads.
  const server = await secretUrl(url, io)
    .then(serverOf)
    .catch(() => undefined)
  const certificate = server && (await seeCertificate(server, signal))
  if (!certificate) return told
  return {
    ...told,
    problem: `${told.problem} ${certificateSentence(certificate, undefined, platformOf(io.machine))}`,
    certificate,
  }
}

/** Where a server is that is reached by TCP: the first one, where there are several. */
async function serverOf(url: string) {
  const { protocol, hostname, port } = (await hosts()).databaseUrl(url)
  if (hostname === '') return undefined
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (/^postgres(?:ql)?:$/.test(protocol)) {
    return { protocol: 'postgres', host, port: Number(port) || 5432 } as const
  }
  return /^(?:mysql|mariadb):$/.test(protocol)
    ? ({ protocol: 'mysql', host, port: Number(port) || 3306 } as const)
    : undefined
}

/** What an operator is told of an error. */
export async function problemOf(
  error: unknown,
): Promise<Pick<Diagnosis, 'failure'> & { readonly problem: string }> {
  if (error instanceof ConfigError) return { problem: error.message, failure: { kind: 'config' } }
  const { reason } = await doctor()
  const known = error instanceof DatabaseError
  const failure = known ? { kind: error.kind, code: error.code } : { kind: 'internal' as const }
  return { problem: reason(error), failure }
}

const countTables = async (database: Database, limits: TimeLimits): Promise<number> =>
  (await listTables(database, { limit: 1, offset: 0, limits })).total

/** What an operator has to know about the login behind a role: what it may do and its role may not. */
async function loginNote(
  url: string,
  io: CredentialIo,
  ofRole: Reported['findings'],
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  const { inspectRole } = await doctor()
  const { findings } = await inspectRole(await located({ url }, io).open(), limits)
  const kinds = findings
    .filter(({ severity }) => severity === 'high')
    .map(({ kind }) => kind)
    .filter((kind) => !ofRole.some((it) => it.kind === kind))
  if (kinds.length === 0) return undefined
  return `The login that becomes this role has more rights (${kinds.join(', ')}). Use one that has none of its own: only the guard keeps a statement from returning to it.`
}

/** The diagnosis of one database, as a person reads it in a terminal. */
export async function report({ endpoint, database, problem, ...rest }: Diagnosis): Promise<string> {
  const text = problem ?? (await doctor()).reported(rest as Required<Omit<Diagnosis, 'problem'>>)
  return `${endpoint}/${database}: ${text}`
}

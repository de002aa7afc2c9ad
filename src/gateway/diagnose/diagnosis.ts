import {
  type Because,
  type ConnectionReport,
  DatabaseError,
  doctor,
  type Failure,
  hasNoSecret,
  hosts,
  knownScheme,
  listTables,
  type TimeLimits,
} from '../../database/index.ts'
import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import { secretIn } from '../config/endpoint-schema.ts'
import { withoutEstimates } from '../open/cost-limit.ts'
import type { CredentialIo } from '../open/endpoint-database.ts'
import { located, secretUrl, wayTo } from '../open/open-database.ts'
import { MAX_INSPECTION_MS } from '../open/role-warning.ts'
import { lookAtQuestions } from '../questions/question-look.ts'
import { unprepared } from './unprepared.ts'

/** The state of an endpoint's database, for the operator. Contains no secret and no host. */
export interface Diagnosis extends Partial<ConnectionReport> {
  readonly endpoint: string
  readonly database: string
  readonly dialect?: string
  /** The reason that the database could not be inspected. */
  readonly problem?: string
  /** The kind of problem, and its reason if known. */
  readonly failure?: (Because & { readonly kind: Failure | 'internal' }) | undefined
  /** The number of tables and views that the role can read, if requested. */
  readonly tables?: number
  /** If a secret holds its URL and there is a problem: the URL's scheme, and the name of the binding in it. */
  readonly behind?: { readonly scheme: string; readonly binding?: string }
}

/** Fewer than the six connections that one request can hold. */
const MAX_DATABASES_AT_ONCE = 4

/** Inspects every database in these endpoints, and the role that is used there. Changes nothing. */
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
      const found: Partial<Diagnosis> = await inspect(endpoint, name, io, signal, asked)
      const behind = found.problem === undefined ? {} : await behindSecret(endpoint, name, io)
      diagnoses[i] = { endpoint: endpoint.name, database: name, ...found, ...behind }
    }
  }
  await Promise.all(Array.from({ length: MAX_DATABASES_AT_ONCE }, work))
  return diagnoses
}

/** The scheme of a URL that a secret holds. Empty if there is no such URL, or if its use is not allowed here. */
export async function behindSecret(
  { databases }: Endpoint,
  name: string,
  io: CredentialIo,
): Promise<Pick<Diagnosis, 'behind'>> {
  const { url } = databases[name]!
  if (secretIn(url) === undefined) return {}
  const text = await secretUrl(url, io).catch(() => '')
  const [, written = '', rest = ''] = /^\s*([a-z][a-z\d+.-]*):(.*)$/is.exec(text) ?? []
  const scheme = written.toLowerCase()
  if (!knownScheme(scheme)) return {}
  return { behind: { scheme, ...(hasNoSecret(text) && { binding: rest }) } }
}

/** Inspects one database in an endpoint, and the role that is used there. Changes nothing. */
export async function inspect(
  endpoint: Endpoint,
  name: string,
  io: CredentialIo,
  signal: AbortSignal | undefined,
  asked: { readonly tables?: boolean },
) {
  const { databases, caps } = endpoint
  const started = Date.now()
  const config = databases[name]!
  const { inspectRole } = await doctor()
  const limits = { timeoutMs: Math.min(caps.timeoutMs, MAX_INSPECTION_MS), signal }
  try {
    const found = located(config, io)
    const database = await found.open()
    const about = { dialect: database.dialect.name, tls: database.tls }
    try {
      const { note, ...role } = await inspectRole(database, limits)
      const elapsedMs = Date.now() - started
      const broken = await unprepared(database, name, endpoint, limits)
      for (const [question, problem] of await lookAtQuestions(endpoint, io, {
        database: name,
        signal,
      })) {
        if (problem !== null) broken.push(`Its question ${question} is not served: ${problem}`)
      }
      const notes = [
        config.url !== 'demo:' && note,
        config.role !== undefined && (await loginNote(config.url, io, role.findings, limits)),
        caps.cost && !found.estimates?.length && withoutEstimates(found),
      ]
      const said = {
        note: notes.filter(Boolean).join('\n\n') || undefined,
        ...(asked.tables && { tables: (await listTables(database, { limit: 1, limits })).total }),
      }
      return { ...about, elapsedMs, ...role, broken, ...said }
    } catch (error) {
      return { ...about, ...(await problemAt(error, config.url, io, signal)) }
    }
  } catch (error) {
    return problemOf(error)
  }
}

/**
 * The problem behind a database error, for the operator. On a machine, it includes the signer of an untrusted
 * certificate.
 */
export async function problemAt(
  error: unknown,
  url: string,
  io: CredentialIo,
  signal: AbortSignal | undefined,
): Promise<Pick<Diagnosis, 'failure'> & { readonly problem: string }> {
  const told = await problemOf(error)
  const { machine } = wayTo(url, io)
  if (told.failure?.reason !== 'certificate_untrusted' || !machine?.certificate) return told
  // A URL can also have no host, or a socket. Then the machine's environment variables decide which server is meant.
  const server = await secretUrl(url, io)
    .then(serverOf)
    .catch(() => undefined)
  const seen = server && (await machine.certificate(server, signal))
  return seen ? { ...told, problem: `${told.problem} ${seen}` } : told
}

/** The host and port of a server that is reached over TCP: the first one, if there are several. */
async function serverOf(url: string) {
  const { protocol, hostname, port } = (await hosts()).databaseUrl(url)
  if (hostname === '') return undefined
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const known = knownScheme(protocol.slice(0, -1))
  if (!known?.protocol) return undefined
  return { protocol: known.protocol, host, port: Number(port) || known.port }
}

/** The problem behind an error, for the operator. */
export async function problemOf(
  error: unknown,
): Promise<Pick<Diagnosis, 'failure'> & { readonly problem: string }> {
  if (error instanceof ConfigError) {
    const { message, reason, subject } = error
    return { problem: message, failure: { kind: 'config', reason, subject } }
  }
  const { reason } = await doctor()
  const failure =
    error instanceof DatabaseError
      ? { kind: error.kind, reason: error.reason, subject: error.subject }
      : { kind: 'internal' as const }
  return { problem: reason(error), failure }
}

/** A note for the operator about rights that the login has and the role does not. */
async function loginNote(
  url: string,
  io: CredentialIo,
  ofRole: ConnectionReport['findings'],
  limits: TimeLimits,
): Promise<string | undefined> {
  const { inspectRole } = await doctor()
  const { findings } = await inspectRole(await located({ url }, io).open(), limits)
  const kinds = findings
    .filter(({ severity }) => severity === 'high')
    .map(({ kind }) => kind)
    .filter((kind) => !ofRole.some((it) => it.kind === kind))
  if (kinds.length === 0) return undefined
  return `The login that switches to this role has more rights (${kinds.join(', ')}). Use one without rights of its own: only the guard keeps a statement from switching back to it.`
}

/** The diagnosis of one database, as text for a terminal. */
export async function report({ endpoint, database, problem, ...rest }: Diagnosis): Promise<string> {
  const text = problem ?? (await doctor()).reported(rest as Required<Omit<Diagnosis, 'problem'>>)
  return `${endpoint}/${database}: ${text}`
}

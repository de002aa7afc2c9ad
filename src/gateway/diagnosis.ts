import { doctor, type Io, type Reported } from '../database/index.ts'
import type { Curated } from './custom-tool-config.ts'
import { ConfigError, type Endpoint } from './endpoint.ts'
import { located } from './open-database.ts'

/** What an endpoint's operator has to know of one of its databases. Holds no secret, and no host. */
export interface Diagnosis extends Partial<Reported> {
  readonly endpoint: string
  readonly database: string
  readonly dialect?: string
  /** Why it could not be looked at. */
  readonly problem?: string
}

/** How many databases are looked at at once: a request may hold six connections. */
const AT_ONCE = 4

/** What the look at one database may take. */
const PATIENCE_MS = 10_000

/** Looks at every database of these endpoints, and at who they take us for. It only asks. */
export async function diagnose(
  endpoints: readonly Endpoint[],
  io: Io,
  signal?: AbortSignal,
): Promise<readonly Diagnosis[]> {
  const all = endpoints.flatMap((endpoint) =>
    Object.keys(endpoint.databases).map((name) => [endpoint, name] as const),
  )
  const diagnoses: Diagnosis[] = []
  const queue = all.entries()
  const work = async () => {
    for (const [i, [endpoint, name]] of queue) {
      const of = { endpoint: endpoint.name, database: name }
      diagnoses[i] = { ...of, ...(await look(endpoint, name, io, signal)) }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return diagnoses
}

async function look(
  { databases, caps, tools = [] }: Endpoint,
  name: string,
  io: Io,
  signal?: AbortSignal,
) {
  const started = Date.now()
  const { url } = databases[name]!
  const { inspectRole, reason, unprepared } = await doctor()
  try {
    const database = await located(url, io).open()
    const timeoutMs = Math.min(caps.timeoutMs, PATIENCE_MS)
    const about = { dialect: database.dialect.name, tls: database.tls }
    try {
      const { note, ...found } = await inspectRole(database, { timeoutMs, signal })
      const elapsedMs = Date.now() - started
      const own = tools.filter((it) => typeof it !== 'string' && (it.database ?? name) === name)
      const broken = await unprepared(database, own as Curated[], { timeoutMs, signal })
      return { ...about, elapsedMs, ...found, broken, ...(url !== 'demo:' && { note }) }
    } catch (error) {
      return { ...about, problem: reason(error) }
    }
  } catch (error) {
    return { problem: error instanceof ConfigError ? error.message : reason(error) }
  }
}

/** One database as a person reads of it in a terminal. */
export async function report({ endpoint, database, problem, ...it }: Diagnosis): Promise<string> {
  const said = problem ?? (await doctor()).reported(it as Required<Omit<Diagnosis, 'problem'>>)
  return `${endpoint}/${database}: ${said}`
}

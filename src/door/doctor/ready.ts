import type { Context } from 'hono'
import { authorizationIn, isOperator, offersSignIn } from '../../auth/index.ts'
import { inTime } from '../../ground/index.ts'
import { readiness, secretProblem } from '../../registry/index.ts'
import { type App, refuse } from '../admission/admission.ts'
import { deploymentOf } from '../deployment.ts'
import type { Env } from '../env.ts'
import type { Site } from '../sites.ts'
import { inspectionOf, knownSites } from './inspection.ts'

/** Time for which this isolate reuses a result, so frequent probes cost the registry nothing. */
const KEPT_MS = { deployment: 5_000, databases: 30_000 } as const

/** Time limit for all databases together, and the maximum number of endpoints checked. */
const MAX_DATABASES_MS = 10_000
const MAX_ENDPOINTS = 20

/** Time limit for the sign-in storage to respond, and for the disk to store a few bytes. */
const MAX_STORAGE_MS = 3_000

interface ReadinessCheck {
  readonly at: number
  readonly problems: readonly string[]
}

const seen = new WeakMap<Env, Partial<Record<keyof typeof KEPT_MS, ReadinessCheck>>>()

/**
 * Serves `GET /ready`, which reports whether this deployment can serve its stored endpoints. Everyone gets a yes or no.
 * Only the operator sees the reasons, and can also have the databases checked.
 */
export async function showReadiness(c: Context<App>): Promise<Response> {
  const isAdmin = isOperator(c.var.caller)
  const asksDatabases = c.req.query('databases') !== undefined
  if (asksDatabases && !isAdmin) return refuse(c, 401, FOR_THE_OPERATOR, CHALLENGE)
  const deployment = await kept(c.env, 'deployment', () => problemsOf(c.env))
  const databases = asksDatabases
    ? await kept(c.env, 'databases', () => databaseProblems(c.env, c.req.raw.signal))
    : []
  const problems = [...deployment, ...databases]
  const isReady = problems.length === 0
  const status = isReady ? 'ready' : 'not_ready'
  return c.json({ status, ...(isAdmin && { problems }) }, isReady ? 200 : 503, {
    'cache-control': 'no-store',
  })
}

async function kept(
  env: Env,
  what: keyof typeof KEPT_MS,
  look: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const known = seen.get(env)?.[what]
  const age = Date.now() - (known?.at ?? 0)
  // A clock can be set back.
  if (known && age >= 0 && age < KEPT_MS[what]) return known.problems
  const problems = await look()
  seen.set(env, { ...seen.get(env), [what]: { at: Date.now(), problems } })
  return problems
}

/** Finds the problems that keep a deployment from serving, as messages for its operator. */
async function problemsOf(env: Env): Promise<readonly string[]> {
  const { problem } = deploymentOf(env).sites
  return [...(problem === undefined ? [] : [problem]), ...(await storedProblems(env))]
}

/** The problems of storage alone: the disk, the registry and the sign-in storage. */
export async function storedProblems(env: Env, isThorough = false): Promise<readonly string[]> {
  const { registry } = deploymentOf(env)
  const { registryProblems } = await readiness()
  const all = [
    diskProblems(env),
    ...(registry ? [registryProblems(registry, env, isThorough), signInProblems(env)] : []),
  ]
  return (await Promise.all(all)).flat()
}

async function diskProblems({ CHECK_DISK: check }: Env): Promise<readonly string[]> {
  try {
    if (check) await inTime(MAX_STORAGE_MS, check())
    return []
  } catch (error) {
    console.error(error)
    return [DISK]
  }
}

async function signInProblems(env: Env): Promise<readonly string[]> {
  if (!offersSignIn(env) || secretProblem(env.TIDEGATE_SECRET)) return []
  try {
    await inTime(MAX_STORAGE_MS, authorizationIn(env.AUTHORIZATION)('events', { limit: 1 }))
    return []
  } catch (error) {
    console.error(error)
    return [SIGN_INS]
  }
}

async function databaseProblems(env: Env, signal: AbortSignal): Promise<readonly string[]> {
  const deployment = deploymentOf(env)
  const late = AbortSignal.any([signal, AbortSignal.timeout(MAX_DATABASES_MS)])
  try {
    const { sites } = await knownSites(deployment, MAX_ENDPOINTS)
    const active = sites.filter((it) => it.active).slice(0, MAX_ENDPOINTS)
    const looked = inspectionOf(deployment, (it: Site) => it).diagnose(active, late)
    const found = await inTime(MAX_DATABASES_MS, looked)
    return found.flatMap(({ endpoint, database, problem }) =>
      problem === undefined ? [] : [`${endpoint}/${database}: ${problem}`],
    )
  } catch (error) {
    console.error(error)
    return [TOO_SLOW]
  }
}

const FOR_THE_OPERATOR =
  'Only the operator can check the databases: send TIDEGATE_KEY as Authorization: Bearer KEY. /ready alone needs no key.'
const CHALLENGE = { 'www-authenticate': 'Bearer realm="Tidegate"', 'cache-control': 'no-store' }
const DISK =
  'The state cannot be written, most often because its disk is full. Make room on the disk of the state file: the log says more.'
const SIGN_INS =
  'The sign-in storage cannot be read. If this persists, find the reason in the log and restore a backup of the state.'
const TOO_SLOW = `The databases did not all answer within ${MAX_DATABASES_MS / 1000} seconds. Open /doctor for details.`

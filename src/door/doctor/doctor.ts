import type { Context } from 'hono'
import { isOperator, signInFaults } from '../../auth/index.ts'
import { ConfigError, type Diagnosis, diagnosis } from '../../gateway/index.ts'
import { keyProblem } from '../../registry/index.ts'
import { type App, refuse, textOrJson } from '../admission/admission.ts'
import { type Deployment, deploymentOf } from '../deployment.ts'
import { NO_ENDPOINT, UNAVAILABLE } from '../faults.ts'
import type { SiteServers } from '../servers.ts'
import type { Site } from '../sites.ts'
import { inspectionOf, knownSites } from './inspection.ts'
import { storedProblems } from './ready.ts'
import { selfTest, textOf } from './self-test.ts'

/**
 * Serves `GET /doctor` and `/doctor/NAME`, which report whether the databases respond, and which rights their roles
 * have beyond reading.
 */
export async function examine(
  c: Context<App>,
  ask: (request: Request) => Promise<Response>,
): Promise<Response> {
  const deployment = deploymentOf(c.env)
  if (c.req.method !== 'GET') return refuse(c, 405, 'Send a GET.', { allow: 'GET, OPTIONS' })
  const isAll = c.req.path === '/doctor'
  const stored = isAll ? await storedProblems(c.env, true) : []
  const inspected = isAll ? await all(deployment) : one(c.var.sites)
  const { sites, more } = inspected
  const { problem } = deployment.sites
  if (problem && !c.var.sites[0]) return refuse(c, 503, problem)
  if (sites.length === 0) return refuse(c, 404, NO_ENDPOINT)

  const unserved = await Promise.all(sites.map((site) => problemOf(site, deployment.servers)))
  const signIn = isAll ? await signInFaults(c.env) : []
  // The registry's own problems are more useful than the fact that it does not respond.
  const registry = stored.length > 0 ? stored : inspected.problems
  const problems = [...registry, ...signIn, ...unserved.flat()]
  const { report } = await diagnosis()
  const databases = await inspectionOf(deployment, (it: Site) => it).diagnose(
    sites,
    c.req.raw.signal,
  )
  const healthy =
    problems.length === 0 && databases.every(({ problem, broken }) => !problem && !broken?.length)
  // The host checks send about forty requests.
  const isAsked = isAll && c.req.query('hosts') !== 'no'
  const url = `${new URL(c.req.url).origin}/mcp`
  const hosts = isAsked && isOperator(c.var.caller) ? await selfTest(url, ask) : undefined
  const rest = more > 0 ? [`${more} more endpoints: open /doctor/NAME for each.`] : []
  const reports = await Promise.all(databases.map(report))
  const weak = isAll && isOperator(c.var.caller) ? keyProblem(c.env.TIDEGATE_KEY) : undefined
  const warnings = weak ? [weak] : []
  const texts = [...problems, ...reports, ...rest, ...warnings, ...(hosts ? [textOf(hosts)] : [])]
  return textOrJson(
    c,
    healthy ? 200 : 503,
    {
      problems,
      ...(weak && { warnings }),
      databases: databases.map(shown),
      ...(more > 0 && { more }),
      ...(hosts && { hosts }),
    },
    texts.join('\n\n'),
  )
}

/** A diagnosis without the names of bindings, since everyone who can use an endpoint can read it. */
const shown = ({ behind: _, ...rest }: Diagnosis) => rest

/** Maximum number of registry endpoints inspected in one request. */
const MAX_STORED = 20

interface Inspection {
  readonly sites: readonly Site[]
  readonly more: number
  readonly problems: readonly string[]
}

const one = (sites: readonly Site[]): Inspection => ({ sites, more: 0, problems: [] })

/** The endpoints in the configuration, and the first ones in the registry. */
async function all(deployment: Deployment): Promise<Inspection> {
  try {
    return { ...(await knownSites(deployment, MAX_STORED)), problems: [] }
  } catch (error) {
    console.error(error)
    return { sites: deployment.sites.configured, more: 0, problems: [UNAVAILABLE] }
  }
}

async function problemOf(site: Site, servers: SiteServers): Promise<string[]> {
  try {
    await servers.of(site)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return [error.message]
    throw error
  }
}

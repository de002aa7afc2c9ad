import type { Context } from 'hono'
import { type App, refuse, textOrJson } from './admission.ts'
import { isOperator, signInFaults } from './auth/index.ts'
import { type Deployment, deploymentOf, type Site } from './deployment.ts'
import { ConfigError, type Diagnosis, diagnosis } from './gateway/index.ts'
import { inspectionOf } from './inspection.ts'
import { selfTest, textOf } from './self-test.ts'
import { NO_ENDPOINT, UNAVAILABLE } from './visit.ts'

/**
 * Serves `GET /doctor` and `/doctor/NAME`, which tell the operator whether the databases answer and
 * what their roles may do besides reading.
 */
export async function examine(
  c: Context<App>,
  ask: (request: Request) => Promise<Response>,
): Promise<Response> {
  const deployment = deploymentOf(c.env)
  if (c.req.method !== 'GET') return refuse(c, 405, 'Send a GET.', { allow: 'GET, OPTIONS' })
  const inspected = c.req.path === '/doctor' ? await all(deployment) : one(c.var.sites)
  const { sites, more } = inspected
  if (deployment.problem && !c.var.sites[0]) return refuse(c, 503, deployment.problem)
  if (sites.length === 0) return refuse(c, 404, NO_ENDPOINT)

  const unserved = await Promise.all(sites.map((site) => problemOf(site, deployment.server)))
  const signIn = c.req.path === '/doctor' ? await signInFaults(c.env) : []
  const problems = [...inspected.problems, ...signIn, ...unserved.flat()]
  const { report } = await diagnosis()
  const databases = await inspectionOf(deployment).diagnose(sites, c.req.raw.signal)
  const healthy =
    problems.length === 0 && databases.every(({ problem, broken }) => !problem && !broken?.length)
  // It takes some forty requests.
  const isAsked = c.req.path === '/doctor' && c.req.query('hosts') !== 'no'
  const url = `${new URL(c.req.url).origin}/mcp`
  const hosts = isAsked && isOperator(c.var.caller) ? await selfTest(url, ask) : undefined
  const rest = more > 0 ? [`${more} more endpoints: ask /doctor/NAME about each.`] : []
  const reports = await Promise.all(databases.map(report))
  const texts = [...problems, ...reports, ...rest, ...(hosts ? [textOf(hosts)] : [])]
  return textOrJson(
    c,
    healthy ? 200 : 503,
    {
      problems,
      databases: databases.map(shown),
      ...(more > 0 && { more }),
      ...(hosts && { hosts }),
    },
    texts.join('\n\n'),
  )
}

/** A diagnosis without names of hosts: whoever may use an endpoint may read it. */
const shown = ({ certificate: _, ...rest }: Diagnosis) => rest

/** How many endpoints of the registry are inspected at once. */
const MAX_STORED = 20

interface Inspected {
  readonly sites: readonly Site[]
  /** How many endpoints there are besides. */
  readonly more: number
  readonly problems: readonly string[]
}

const one = (sites: readonly Site[]): Inspected => ({ sites, more: 0, problems: [] })

/** The endpoints of the configuration, and the first ones of the registry. */
async function all({ configured, find, registry }: Deployment): Promise<Inspected> {
  try {
    const page = await registry?.('endpoints', { limit: MAX_STORED })
    if (!page) return one(configured)
    const own = configured.map(({ endpoint }) => endpoint.name)
    const names = page.entries.map(({ name }) => name).filter((it) => !own.includes(it))
    const stored = await Promise.all(names.map(async (it) => (await find(it, {})).site))
    const sites = [...configured, ...stored.filter((it) => it !== undefined)]
    return { sites, more: page.total - page.entries.length, problems: [] }
  } catch (error) {
    console.error(error)
    return { sites: configured, more: 0, problems: [UNAVAILABLE] }
  }
}

/** Why an endpoint cannot be served, if it cannot. */
async function problemOf(site: Site, server: (site: Site) => Promise<unknown>): Promise<string[]> {
  try {
    await server(site)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return [error.message]
    throw error
  }
}

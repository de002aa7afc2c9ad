import type { Context } from 'hono'
import { type App, refuse, textOrJson } from './admission.ts'
import { deploymentOf, type Site } from './deployment.ts'
import { ConfigError, diagnosis } from './gateway/index.ts'

/**
 * Serves `GET /doctor` and `/doctor/NAME`, which tell the operator whether the databases answer and
 * what their roles may do besides reading.
 */
export async function examine(c: Context<App>): Promise<Response> {
  const deployment = deploymentOf(c.env)
  const { sites } = c.var
  if (c.req.method !== 'GET') return refuse(c, 405, 'Send a GET.', { allow: 'GET, OPTIONS' })
  if (deployment.problem) return refuse(c, 503, deployment.problem)
  if (sites.length === 0) return refuse(c, 404, `There is no endpoint at ${c.req.path} here.`)

  const problems = (
    await Promise.all(sites.map((site) => problemOf(site, deployment.server)))
  ).flat()
  const { report } = await diagnosis()
  const databases = await deployment.diagnose(sites, c.req.raw.signal)
  const healthy =
    problems.length === 0 && databases.every(({ problem, broken }) => !problem && !broken?.length)
  const texts = [...problems, ...(await Promise.all(databases.map(report)))]
  return textOrJson(c, healthy ? 200 : 503, { problems, databases }, texts.join('\n\n'))
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

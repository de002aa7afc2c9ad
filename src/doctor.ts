import type { Context } from 'hono'
import { authenticate } from './auth/index.ts'
import { deploymentOf, type Env, NO_KEY } from './deployment.ts'
import { ConfigError, type Endpoint, isDemo, report } from './gateway/index.ts'

/**
 * `GET /doctor` and `/doctor/NAME`: whether the databases answer, and what their roles may do besides
 * reading, for the operator. As text, or as JSON for who accepts only that or asks `?format=json`.
 */
export async function doctor(c: Context<{ Bindings: Env }>): Promise<Response> {
  const deployment = deploymentOf(c.env)
  const json =
    c.req.query('format') === 'json' || /^application\/json\b/.test(c.req.header('accept') ?? '')
  const answer = (status: 200 | 401 | 404 | 405 | 503, value: object, text: string, more = {}) =>
    new Response(json ? JSON.stringify(value) : `${text}\n`, {
      status,
      headers: {
        'content-type': `${json ? 'application/json' : 'text/plain'}; charset=utf-8`,
        'cache-control': 'no-store',
        ...more,
      },
    })
  const refuse = (status: 401 | 404 | 405 | 503, problem: string, more = {}) =>
    answer(status, { problem }, problem, more)

  const name = c.req.param('endpoint')
  const endpoints = deployment.endpoints.filter((it) => name === undefined || it.name === name)
  if (!(await authenticate(c.req.raw, c.env))) {
    if (c.env.TIDEGATE_KEY) {
      return refuse(401, 'Send the key as Authorization: Bearer KEY.', {
        'www-authenticate': 'Bearer realm="Tidegate"',
      })
    }
    if (!deployment.endpoints.every(isDemo)) {
      return refuse(503, NO_KEY)
    }
  }
  if (c.req.method !== 'GET') return refuse(405, 'Send a GET.', { allow: 'GET, OPTIONS' })
  if (deployment.problem) return refuse(503, deployment.problem)
  if (endpoints.length === 0) return refuse(404, `There is no endpoint at ${c.req.path} here.`)

  const problems = endpoints.flatMap((endpoint) => problemOf(endpoint, deployment.server))
  const databases = await deployment.diagnose(endpoints, c.req.raw.signal)
  const healthy =
    problems.length === 0 && databases.every(({ problem, broken }) => !problem && !broken?.length)
  return answer(
    healthy ? 200 : 503,
    { problems, databases },
    [...problems, ...(await Promise.all(databases.map(report)))].join('\n\n'),
  )
}

/** Why an endpoint cannot be served, if it cannot. */
function problemOf(endpoint: Endpoint, server: (endpoint: Endpoint) => unknown): string[] {
  try {
    server(endpoint)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return [error.message]
    throw error
  }
}

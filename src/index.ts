import { app } from './app.ts'
import { deploymentOf, type Env } from './deployment.ts'
import { KEPT_MS } from './gateway/index.ts'
import { sessionObject } from './mcp/index.ts'

export { DemoStore } from './database/index.ts'

/** The session of a legacy client with one endpoint. */
export const McpSession = sessionObject<Env>({
  server(env, { url }) {
    const deployment = deploymentOf(env)
    // The Worker has checked that the endpoint exists.
    return deployment.server(deployment.endpoint(url)!, new URL(url).origin)
  },
  seal: (env) => deploymentOf(env).seal,
  namespace: ({ SESSIONS }) => SESSIONS,
  // Stores hold results, and nothing else.
  storeLimits: { idleMs: KEPT_MS },
})

export default app

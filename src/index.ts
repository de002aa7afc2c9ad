import { app } from './app.ts'
import { authorizationObject } from './auth/index.ts'
import { deploymentOf, type Env } from './deployment.ts'
import { KEPT_MS } from './gateway/index.ts'
import { sessionObject } from './mcp/index.ts'
import { admittedSite, orMisconfigured } from './visit.ts'

export { DemoStore } from './database/index.ts'
export { CallRecords, Meter, Registry } from './registry/index.ts'

/** The session of a legacy client with one endpoint. */
export const McpSession = sessionObject<Env>({
  async server(env, request) {
    // The Worker has let this caller in. Meanwhile its key may have been revoked, or the endpoint removed.
    const site = await admittedSite(request, env)
    return deploymentOf(env)
      .server(site, new URL(request.url).origin)
      .catch((error: unknown) => {
        throw orMisconfigured(error)
      })
  },
  seal: (env) => deploymentOf(env).seal,
  namespace: ({ SESSIONS }) => SESSIONS,
  // Stores hold results, and nothing else.
  storeLimits: { idleMs: KEPT_MS },
})

/** The authorization server, at which people sign in. */
export const Authorization = authorizationObject<Env>({
  offers: async (...asked) => (await import('./offers.ts')).offersFor(...asked),
})

export default app

import { authorizationObject } from './auth/index.ts'
import { app } from './door/app.ts'
import { deploymentOf, type Env } from './door/deployment.ts'
import { orMisconfigured } from './door/faults.ts'
import { admittedSite } from './door/refusals.ts'
import { KEPT_MS } from './gateway/index.ts'
import { sessionObject } from './mcp/index.ts'

export { DemoStore } from './database/index.ts'
export { CallRecords, Meter, Registry } from './registry/index.ts'

/** A legacy client's session with one endpoint. */
export const McpSession = sessionObject<Env>({
  async server(env, request) {
    // The Worker has admitted this caller. Since then its key may have been revoked, or the endpoint removed.
    const site = await admittedSite(request, env)
    return deploymentOf(env)
      .servers.of(site, new URL(request.url).origin)
      .catch((error: unknown) => {
        throw orMisconfigured(error)
      })
  },
  seal: (env) => deploymentOf(env).keeping.seal,
  namespace: ({ SESSIONS }) => SESSIONS,
  // Stores contain only results.
  storeLimits: { idleMs: KEPT_MS },
})

/** The authorization server, where people sign in. */
export const Authorization = authorizationObject<Env>({
  offers: async (...asked) => (await import('./door/admission/offers.ts')).offersFor(...asked),
  groupsCount: (env) => deploymentOf(env).groupsCount(),
})

export default app

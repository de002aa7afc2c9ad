import { app } from './app.ts'
import { shownBy } from './auth/index.ts'
import { deploymentOf, type Env } from './deployment.ts'
import { KEPT_MS } from './gateway/index.ts'
import { codes, RpcError, sessionObject } from './mcp/index.ts'

export { DemoStore } from './database/index.ts'
export { CallRecords, Meter, Registry } from './registry/index.ts'

/** The session of a legacy client with one endpoint. */
export const McpSession = sessionObject<Env>({
  async server(env, request) {
    const { pathname, origin } = new URL(request.url)
    const { find, server } = deploymentOf(env)
    // The Worker has let this caller in. Meanwhile the endpoint may have been removed.
    const { site } = await find(pathname.split('/')[2], await shownBy(request, env))
    if (!site) throw new RpcError(codes.invalidRequest, 'This endpoint is gone.')
    return server(site, origin)
  },
  seal: (env) => deploymentOf(env).seal,
  namespace: ({ SESSIONS }) => SESSIONS,
  // Stores hold results, and nothing else.
  storeLimits: { idleMs: KEPT_MS },
})

export default app

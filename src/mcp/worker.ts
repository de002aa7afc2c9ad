import { sessionObject } from './durable/object.ts'
import type { ObjectNamespace } from './durable/object-state.ts'
import { durableSessions, sharedSeal } from './durable/sessions.ts'
import { durableStores } from './durable/stores.ts'
import { durableTasks } from './durable/tasks.ts'
import type { Server } from './features/server.ts'
import { serve } from './http.ts'
import type { StdioOptions } from './stdio.ts'

/**
 * A complete Worker for one MCP server. Its namespace `SESSIONS` holds legacy sessions, tasks and
 * stores. On Node, `npx tidegate run` serves it over stdio.
 *
 * @example
 *
 * ```ts
 * const mcp = worker(() => server)
 * export const { McpSession } = mcp
 * export default mcp
 * ```
 *
 * @param build Makes the server, or finds the one for a request. Over stdio there is no request.
 */
export function worker<Env extends { readonly SESSIONS: ObjectNamespace }>(
  build: (env: Env, request?: Request) => Server,
) {
  let kept: ReturnType<typeof keptIn> | undefined
  const keptOf = ({ SESSIONS }: Env) => (kept ??= keptIn(SESSIONS))
  return {
    McpSession: sessionObject<Env>({
      server: build,
      seal: (env) => keptOf(env).seal,
      namespace: (env) => env.SESSIONS,
    }),
    fetch(request: Request, env: Env): Promise<Response> {
      return serve(request, { ...keptOf(env), server: build(env, request) })
    },
    /** Options for `serveStdio`. */
    stdio: (env: Env): StdioOptions => ({ ...keptOf(env), server: build(env) }),
  }
}

function keptIn(namespace: ObjectNamespace) {
  const seal = sharedSeal(namespace)
  return {
    seal,
    sessions: durableSessions(namespace, seal),
    tasks: durableTasks(namespace, seal),
    stores: durableStores(namespace, seal),
  }
}

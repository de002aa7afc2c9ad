import { sessionObject } from './durable/object.ts'
import type { ObjectNamespace } from './durable/object-state.ts'
import { durableSessions, sharedSeal } from './durable/sessions.ts'
import { durableStores } from './durable/stores.ts'
import { durableTasks } from './durable/tasks.ts'
import type { Server } from './features/server.ts'
import { serve } from './http.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Seal } from './state/seal.ts'
import type { Stores } from './state/stores.ts'
import type { Tasks } from './state/tasks.ts'
import type { StdioOptions } from './stdio.ts'

/**
 * A complete Worker for one MCP server. Its namespace `SESSIONS` holds legacy sessions, tasks and
 * stores. On Node, `npx tidegate run` serves it by a pipe.
 *
 * @example
 *
 * ```ts
 * const mcp = worker(() => server)
 * export const { McpSession } = mcp
 * export default mcp
 * ```
 *
 * @param build Makes the server, or finds the one that a request is for. By a pipe there is no request.
 */
export function worker<Env extends { readonly SESSIONS: ObjectNamespace }>(
  build: (env: Env, request?: Request) => Server,
) {
  let seal: Seal | undefined
  let sessions: Sessions | undefined
  let kept: { readonly tasks: Tasks; readonly stores: Stores; readonly seal: Seal } | undefined
  const sealOf = ({ SESSIONS }: Env) => (seal ??= sharedSeal(SESSIONS))
  const keptIn = (env: Env) => {
    const own = sealOf(env)
    kept ??= {
      tasks: durableTasks(env.SESSIONS, own),
      stores: durableStores(env.SESSIONS, own),
      seal: own,
    }
    return kept
  }
  return {
    McpSession: sessionObject<Env>({
      server: build,
      seal: sealOf,
      namespace: (env) => env.SESSIONS,
    }),
    fetch(request: Request, env: Env): Promise<Response> {
      sessions ??= durableSessions(env.SESSIONS, sealOf(env))
      return serve(request, { ...keptIn(env), server: build(env, request), sessions })
    },
    /** What `serveStdio` needs. */
    stdio: (env: Env): StdioOptions => ({ ...keptIn(env), server: build(env) }),
  }
}

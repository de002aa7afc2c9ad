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

/**
 * A complete Worker for one MCP server. Its namespace `SESSIONS` holds legacy sessions, tasks and
 * stores.
 *
 * @example
 *
 * ```ts
 * const mcp = worker(() => server)
 * export const { McpSession } = mcp
 * export default mcp
 * ```
 */
export function worker<Env extends { readonly SESSIONS: ObjectNamespace }>(
  build: (env: Env) => Server,
) {
  let seal: Seal | undefined
  let sessions: Sessions | undefined
  let tasks: Tasks | undefined
  let stores: Stores | undefined
  const sealOf = ({ SESSIONS }: Env) => (seal ??= sharedSeal(SESSIONS))
  return {
    McpSession: sessionObject<Env>({
      server: build,
      seal: sealOf,
      namespace: (env) => env.SESSIONS,
    }),
    fetch(request: Request, env: Env): Promise<Response> {
      sessions ??= durableSessions(env.SESSIONS, sealOf(env))
      tasks ??= durableTasks(env.SESSIONS, sealOf(env))
      stores ??= durableStores(env.SESSIONS, sealOf(env))
      return serve(request, { server: build(env), sessions, tasks, stores, seal: sealOf(env) })
    },
  }
}

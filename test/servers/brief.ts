// The everything example with short time limits, and a URL that shows what its objects store. It is for
// test/mcp/state/tasks.test.ts, test/mcp/state/store.test.ts, bench/sessions.mjs

import { serverIn } from '../../examples/everything/server.ts'
import {
  durableSessions,
  durableStores,
  durableTasks,
  serve,
  sessionLimits,
  sessionObject,
  sharedSeal,
  storeLimits,
} from '../../src/mcp/index.ts'

interface Env {
  readonly SESSIONS: DurableObjectNamespace
}

const Ours = sessionObject<Env>({
  server: serverIn,
  seal: ({ SESSIONS }) => sharedSeal(SESSIONS),
  namespace: ({ SESSIONS }) => SESSIONS,
  limits: { ...sessionLimits, idleMs: 20_000 },
  taskLimits: { ttlMs: 2_000, pollIntervalMs: 100 },
  storeLimits: { ...storeLimits, idleMs: 2_000 },
})

export class McpSession extends Ours {
  readonly #storage: DurableObjectStorage

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    this.#storage = state.storage
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/stored') return super.fetch(request)
    const rows = [...this.#storage.kv.list()].length
    return Response.json({ rows, alarm: await this.#storage.getAlarm() })
  }
}

export default {
  fetch(request: Request, env: Env) {
    const { SESSIONS } = env
    const { pathname, searchParams } = new URL(request.url)
    const seal = sharedSeal(SESSIONS)
    if (pathname !== '/stored') {
      return serve(request, {
        ...{ server: serverIn(env), seal },
        sessions: durableSessions(SESSIONS, seal),
        tasks: durableTasks(SESSIONS, seal),
        stores: durableStores(SESSIONS, seal),
      })
    }
    return SESSIONS.get(SESSIONS.idFromName(searchParams.get('name') ?? '')).fetch(request)
  },
}

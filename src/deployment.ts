import { waitUntil } from 'cloudflare:workers'
import {
  assertCustomTools,
  ConfigError,
  type Diagnosis,
  type Document,
  diagnosis,
  type Endpoint,
  gateway,
  isDemo,
  readDocument,
  readEndpoints,
  type Settings,
} from './gateway/index.ts'
import {
  durableChanges,
  durableSessions,
  durableStores,
  type Seal,
  type Server,
  type Sessions,
  sealWith,
  sharedSeal,
} from './mcp/index.ts'

/** Variables, secrets and bindings of the Worker, also the secrets that endpoints name. */
export interface Env extends Settings {
  /** The key that callers send as `Authorization: Bearer`. */
  readonly TIDEGATE_KEY?: string
  /** Origins of web pages that may use public endpoints, separated by spaces. */
  readonly ORIGINS?: string
  /** If set, clients of `2024-11-05` may use its HTTP+SSE transport, at `/sse`. */
  readonly LEGACY_SSE?: string
  readonly DEMO: DurableObjectNamespace
  readonly SESSIONS: DurableObjectNamespace
}

/** What a deployment serves. Made once in each isolate. */
export interface Deployment {
  readonly endpoints: readonly Endpoint[]
  readonly origins: readonly string[]
  readonly sessions: Sessions
  readonly seal: Seal
  /** Why nothing can be served, for the operator to read. */
  readonly problem: string | undefined
  /** The endpoint at a URL: the first at `/mcp`, each at `/mcp/NAME`. */
  endpoint(url: string): Endpoint | undefined
  /** The MCP server of an endpoint at this origin. Throws ConfigError. */
  server(endpoint: Endpoint, origin?: string): Promise<Server>
  /** A row of a table that may be searched. Throws ConfigError. */
  document(endpoint: Endpoint, id: string, request: Request): Promise<Document | undefined>
  /** Inspects the databases of these endpoints. */
  diagnose(endpoints: readonly Endpoint[], signal: AbortSignal): Promise<readonly Diagnosis[]>
}

/** The error of a deployment that would otherwise open a database to everybody. */
export const NO_KEY =
  'This deployment has a database but no key, so it does not serve it. Set one with: npx wrangler secret put TIDEGATE_KEY'

const deployments = new WeakMap<Env, Deployment>()

export function deploymentOf(env: Env): Deployment {
  let deployment = deployments.get(env)
  if (!deployment) {
    deployment = buildDeployment(env)
    deployments.set(env, deployment)
  }
  return deployment
}

function buildDeployment(env: Env): Deployment {
  const servers = new Map<string, Promise<Server>>()
  const io = {
    fetch: (...args: Parameters<typeof fetch>) => fetch(...args),
    bindings: { ...env },
    waitUntil,
  }
  // What was sealed with an old key cannot be opened with a new one.
  const seal = env.TIDEGATE_KEY ? sealWith(env.TIDEGATE_KEY) : sharedSeal(env.SESSIONS)
  const stores = durableStores(env.SESSIONS, seal)
  const { endpoints, problem } = configured(env)
  return {
    endpoints,
    problem,
    seal,
    sessions: durableSessions(env.SESSIONS, seal),
    origins: env.ORIGINS?.split(/[\s,]+/).filter(Boolean) ?? [],
    endpoint(url) {
      const name = /^\/mcp\/([^/]+)\/?$/.exec(new URL(url).pathname)?.[1]
      return name === undefined ? endpoints[0] : endpoints.find((it) => it.name === name)
    },
    server(endpoint, origin = '') {
      // The results of a search contain this origin.
      const key = endpoint.search ? `${endpoint.name} ${origin}` : endpoint.name
      const known = servers.get(key)
      if (known) return known
      // The demo never changes. For a server that may change, hosts hold a stream open.
      const carrier = isDemo(endpoint)
        ? undefined
        : durableChanges(() => env.SESSIONS, `hub:${endpoint.name}`)
      const server = assertCustomTools(endpoint, io).then(() =>
        gateway(endpoint, io, { keeping: { stores, seal }, carrier, origin }),
      )
      if (servers.size >= MAX_SERVERS) servers.clear()
      servers.set(key, server)
      // A fault of the configuration stays. After any other the next request tries again.
      server.catch((error: unknown) => error instanceof ConfigError || servers.delete(key))
      return server
    },
    document: (endpoint, id, { url, signal }) =>
      readDocument(endpoint, io, id, new URL(url).origin, signal),
    diagnose: async (endpoints, signal) => (await diagnosis()).diagnose(endpoints, io, signal),
  }
}

/** How many servers are kept. An endpoint with a search has one for each origin. */
const MAX_SERVERS = 1_000

function configured(env: Env): Pick<Deployment, 'endpoints' | 'problem'> {
  try {
    return { endpoints: readEndpoints(env), problem: undefined }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { endpoints: [], problem: error.message }
  }
}

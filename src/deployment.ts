import {
  ConfigError,
  type Endpoint,
  gateway,
  readEndpoints,
  type Settings,
} from './gateway/index.ts'
import {
  durableSessions,
  type Seal,
  type Server,
  type Sessions,
  sealWith,
  sharedSeal,
} from './mcp/index.ts'

/** Variables, secrets and bindings of the Worker. Secrets that endpoints name are among them. */
export interface Env extends Settings {
  /** What callers show as `Authorization: Bearer`. */
  readonly TIDEGATE_KEY?: string
  /** Origins of web pages that may use public endpoints, separated by spaces. */
  readonly ORIGINS?: string
  /** If set, clients of `2024-11-05` may use its HTTP+SSE transport, at `/sse`. */
  readonly LEGACY_SSE?: string
  readonly DEMO: DurableObjectNamespace
  readonly SESSIONS: DurableObjectNamespace
}

/** What a deployment serves, worked out once for as long as its Worker lives. */
export interface Deployment {
  readonly endpoints: readonly Endpoint[]
  readonly origins: readonly string[]
  readonly sessions: Sessions
  readonly seal: Seal
  /** Why nothing can be served, for the operator to read. */
  readonly problem: string | undefined
  /** The endpoint at a URL: the first at `/mcp`, each at `/mcp/NAME`. */
  endpoint(url: string): Endpoint | undefined
  /** The MCP server of an endpoint. Throws ConfigError. */
  server(endpoint: Endpoint): Server
}

const deployments = new WeakMap<Env, Deployment>()

export function deploymentOf(env: Env): Deployment {
  let deployment = deployments.get(env)
  if (!deployment) {
    deployment = read(env)
    deployments.set(env, deployment)
  }
  return deployment
}

function read(env: Env): Deployment {
  const servers = new Map<Endpoint, Server>()
  const io = {
    fetch: (...args: Parameters<typeof fetch>) => fetch(...args),
    bindings: { ...env },
  }
  // With a new key, nothing that was sealed for callers of the old one opens any more.
  const seal = env.TIDEGATE_KEY ? sealWith(env.TIDEGATE_KEY) : sharedSeal(env.SESSIONS)
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
    server(endpoint) {
      const server = servers.get(endpoint) ?? gateway(endpoint, io)
      servers.set(endpoint, server)
      return server
    },
  }
}

function configured(env: Env): Pick<Deployment, 'endpoints' | 'problem'> {
  try {
    return { endpoints: readEndpoints(env), problem: undefined }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { endpoints: [], problem: error.message }
  }
}

import { deploymentOf, type Env } from '../door/deployment.ts'
import { ConfigError } from '../gateway/index.ts'
import type { StdioOptions } from '../mcp/index.ts'
import { arrived } from './arrived.ts'
import { openWorker, type WorkerOptions } from './worker.ts'

/** Options for a gateway on this machine: `variables` are `ENDPOINTS`, `DATABASE_URL`, `TIDEGATE_KEY`. */
export type GatewayOptions = WorkerOptions

/** A request's sender, as known to the server that received the request. */
export interface Sender {
  /** The IP address. Callers without a key are counted by it; if omitted, they count as one. */
  readonly address?: string | undefined
}

/** A gateway that runs in this process. */
export interface Gateway {
  /**
   * Answers a request over HTTP, with the same routes as a Worker. Headers that describe its sender, such as
   * `X-Forwarded-For`, are dropped.
   */
  fetch(request: Request, from?: Sender): Promise<Response>
  /** An endpoint's server (the first one's by default), with the other options that `serveStdio` needs. */
  stdio(name?: string): Promise<Pick<StdioOptions, 'server' | 'stores' | 'seal'>>
  /** The problem with its variables that prevents serving, as a message; undefined if there is none. */
  problem(): string | undefined
  /** Ends background work, and closes connections and stores. */
  close(): Promise<void>
}

/** Opens a gateway on this machine. Throws {@link ConfigError}. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { default: app, ...classes } = await import('../index.ts')
  const { env, close } = openWorker(kindsOf(classes), options)
  const bound = env as unknown as Env
  return {
    fetch: async (request, from) => app.fetch(arrived(request, from?.address), bound),
    async stdio(name) {
      // Messages over stdio must not refer to a page.
      const machine = { ...env.MACHINE, platform: 'stdio' as const }
      const { keeping, servers, sites } = deploymentOf({ ...bound, MACHINE: machine })
      const { site } = await sites.find(name, {})
      if (site?.active) return { server: await servers.of(site), ...keeping }
      throw new ConfigError(sites.problem ?? `There is no endpoint${name ? ` ${name}` : ''} here.`)
    },
    problem: () => deploymentOf(bound).sites.problem,
    close,
  }
}

/** The gateway's objects by binding, as in wrangler.toml. */
export const kindsOf = (classes: Omit<typeof import('../index.ts'), 'default'>) => ({
  DEMO: { made: classes.DemoStore, hasTables: true },
  // Sessions, tasks and stored results have random names. Other objects are shared by everyone.
  SESSIONS: { made: classes.McpSession, hasTables: false, forgettable: /^[0-9a-f]{32}$/ },
  REGISTRY: {
    made: classes.Registry,
    hasTables: true,
    looks: (_: string, [request]: readonly unknown[]) =>
      request instanceof Request && new URL(request.url).pathname === '/lookup',
  },
  // One for each caller, and strangers can create many. They do not affect permissions, and each call uses them.
  METER: { made: classes.Meter, hasTables: false, mayLoseLast: true, forgettable: /^/ },
  RECORDS: { made: classes.CallRecords, hasTables: true },
  AUTHORIZATION: {
    made: classes.Authorization,
    hasTables: true,
    looks: (_: string, [order]: readonly unknown[]) => order === 'granted',
  },
})

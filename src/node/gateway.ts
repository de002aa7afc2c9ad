import { deploymentOf, type Env } from '../deployment.ts'
import { ConfigError } from '../gateway/index.ts'
import type { StdioOptions } from '../mcp/index.ts'
import { openWorker, type WorkerOptions } from './worker.ts'

/** What a gateway on this machine is opened with: `variables` are `ENDPOINTS`, `DATABASE_URL`, `TIDEGATE_KEY`. */
export type GatewayOptions = WorkerOptions

/** A gateway that runs in this process. */
export interface Gateway {
  /** Answers a request over HTTP, by the same routes as a Worker. */
  fetch(request: Request): Promise<Response>
  /** The server of an endpoint, of the first one if none is named, and what `serveStdio` needs beside it. */
  stdio(name?: string): Promise<Pick<StdioOptions, 'server' | 'stores' | 'seal'>>
  /** What keeps its variables from being served, in sentences; undefined if nothing does. */
  problem(): string | undefined
  /** Ends what works in the background, closes connections, and what is kept. */
  close(): Promise<void>
}

/** Opens a gateway on this machine. Throws {@link ConfigError}. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { default: app, ...classes } = await import('../index.ts')
  const { env, close } = openWorker(kindsOf(classes), options)
  const bound = env as unknown as Env
  return {
    fetch: async (request) => app.fetch(request, bound),
    async stdio(name) {
      // What is said there may name no page.
      const machine = { ...env.MACHINE, platform: 'stdio' as const }
      const { find, keeping, problem, server } = deploymentOf({ ...bound, MACHINE: machine })
      const { site } = await find(name, {})
      if (site?.active) return { server: await server(site), ...keeping }
      throw new ConfigError(problem ?? `There is no endpoint${name ? ` ${name}` : ''} here.`)
    },
    problem: () => deploymentOf(bound).problem,
    close,
  }
}

/** The objects of the gateway by their bindings, as in wrangler.toml. */
export const kindsOf = (classes: Omit<typeof import('../index.ts'), 'default'>) => ({
  DEMO: { made: classes.DemoStore, hasTables: true },
  // Sessions, tasks and kept results have random names; the others are shared by all.
  SESSIONS: { made: classes.McpSession, hasTables: false, forgettable: /^[0-9a-f]{32}$/ },
  REGISTRY: { made: classes.Registry, hasTables: true },
  // One for each caller: strangers can have many.
  METER: { made: classes.Meter, hasTables: true, mayBeLost: true },
  RECORDS: { made: classes.CallRecords, hasTables: true },
  AUTHORIZATION: { made: classes.Authorization, hasTables: true },
})

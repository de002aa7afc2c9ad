import { createTestHarness, experimental_readRawConfig } from 'wrangler'
import { noVars } from './no-vars.ts'
import { onNode, onPackage, onStdio, startNodeWorker } from './node-worker.ts'
import { startPackedWorker } from './packed-worker.ts'
import { startStdioWorker } from './stdio-worker.ts'

// Tests do not need the location of a request, and wrangler would fetch it over the network.
process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false'

/** A database for statements without tables. Node has no database bindings. */
export const anySqlite = onNode ? 'demo:' : 'd1:TEST_DB'

/** The real Worker in workerd, on a separate port. */
export interface RunningWorker {
  readonly url: string
  /** Its log so far. */
  logs(): string[]
  /** Its bindings. */
  env(): Promise<Cloudflare.Env>
  /** Its D1 database with this name. */
  d1(binding: string): Promise<D1Database>
  /** Stops it, on Node with this signal. */
  close(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Starts the Worker, or the same on Node, with these secrets and without those of the machine. It has empty D1
 * databases with these names, and Hyperdrive bindings to these URLs.
 */
export async function startWorker(
  secrets: Record<string, string> = {},
  configPath = './wrangler.toml',
  d1: readonly string[] = [],
  hyperdrive: Record<string, string> = {},
): Promise<RunningWorker> {
  if (onNode) {
    const unbound = async () =>
      Promise.reject(new Error('Only a Worker has databases as bindings.'))
    const start = onPackage ? startPackedWorker : onStdio ? startStdioWorker : startNodeWorker
    return { ...(await start(secrets)), d1: unbound }
  }
  const given = { secrets: { ...noVars, ...secrets } }
  const databases = d1.map((binding) => ({ binding, database_id: binding }))
  const { rawConfig } = experimental_readRawConfig({ config: configPath })
  const pools = Object.entries(hyperdrive).map(([binding, localConnectionString]) => {
    return { binding, id: '0'.repeat(32), localConnectionString }
  })
  // `npm test` has already built it, and no test changes the sources.
  const isBuilt = configPath === './wrangler.toml' && process.env.TIDEGATE_BUILT
  const built = isBuilt ? { build: {} } : {}
  const config = { ...rawConfig, ...built, d1_databases: databases, hyperdrive: pools }
  const isOwn = isBuilt || d1.length > 0 || pools.length > 0
  const harness = createTestHarness({
    workers: [isOwn ? { config, ...given } : { configPath, ...given }],
  })
  const { url } = await harness.listen()
  return {
    url: url.origin,
    logs: () => harness.getLogs().map(({ message }) => message),
    env: () => harness.getWorker<Cloudflare.Env>().getEnv(),
    d1: async (binding) =>
      (await harness.getWorker<Record<string, D1Database>>().getEnv())[binding]!,
    close: () => harness.close(),
  }
}

/** Sends a JSON-RPC request over plain HTTP, like curl. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  const json = (): any => JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

/** Calls a tool over HTTP and returns its result. */
export async function callTool(
  url: string,
  name: string,
  args: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const params = { name, arguments: args }
  const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
  const { result, error } = answer.json()
  if (error) throw new Error(`${answer.status} ${error.code} ${error.message}`)
  return result
}

/** Starts a legacy session over HTTP, and returns a function that sends messages in it. */
export async function openSession(url: string, headers: Record<string, string> = {}) {
  const protocolVersion = '2025-06-18'
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion, capabilities: {}, clientInfo }
  const opened = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers)
  const session = {
    ...headers,
    'mcp-session-id': opened.headers.get('mcp-session-id')!,
    'mcp-protocol-version': protocolVersion,
  }
  const send = (message: object) => post(url, { jsonrpc: '2.0', ...message }, session)
  await send({ method: 'notifications/initialized' })
  return send
}

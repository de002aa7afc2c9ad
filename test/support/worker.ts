import { createTestHarness } from 'wrangler'

// Where a request comes from is nothing that tests ask, and wrangler would ask the network.
process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false'

/** The real Worker in workerd, on a port of its own. */
export interface RunningWorker {
  readonly url: string
  /** What it has logged so far. */
  logs(): string[]
  close(): Promise<void>
}

/** Starts the Worker with these secrets, and with none of those of the machine it runs on. */
export async function startWorker(
  secrets: Record<string, string> = {},
  configPath = './wrangler.toml',
): Promise<RunningWorker> {
  const none = { DATABASE_URL: '', ENDPOINTS: '', TIDEGATE_KEY: '', ORIGINS: '', LEGACY_SSE: '' }
  const harness = createTestHarness({
    workers: [{ configPath, secrets: { ...none, ...secrets } }],
  })
  const { url } = await harness.listen()
  const logs = () => harness.getLogs().map(({ message }) => message)
  return { url: url.origin, logs, close: () => harness.close() }
}

/** A JSON-RPC request by plain HTTP, as curl would send it. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
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

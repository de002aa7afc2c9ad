import { unstable_startWorker } from 'wrangler'
import { onNode, onStdio, startNodeWorker } from './node-worker.ts'
import { startStdioWorker } from './stdio-worker.ts'
import type { RunningWorker } from './worker.ts'

/**
 * Starts the Worker like `startWorker`, but without logs, and with its own outgoing requests. With
 * `startWorker`, the test process sends them, does not see aborts, and keeps the responses in memory.
 */
export async function startDirectWorker(
  secrets: Record<string, string>,
): Promise<Pick<RunningWorker, 'url' | 'close'>> {
  if (onStdio) return startStdioWorker(secrets)
  if (onNode) return startNodeWorker(secrets)
  const none = { DATABASE_URL: '', ENDPOINTS: '', TIDEGATE_KEY: '', ORIGINS: '', LEGACY_SSE: '' }
  const bindings = Object.entries({ ...none, ...secrets }).map(
    ([name, value]) => [name, { type: 'secret_text', value }] as const,
  )
  const server = { hostname: '127.0.0.1', port: 0 }
  const worker = await unstable_startWorker({
    config: './wrangler.toml',
    bindings: Object.fromEntries(bindings),
    dev: { server, logLevel: 'none', watch: false, persist: false, inspector: false },
  })
  const { origin } = await worker.url
  return { url: origin, close: () => worker.dispose() }
}

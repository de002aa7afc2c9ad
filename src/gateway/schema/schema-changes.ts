import { DatabaseError, fingerprint } from '../../database/index.ts'
import type { Changes } from '../../mcp/index.ts'
import type { Endpoint } from '../config/endpoint.ts'
import type { EndpointDatabase } from '../open/endpoint-database.ts'

/** Schema changes, for clients that subscribed to them. */
export interface SchemaChanges extends Changes {
  /** Compares a schema with its last version, at most once a minute. It never fails. */
  compare(database: string, signal: AbortSignal): Promise<void>
}

/** Minimum time between two comparisons of a schema, however often it is read. */
const COMPARE_MS = 60_000

/**
 * The interval at which a schema is compared while a client watches one of its resources. Clients that only
 * listen for list changes cause no queries, which would keep a serverless database awake.
 */
const WATCH_MS = 5 * 60_000

/**
 * Announces schema changes through `carrier`. Databases do not report them, so the schema's fingerprint is compared
 * when the schema is read, and regularly while a client watches one of its resources.
 */
export function schemaChanges(
  { caps }: Endpoint,
  databases: ReadonlyMap<string, EndpointDatabase>,
  carrier: Changes,
): SchemaChanges {
  const seen = new Map<string, { readonly version: string; readonly at: number }>()

  async function compare(name: string, signal: AbortSignal): Promise<void> {
    const last = seen.get(name)
    if (last && Date.now() - last.at < COMPARE_MS) return
    const { rows: maxRows, bytes: maxBytes, timeoutMs } = caps
    try {
      const limits = { maxRows, maxBytes, timeoutMs, signal }
      // Opened for nobody, because the catalog is the same for all callers. It does not depend on claims.
      const version = await fingerprint(await databases.get(name)!.open(), limits)
      if (version !== last?.version) {
        await carrier.publish({ kind: 'tree', uri: `schema://${name}`, version })
      }
      seen.set(name, { version, at: Date.now() })
    } catch (error) {
      // Callers who read the schema get this error themselves.
      if (!(error instanceof DatabaseError)) console.error(error)
    }
  }

  async function watch(name: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await compare(name, signal)
      await pause(signal)
    }
  }

  return {
    ...carrier,
    lists: ['resources'],
    compare,
    async listen(listener, signal, filter) {
      await carrier.listen(listener, signal, filter)
      for (const name of databases.keys()) {
        const within = (uri: string) => `${uri}/`.startsWith(`schema://${name}/`)
        if (filter?.resourceSubscriptions?.some(within)) void watch(name, signal)
      }
    },
  }
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, WATCH_MS)
    const stop = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
  })

import { DatabaseError, fingerprint, type Located } from '../database/index.ts'
import type { Changes } from '../mcp/index.ts'
import type { Endpoint } from './endpoint.ts'

/** News of schemas, for those who subscribed to them. */
export interface SchemaChanges extends Changes {
  /** Compares a schema with what it was, at most once a minute. It never fails. */
  look(database: string, signal: AbortSignal): Promise<void>
}

/** A schema is looked at no more often than this, however often it is read. */
const LOOK_MS = 60_000

/**
 * And so often while a client watches a resource of it. A database that sleeps when nobody asks is
 * not kept awake by clients that listen for changes of lists alone.
 */
const WATCH_MS = 5 * 60_000

/**
 * Tells by `carrier` that a schema changed. Nobody says when it does: its fingerprint is compared
 * when somebody reads it, and from time to time while a client watches one of its resources.
 */
export function schemaChanges(
  { caps }: Endpoint,
  databases: ReadonlyMap<string, Located>,
  carrier: Changes,
): SchemaChanges {
  const seen = new Map<string, { readonly version: string; readonly at: number }>()

  async function look(name: string, signal: AbortSignal): Promise<void> {
    const last = seen.get(name)
    if (last && Date.now() - last.at < LOOK_MS) return
    const { rows: maxRows, bytes: maxBytes, timeoutMs } = caps
    try {
      const limits = { maxRows, maxBytes, timeoutMs, signal }
      const version = await fingerprint(await databases.get(name)!.open(), limits)
      if (version !== last?.version) {
        await carrier.publish({ kind: 'tree', uri: `schema://${name}`, version })
      }
      seen.set(name, { version, at: Date.now() })
    } catch (error) {
      // Readers are told that a database does not answer.
      if (!(error instanceof DatabaseError)) console.error(error)
    }
  }

  async function watch(name: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await look(name, signal)
      await pause(signal)
    }
  }

  return {
    ...carrier,
    lists: ['resources'],
    look,
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

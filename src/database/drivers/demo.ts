import { type Database, DatabaseError, type Driver, type Io, type Limits } from '../database.ts'
import type { DemoAnswer, DemoQuery } from '../demo/demo-store.ts'
import { sqlite } from '../dialects/sqlite.ts'

/** Opens `demo:`, the shop that every deployment has without an account anywhere. */
export const demo: Driver = {
  name: 'demo',
  opens: (url) => url.protocol === 'demo:',
  open: (_url, io): Database => ({
    dialect: sqlite,
    async query({ sql, params = [] }, limits) {
      const { maxRows, maxBytes } = limits
      const started = performance.now()
      const answer = await ask({ sql, params, maxRows, maxBytes }, limits, io)
      return { ...answer, elapsedMs: performance.now() - started }
    },
  }),
}

async function ask(query: DemoQuery, { timeoutMs, signal }: Limits, { bindings }: Io) {
  const { DEMO: namespace } = bindings as { DEMO?: DurableObjectNamespace }
  if (!namespace) {
    throw new DatabaseError(
      'config',
      'This deployment has no demo database: bind the Durable Object class DemoStore as DEMO.',
    )
  }
  const timeout = AbortSignal.timeout(timeoutMs)
  const answer = await namespace
    .get(namespace.idFromName('store'))
    .fetch('https://demo/', {
      method: 'POST',
      body: JSON.stringify(query),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    .then((response) => response.json<DemoAnswer>())
    .catch(() => {
      if (timeout.aborted) {
        throw new DatabaseError('timeout', `The query took longer than ${timeoutMs} ms.`)
      }
      if (signal?.aborted) throw new DatabaseError('timeout', 'The query was given up.')
      throw new DatabaseError('network', 'The demo database failed: try again.')
    })
  if ('error' in answer) {
    const { kind, message, ...details } = answer.error
    throw new DatabaseError(kind, message, details)
  }
  return answer
}

import type { Driver, Io, UnguardedDatabase } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import type { QueryContext } from '../rows.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { startDeadline } from '../transport/deadline.ts'
import type { DemoQuery } from './read.ts'
import type { DemoAnswer } from './shop.ts'

/** Opens `demo:`, the shop that every deployment has without any account. */
export const demo: Driver = {
  name: 'demo',
  opens: (url) => url.protocol === 'demo:',
  open: (_url, io): UnguardedDatabase => ({
    dialect: { ...sqlite, joining: undefined },
    refusesBy: 'after SQLite has shown that their program writes nothing, and are rolled back',
    query({ sql, params = [] }, limits) {
      const { maxRows, maxBytes } = limits
      return ask({ sql, params, maxRows, maxBytes }, limits, io)
    },
  }),
}

async function ask(query: DemoQuery, limits: QueryContext, { bindings }: Io) {
  const { DEMO: namespace } = bindings as { DEMO?: DurableObjectNamespace }
  if (!namespace) {
    throw new DatabaseError(
      'config',
      'This deployment has no demo database: bind the Durable Object class DemoStore as DEMO.',
    )
  }
  const deadline = startDeadline(limits)
  const answer = await namespace
    .get(namespace.idFromName('store'))
    .fetch('https://demo/', {
      method: 'POST',
      body: JSON.stringify(query),
      signal: deadline.signal,
    })
    .then((response) => response.json<DemoAnswer>())
    .catch(() => {
      throw deadline.over() ?? unreachable()
    })
  if ('error' in answer) {
    const { kind, message, ...details } = answer.error
    throw new DatabaseError(kind, message, details)
  }
  return answer
}

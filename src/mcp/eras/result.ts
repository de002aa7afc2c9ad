import { identity, type Server } from '../features/server.ts'
import { type RpcParams, write } from '../wire/jsonrpc.ts'
import type { Revision } from '../wire/revisions.ts'

/** Where a result comes from. */
export interface ResultFacts {
  readonly server: Server
  readonly revision: Revision
  readonly method: string
  /** Milliseconds a client may keep it (specification, "Caching"). */
  readonly ttlMs?: number | undefined
}

/** Writes a finished result as JSON. In the modern era it also says how to treat it. */
export function writeResult(result: RpcParams, facts: ResultFacts): string {
  if (facts.revision.era === 'legacy') return write(result)
  const { ttlMs } = facts
  const _meta = { ...(result._meta as object | undefined), ...signature(facts) }
  const cacheScope = ttlMs === undefined ? undefined : 'private'
  // Fields of the result itself win: a task is not complete, and has its own time to live.
  return write({ resultType: 'complete', ttlMs, cacheScope, ...result, _meta })
}

/** What every modern result says about the server that made it. */
export const signature = ({ server, revision, method }: ResultFacts) => ({
  // Only one method tells the icons and the website: not every answer has to.
  'io.modelcontextprotocol/serverInfo': identity(server, revision, method !== 'server/discover'),
})

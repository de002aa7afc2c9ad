import { identity, type Server } from '../features/server.ts'
import { type RpcParams, write } from '../wire/jsonrpc.ts'
import type { Revision } from '../wire/revisions.ts'

/** The source of a result. */
export interface ResultFacts {
  readonly server: Server
  readonly revision: Revision
  readonly method: string
  /** Milliseconds for which a client can cache it (specification, "Caching"). */
  readonly ttlMs?: number | undefined
}

/** Writes a finished result as JSON. In the modern era it includes caching metadata. */
export function writeResult(result: RpcParams, facts: ResultFacts): string {
  if (facts.revision.era === 'legacy') return write(result)
  const { ttlMs } = facts
  const _meta = { ...(result._meta as object | undefined), ...signature(facts) }
  const cacheScope = ttlMs === undefined ? undefined : 'private'
  // The result's own fields win: a task is not complete and has its own time to live.
  return write({ resultType: 'complete', ttlMs, cacheScope, ...result, _meta })
}

/** Metadata about the server, included in every modern result. */
export const signature = ({ server, revision, method }: ResultFacts) => ({
  // Only one method includes the icons and the website. Other results do not need them.
  'io.modelcontextprotocol/serverInfo': identity(server, revision, method !== 'server/discover'),
})

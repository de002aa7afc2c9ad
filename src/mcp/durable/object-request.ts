import type { Caller } from '../features/context.ts'

/**
 * The roles in which a Durable Object can be asked. A hub and its leaves also tell a session of a
 * change.
 */
export type Role = 'session' | 'secret' | 'hub' | 'leaf' | 'change' | 'task' | 'store'

/** Says in which role a Durable Object is asked, and for whom. */
export interface RequestTag {
  readonly as: Role
  /** The name of the session, hub or leaf that is asked, or of the one that tells of a change. */
  readonly name?: string
  readonly caller?: Caller | undefined
  /** In the transport of `2024-11-05`. */
  readonly sse?: boolean
}

const TAG_HEADER = 'x-mcp-internal'

/** Tags our request to an object. A tag that a client sent along is overwritten. */
export function tag(request: Request, content: RequestTag): Request {
  request.headers.set(TAG_HEADER, encodeURIComponent(JSON.stringify(content)))
  return request
}

/** Reads the tag of a request. One without a tag is for a session. */
export function readTag({ headers }: Request): RequestTag {
  const value = headers.get(TAG_HEADER)
  return value ? (JSON.parse(decodeURIComponent(value)) as RequestTag) : { as: 'session' }
}

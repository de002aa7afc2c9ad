import type { Caller } from '../features/context.ts'

/** What a Durable Object is asked as, and for whom. */
export interface RequestTag {
  readonly as: 'session' | 'secret' | 'hub' | 'change' | 'task' | 'store'
  readonly name?: string
  readonly caller?: Caller | undefined
  /** In the transport of `2024-11-05`. */
  readonly sse?: boolean
}

const HEADER = 'x-mcp-internal'

/** Marks a request of ours to an object: a mark that a client has sent along is overwritten. */
export function tag(request: Request, content: RequestTag): Request {
  request.headers.set(HEADER, encodeURIComponent(JSON.stringify(content)))
  return request
}

/** Reads the mark of a request. */
export function readTag({ headers }: Request): Partial<RequestTag> {
  const value = headers.get(HEADER)
  return value ? (JSON.parse(decodeURIComponent(value)) as RequestTag) : {}
}

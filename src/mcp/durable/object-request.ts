import type { Caller } from '../features/context.ts'

/** What a Durable Object is asked as, and for whom. */
export interface Internal {
  readonly as: 'session' | 'secret' | 'hub' | 'change' | 'task' | 'store'
  readonly name?: string
  readonly caller?: Caller | undefined
  /** In the transport of `2024-11-05`. */
  readonly sse?: boolean
}

const HEADER = 'x-mcp-internal'

/** Marks a request of ours to an object: a mark that a client has sent along is overwritten. */
export function mark(request: Request, internal: Internal): Request {
  request.headers.set(HEADER, encodeURIComponent(JSON.stringify(internal)))
  return request
}

/** Reads the mark of a request. */
export function marked({ headers }: Request): Partial<Internal> {
  const value = headers.get(HEADER)
  return value ? (JSON.parse(decodeURIComponent(value)) as Internal) : {}
}

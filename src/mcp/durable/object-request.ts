import type { Caller } from '../features/context.ts'
import type { ObjectNamespace } from './object-state.ts'

/** Roles that a Durable Object serves. `change`: a hub notifies a session. */
export type Role = 'session' | 'secret' | 'hub' | 'change' | 'task' | 'store'

/** The role that a request addresses, and its caller. */
export interface RequestTag {
  readonly as: Role
  /** Name of the session or hub that is addressed. For a change, the name of the hub that sends it. */
  readonly name?: string
  readonly caller?: Caller | undefined
  /** True for the `2024-11-05` transport. */
  readonly sse?: boolean
}

const TAG_HEADER = 'x-mcp-internal'

/** Tags our request to an object. Overwrites any tag that a client sent. */
export function tag(request: Request, content: RequestTag): Request {
  request.headers.set(TAG_HEADER, encodeURIComponent(JSON.stringify(content)))
  return request
}

/** Sends a request to the object with this name, in one of its roles. */
export const toObject = (
  namespace: ObjectNamespace,
  name: string,
  request: Request,
  content: RequestTag,
): Promise<Response> => namespace.get(namespace.idFromName(name)).fetch(tag(request, content))

/** Returns an object's response. Throws if the object failed. */
export async function done(asked: Promise<Response>, what: string): Promise<Response> {
  const answer = await asked
  if (answer.ok) return answer
  throw new Error(`The Durable Object for ${what} responded with ${answer.status}.`)
}

/** Reads the tag of a request. A request without a tag is for a session. */
export function readTag({ headers }: Request): RequestTag {
  const value = headers.get(TAG_HEADER)
  return value ? (JSON.parse(decodeURIComponent(value)) as RequestTag) : { as: 'session' }
}

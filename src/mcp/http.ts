import { opensSession, serveLegacy } from './eras/legacy.ts'
import { claimedVersion, serveModern } from './eras/modern.ts'
import { allowsOrigin, FOREIGN_ORIGIN, type OriginPolicy } from './eras/origin.ts'
import type { Server } from './features/server.ts'
import { SESSION_HEADER, type Sessions } from './sessions/sessions.ts'
import { type Seal, sealWith } from './state/seal.ts'
import type { Stores } from './state/stores.ts'
import type { Tasks } from './state/tasks.ts'
import { readBody } from './wire/body.ts'
import { codes, isRequest, parse, RpcError, type RpcMessage } from './wire/jsonrpc.ts'
import { type Limits, limits } from './wire/limits.ts'
import { Refusal, refused } from './wire/refusal.ts'
import { acceptOf } from './wire/reply.ts'
import { isModern } from './wire/revisions.ts'

export interface ServeOptions extends OriginPolicy {
  readonly server: Server
  /**
   * Where the sessions of legacy clients live. Without it, each of their requests is independent.
   */
  readonly sessions?: Sessions | undefined
  /** Where tasks live. Without it, tools that can run as a task just run. */
  readonly tasks?: Tasks | undefined
  /** Where handlers keep values between calls, outside sessions. Without it, they cannot. */
  readonly stores?: Stores | undefined
  /**
   * Seals values that travel through clients. Without it, only this isolate opens what it sealed.
   */
  readonly seal?: Seal
  readonly limits?: Limits
}

/**
 * Serves one HTTP request to an MCP endpoint, in whichever era the client speaks. Never throws.
 *
 * @example
 *
 * ```ts
 * export default { fetch: (request: Request) => serve(request, { server }) }
 * ```
 */
export async function serve(request: Request, options: ServeOptions): Promise<Response> {
  try {
    // Read first, even for a refusal: on some servers, an answer sent before the whole body has
    // arrived breaks the connection, and the client's next request fails.
    const body = await readBody(request, (options.limits ?? limits).bodyBytes)
    if (!allowsOrigin(request, options)) throw new Refusal(403, FOREIGN_ORIGIN)
    if (request.method === 'POST') return await post(request, body, options)
    return await inSession(request, options)
  } catch (error) {
    return refused(request, error)
  }
}

/** Only this isolate opens what it seals. */
const ownSeal = sealWith()

async function post(request: Request, body: string, options: ServeOptions): Promise<Response> {
  const { server, caller, sessions, tasks, stores, seal = ownSeal } = options
  const { callMs } = options.limits ?? limits
  // Browsers send a form without asking first, and curl sends one if no header is given.
  if (FORM.test(request.headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'Send JSON, with the header Content-Type: application/json.')
  }
  const message = parse(body, options.limits)
  const accept = acceptOf(request.headers.get('accept'))
  const exchange = { request, server, caller, accept, seal, callMs, tasks, stores }
  if (speaksModern(message, request)) {
    if (!Array.isArray(message)) return serveModern(message, exchange)
    throw new RpcError(codes.invalidRequest, 'This revision has no batches: send one message.')
  }
  if (sessions && opensSession(message)) return sessions.open(copyOf(request, body), caller)
  // Many clients never open another session. If theirs is forgotten, they are served without one.
  const named = sessions && request.headers.get(SESSION_HEADER)
  const answer = named ? await sessions.fetch(copyOf(request, body), caller) : undefined
  return answer ?? serveLegacy(message, exchange)
}

const FORM = /^(application\/x-www-form-urlencoded|multipart\/)/i

/** The request again, for the session: its body has been read here. */
const copyOf = ({ url, method, headers }: Request, body?: string) =>
  new Request(url, { method, headers, body: body ?? null })

/** Serves a GET or a DELETE, which only exist in sessions. */
async function inSession(request: Request, { sessions, caller }: ServeOptions): Promise<Response> {
  const has = request.method === 'GET' || request.method === 'DELETE'
  const named = has && sessions && request.headers.get(SESSION_HEADER)
  const answer = named ? await sessions.fetch(copyOf(request), caller) : undefined
  if (answer) return answer
  throw new Refusal(405, 'Send MCP messages to this URL by POST.', { allow: 'POST, OPTIONS' })
}

/**
 * Whether a body is of the modern era: its metadata or its header says so. `initialize` without
 * modern metadata is legacy, whatever its header says. `Mcp-Method` and `Mcp-Name` say nothing:
 * proxies add them.
 */
function speaksModern(body: RpcMessage | RpcMessage[], { headers }: Request): boolean {
  if (!Array.isArray(body)) {
    if (claimedVersion(body) !== undefined) return true
    if (isRequest(body) && body.method === 'initialize') return false
  }
  return isModern(headers.get('mcp-protocol-version')?.trim() ?? null)
}

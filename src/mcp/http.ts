import { opensSession, serveLegacy } from './eras/legacy.ts'
import { claimedVersion, serveModern } from './eras/modern.ts'
import { allowsOrigin, FOREIGN_ORIGIN, type OriginPolicy } from './eras/origin.ts'
import type { Server } from './features/server.ts'
import { NoSession, SESSION_HEADER, type Sessions } from './sessions/sessions.ts'
import { type Seal, sealWith } from './state/seal.ts'
import type { Stores } from './state/stores.ts'
import type { Tasks } from './state/tasks.ts'
import { readBody } from './wire/body.ts'
import { invalidRequest, isRequest, parse, type RpcMessage } from './wire/jsonrpc.ts'
import { type Limits, limits } from './wire/limits.ts'
import { Refusal, refused } from './wire/refusal.ts'
import { acceptOf } from './wire/reply.ts'
import { isModern } from './wire/revisions.ts'

/** The parts of a server that all transports share. */
export interface ServedParts {
  readonly server: Server
  /** Task storage. Without it, tools that can run as a task just run. */
  readonly tasks?: Tasks | undefined
  /** Storage for handlers' values between calls outside sessions. Without it, handlers there cannot store values. */
  readonly stores?: Stores | undefined
  /** Seals values that travel through clients. Without it, only this isolate can open them. */
  readonly seal?: Seal
  readonly limits?: Limits
}

export interface ServeOptions extends ServedParts, OriginPolicy {
  /** Sessions for legacy clients. Without them, each legacy request is independent. */
  readonly sessions?: Sessions | undefined
  /**
   * Serves a request for an unknown session as if it had no session. Meant for public servers, and for
   * servers that forget their sessions, because many clients never open another one.
   */
  readonly strays?: boolean | undefined
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
    // Read first, even for a refusal: on some servers, a response sent before the whole body has
    // arrived breaks the connection, and the client's next request fails.
    const body = await readBody(request, (options.limits ?? limits).bodyBytes)
    if (!allowsOrigin(request, options)) throw new Refusal(403, FOREIGN_ORIGIN)
    if (request.method === 'POST') return await post(request, body, options)
    return await inSession(request, options)
  } catch (error) {
    return refused(request, error)
  }
}

/** The default seal. Only this isolate can open values sealed with it. */
const ownSeal = sealWith()

async function post(request: Request, body: string, options: ServeOptions): Promise<Response> {
  const { server, caller, sessions, tasks, stores, seal = ownSeal } = options
  const { callMs } = options.limits ?? limits
  // Browsers send a form without a preflight, and curl sends one if no header is set.
  if (FORM.test(request.headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'Send JSON, with the header Content-Type: application/json.')
  }
  const message = parse(body, options.limits)
  const accept = acceptOf(request.headers.get('accept'))
  const exchange = { request, server, caller, accept, seal, callMs, tasks, stores }
  if (speaksModern(message, request)) {
    if (!Array.isArray(message)) return serveModern(message, exchange)
    throw invalidRequest('This revision does not support batches: send one message.')
  }
  if (sessions && opensSession(message)) return sessions.open(copyOf(request, body), caller)
  // Many clients never open another session. If theirs is forgotten, they are served without one.
  const named = sessions && request.headers.get(SESSION_HEADER)
  const answer = named ? await inNamed(copyOf(request, body), sessions, options) : undefined
  return answer ?? serveLegacy(message, exchange)
}

/** The response from the request's session, or undefined if the request should be served without a session. */
async function inNamed(request: Request, sessions: Sessions, { caller, strays }: ServeOptions) {
  try {
    return await sessions.fetch(request, caller)
  } catch (error) {
    if (strays && error instanceof NoSession) return undefined
    throw error
  }
}

const FORM = /^(application\/x-www-form-urlencoded|multipart\/)/i

/** A copy of the request for the session, because its body was already read here. */
const copyOf = ({ url, method, headers }: Request, body?: string) =>
  new Request(url, { method, headers, body: body ?? null })

/** Serves a GET or a DELETE, which exist only in sessions. */
async function inSession(request: Request, options: ServeOptions): Promise<Response> {
  const { sessions } = options
  const has = request.method === 'GET' || request.method === 'DELETE'
  const named = has && sessions && request.headers.get(SESSION_HEADER)
  const answer = named ? await inNamed(copyOf(request), sessions, options) : undefined
  if (answer) return answer
  throw new Refusal(405, 'Send MCP messages to this URL with POST.', { allow: 'POST, OPTIONS' })
}

/**
 * True if a body belongs to the modern era, according to its metadata or its header. `initialize` without
 * modern metadata is legacy, whatever its header says. `Mcp-Method` and `Mcp-Name` prove nothing, because
 * proxies add them.
 */
function speaksModern(body: RpcMessage | RpcMessage[], { headers }: Request): boolean {
  if (!Array.isArray(body)) {
    if (claimedVersion(body) !== undefined) return true
    if (isRequest(body) && body.method === 'initialize') return false
  }
  return isModern(headers.get('mcp-protocol-version')?.trim() ?? null)
}

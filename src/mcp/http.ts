import type { Caller } from './context.ts'
import {
  asRpcError,
  codes,
  failure,
  isRequest,
  parse,
  RpcError,
  type RpcMessage,
} from './jsonrpc.ts'
import { serveLegacy } from './legacy.ts'
import { claimedVersion, serveModern } from './modern.ts'
import { type Accept, acceptOf, respond } from './reply.ts'
import { isModern } from './revisions.ts'
import { type Seal, sealWith } from './seal.ts'
import type { Server } from './server.ts'

export interface ServeOptions {
  readonly server: Server
  /** Who calls, as established before. A caller who showed a credential may call from any page. */
  readonly caller?: Caller | undefined
  /** Origins of the pages that may call without a credential, besides those on this machine. */
  readonly origins?: readonly string[]
  /** Seals what travels through clients. Without one, only this isolate opens what it sealed. */
  readonly seal?: Seal
  /** Bytes one body may have. */
  readonly maxBodyBytes?: number
}

const MiB = 1024 * 1024

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
  const accept = acceptOf(request.headers.get('accept'))
  try {
    // Read first, whatever comes of it: a refusal sent while a body is still arriving costs some
    // servers the connection, and the client its next request.
    const body = await read(request, options.maxBodyBytes ?? MiB)
    if (!allowsOrigin(request, options)) {
      throw new Refusal(403, 'Pages from this origin may not call this server.')
    }
    if (request.method !== 'POST') {
      throw new Refusal(405, 'Send MCP messages to this URL by POST.', {
        allow: 'POST, OPTIONS',
      })
    }
    return await post(request, body, options, accept)
  } catch (thrown) {
    const error = asRpcError(thrown)
    const status = thrown instanceof Refusal ? thrown.status : thrown === error ? 400 : 500
    // The modern era leaves an unknown id out; the legacy one writes null.
    const id =
      error.id ?? (isModern(request.headers.get('mcp-protocol-version')) ? undefined : null)
    const response = respond({ text: failure(id, error), status }, accept)
    if (thrown instanceof Refusal) {
      for (const [name, value] of Object.entries(thrown.headers)) response.headers.set(name, value)
    }
    return response
  }
}

/** A refusal of the transport, with the HTTP status that says which. */
class Refusal extends RpcError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(codes.invalidRequest, message)
    this.status = status
    this.headers = headers
  }
}

const own = sealWith()

async function post(
  request: Request,
  body: string,
  { server, caller, seal = own }: ServeOptions,
  accept: Accept,
): Promise<Response> {
  // A form is what a browser sends without asking first, and what curl sends without a header.
  if (
    /^(application\/x-www-form-urlencoded|multipart\/)/i.test(
      request.headers.get('content-type') ?? '',
    )
  ) {
    throw new Refusal(415, 'Send JSON, with the header Content-Type: application/json.')
  }
  const message = parse(body)
  const options = { request, server, caller, accept, seal }
  if (!speaksModern(message, request)) return serveLegacy(message, options)
  if (Array.isArray(message))
    throw new RpcError(codes.invalidRequest, 'This revision has no batches: send one message.')
  return serveModern(message, options)
}

/**
 * Which era a body is of: modern if it says so, or if its header does. `initialize` without modern
 * metadata is legacy whatever its header, and so are `Mcp-Method` and `Mcp-Name`: proxies add them.
 */
function speaksModern(body: RpcMessage | RpcMessage[], { headers }: Request): boolean {
  if (!Array.isArray(body)) {
    if (claimedVersion(body) !== undefined) return true
    if (isRequest(body) && body.method === 'initialize') return false
  }
  return isModern(headers.get('mcp-protocol-version')?.trim() ?? null)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** A larger body than this many times the limit is not even read to its end. */
const PATIENCE = 16

/** Reads a body of at most `limit` bytes; of a larger one it keeps nothing. */
async function read(request: Request, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
    if (size > limit * PATIENCE) break
  }
  if (size > limit) throw new Refusal(413, `The body is larger than ${limit} bytes.`)
  try {
    return decoder.decode(chunks.length === 1 ? chunks[0] : join(chunks, size))
  } catch {
    throw new RpcError(codes.parse, 'The body is not UTF-8.')
  }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Whether the page a request comes from may call (specification, "Security"). Under DNS rebinding a
 * page's own address proves nothing over plain http, where the attacker chooses the Host header.
 */
function allowsOrigin(request: Request, { caller, origins = [] }: ServeOptions): boolean {
  const origin = request.headers.get('origin')
  if (!origin || caller) return true
  const here = new URL(request.url)
  return (
    LOCAL.test(origin) ||
    origins.includes(origin) ||
    (here.protocol === 'https:' && origin === here.origin)
  )
}

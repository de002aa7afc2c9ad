/**
 * The modern era: every request stands alone and carries its own metadata.
 *
 * @module
 */

import { type Client, contextOf, logLevelOf } from './context.ts'
import { InputRequired } from './input.ts'
import {
  asRpcError,
  codes,
  failure,
  isNotification,
  isObject,
  isRequest,
  RpcError,
  type RpcMessage,
  type RpcParams,
  type RpcRequest,
  success,
} from './jsonrpc.ts'
import { type Completion, dispatch } from './methods.ts'
import { accepted, type Outlet, reply, respond } from './reply.ts'
import { type Revision, revisionOf, versions } from './revisions.ts'
import { canonical } from './seal.ts'
import { identity } from './server.ts'
import type { Serving } from './serving.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CLIENT = 'io.modelcontextprotocol/clientInfo'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const SERVER = 'io.modelcontextprotocol/serverInfo'

/** HTTP statuses of what a method can answer; every other answer is a 200. */
const statuses: Readonly<Record<number, number>> = {
  [codes.methodNotFound]: 404,
  [codes.missingCapability]: 400,
}

/** Where each method keeps the value that `Mcp-Name` repeats. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

/** The version a message says it is written in, if it carries modern metadata. */
export function claimedVersion(message: RpcMessage): unknown {
  const meta = 'params' in message ? message.params?._meta : undefined
  return isObject(meta) ? meta[VERSION] : undefined
}

/** Serves one message of the modern era. */
export async function serveModern(message: RpcMessage, serving: Serving): Promise<Response> {
  const { request, server, caller, accept, seal } = serving
  if (isNotification(message)) return accepted()
  if (!isRequest(message)) {
    const refusal = new RpcError(
      codes.invalidRequest,
      'A client of this revision sends no responses.',
    )
    return respond({ text: failure(message.id, refusal), status: 400 }, accept)
  }
  const { id, method, params = {} } = message
  const place = placeOf(message, serving)
  let admitted: Admitted
  try {
    admitted = admit(message, request.headers)
  } catch (error) {
    return respond({ text: failure(id, asRpcError(error)), status: 400 }, accept)
  }
  const gone = new AbortController()
  const signal = AbortSignal.any([request.signal, gone.signal])
  const work = async ({ send }: Outlet) => {
    const notify = (name: string, about: RpcParams) =>
      send(JSON.stringify({ jsonrpc: '2.0', method: name, params: about }))
    try {
      const answers = await answersIn(params, place, seal)
      const facts = { ...admitted, id, caller, answers, signal, notify }
      const context = contextOf(facts, params, logLevelOf((params._meta as RpcParams)[LOG_LEVEL]))
      const completed = completion(serving, admitted.revision, answers, place)
      const result = await dispatch(server, method, params, context, seal, completed)
      return { text: success(id, result), status: 200 }
    } catch (thrown) {
      const error = asRpcError(thrown)
      return { text: failure(id, error), status: statuses[error.code] ?? 200 }
    }
  }
  return reply(work, accept, () => gone.abort())
}

interface Admitted {
  readonly revision: Revision
  readonly client: Client
}

/** Reads who speaks which revision from the request alone, or refuses it. */
function admit(message: RpcRequest, headers: Headers): Admitted {
  const meta = message.params?._meta
  if (!isObject(meta))
    throw new RpcError(codes.invalidParams, `params._meta is missing; it names ${VERSION}.`)
  const { [VERSION]: version, [CAPABILITIES]: declared, [CLIENT]: info } = meta
  if (typeof version !== 'string')
    throw new RpcError(codes.invalidParams, `params._meta lacks ${VERSION}.`)
  if (!isObject(declared))
    throw new RpcError(codes.invalidParams, `params._meta lacks ${CAPABILITIES}.`)
  checkHeaders(message, version, headers)
  const revision = revisionOf(version)
  if (revision?.era !== 'modern') {
    // A legacy version is one we speak, but not here: naming it would send the client in a circle.
    const supported = versions(revision && 'modern')
    const data = { supported, requested: version }
    throw new RpcError(codes.unsupportedVersion, 'Unsupported protocol version', data)
  }
  const { name, clientVersion } = isObject(info)
    ? { name: info.name, clientVersion: info.version }
    : {}
  return {
    revision,
    client: {
      name: text(name),
      version: text(clientVersion),
      capabilities: declared,
    },
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Headers repeat the body so that proxies can route without parsing; the two must agree. */
function checkHeaders({ method, params }: RpcRequest, version: string, headers: Headers): void {
  const check = (header: string, expected: unknown, found: string | undefined) => {
    if (found === expected) return
    const why = found === undefined ? 'is missing' : 'does not match the body'
    throw new RpcError(codes.headerMismatch, `Header mismatch: ${header} ${why}.`)
  }
  const header = (name: string) => headers.get(name)?.trim()
  check('MCP-Protocol-Version', version, header('mcp-protocol-version'))
  check('Mcp-Method', method, header('mcp-method'))
  const field = Object.hasOwn(named, method) ? named[method] : undefined
  const expected = field && params?.[field]
  if (expected !== undefined) check('Mcp-Name', expected, decoded(header('mcp-name')))
}

/** Opens the Base64 sentinel of a header value (specification, "Value Encoding"). */
function decoded(value: string | undefined): string | undefined {
  if (!value?.startsWith('=?base64?') || !value.endsWith('?=')) return value
  try {
    const bytes = Uint8Array.from(atob(value.slice(9, -2)), (c) => c.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new RpcError(codes.headerMismatch, 'Header mismatch: Mcp-Name is not valid Base64.')
  }
}

/** How long a person may take to answer a question. */
const ANSWER_MS = 15 * 60_000

/** What a client has answered so far: what it sends now, and what an earlier round sealed. */
async function answersIn(
  params: RpcParams,
  place: () => string,
  seal: Serving['seal'],
): Promise<RpcParams> {
  const { inputResponses: given = {}, requestState: state } = params
  if (!isObject(given))
    throw new RpcError(codes.invalidParams, 'inputResponses is an object of answers by key.')
  if (state === undefined) return given
  const opened = typeof state === 'string' ? await seal.open(state, place()) : undefined
  if (!isObject(opened) || !isObject(opened.answers) || (opened.until as number) < Date.now()) {
    throw new RpcError(
      codes.invalidParams,
      'This requestState is not of this request, or too old: ask again without it.',
    )
  }
  return { ...opened.answers, ...given }
}

/** What a requestState is bound to: who asks for what, whatever they answered meanwhile. */
const placeOf =
  ({ method, params = {} }: RpcRequest, { caller, server }: Serving) =>
  () => {
    const { _meta, inputResponses, requestState, ...asked } = params
    return canonical([server.name, caller?.subject, method, asked])
  }

/** What every modern result says about itself. */
function completion(
  { server, seal }: Serving,
  revision: Revision,
  answers: RpcParams,
  place: () => string,
): Completion {
  const self = { [SERVER]: identity(server, revision) }
  return async (result, ttlMs) => {
    if (result instanceof InputRequired) {
      const until = Date.now() + ANSWER_MS
      const requestState = await seal.seal({ answers, until }, place())
      return {
        resultType: 'input_required',
        inputRequests: result.requests,
        requestState,
        _meta: self,
      }
    }
    const _meta = { ...(result._meta as object | undefined), ...self }
    const cacheScope = ttlMs === undefined ? undefined : 'private'
    return { resultType: 'complete', ...result, ttlMs, cacheScope, _meta }
  }
}

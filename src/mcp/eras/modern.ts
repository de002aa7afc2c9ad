/**
 * The modern era: every request stands alone and carries its own metadata.
 *
 * @module
 */

import { type Client, logLevelOf } from '../features/context.ts'
import type { InputRequired } from '../features/input.ts'
import { canonical } from '../state/seal.ts'
import { Stop } from '../wire/deadline.ts'
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
  write,
} from '../wire/jsonrpc.ts'
import { accepted, type ReplySink, reply, respond } from '../wire/reply.ts'
import { type Revision, revisionOf, versions } from '../wire/revisions.ts'
import type { Exchange } from './exchange.ts'
import { checkHeaders } from './headers.ts'
import { dispatch } from './methods.ts'
import { signature } from './result.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CLIENT = 'io.modelcontextprotocol/clientInfo'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/** HTTP statuses of what a method can answer; every other answer is a 200. */
const statuses: Readonly<Record<number, number>> = {
  [codes.methodNotFound]: 404,
  [codes.missingCapability]: 400,
}

/** The version a message says it is written in, if it carries modern metadata. */
export function claimedVersion(message: RpcMessage): unknown {
  const meta = 'params' in message ? message.params?._meta : undefined
  return isObject(meta) ? meta[VERSION] : undefined
}

/** Serves one message of the modern era. */
export async function serveModern(message: RpcMessage, exchange: Exchange): Promise<Response> {
  const { request, caller, accept, seal } = exchange
  if (isNotification(message)) return accepted()
  if (!isRequest(message)) {
    const refusal = new RpcError(
      codes.invalidRequest,
      'A client of this revision sends no responses.',
    )
    return respond({ text: failure(message.id, refusal), status: 400 }, accept)
  }
  const { id, params = {} } = message
  const place = placeOf(message, exchange)
  let admitted: Admitted
  try {
    admitted = admit(message, exchange)
  } catch (error) {
    return respond({ text: failure(id, asRpcError(error)), status: 400 }, accept)
  }
  const stop = new Stop(() => request.signal)
  const work = async ({ send, readable: streams }: ReplySink) => {
    const notify = (name: string, about: RpcParams) =>
      send(JSON.stringify({ jsonrpc: '2.0', method: name, params: about }))
    try {
      const answers = await answersIn(params, place, seal)
      const logLevel = logLevelOf((params._meta as RpcParams)[LOG_LEVEL])
      const { revision, client } = admitted
      const facts = { id, revision, client, caller, answers, stop, streams, notify, logLevel }
      const result = await dispatch(exchange, message, facts)
      const text =
        typeof result === 'string'
          ? result
          : await writeQuestions(result, exchange, message.method, revision, answers, place)
      return { text: success(id, text), status: 200 }
    } catch (thrown) {
      const error = asRpcError(thrown)
      return { text: failure(id, error), status: statuses[error.code] ?? 200 }
    }
  }
  return reply(work, accept, () => stop.stop())
}

interface Admitted {
  readonly revision: Revision
  readonly client: Client
}

/** Reads who speaks which revision from the request alone, or refuses it. */
function admit(message: RpcRequest, { request, server }: Exchange): Admitted {
  const meta = message.params?._meta
  if (!isObject(meta))
    throw new RpcError(codes.invalidParams, `params._meta is missing; it names ${VERSION}.`)
  const { [VERSION]: version, [CAPABILITIES]: declared, [CLIENT]: info } = meta
  if (typeof version !== 'string')
    throw new RpcError(codes.invalidParams, `params._meta lacks ${VERSION}.`)
  if (!isObject(declared))
    throw new RpcError(codes.invalidParams, `params._meta lacks ${CAPABILITIES}.`)
  checkHeaders(message, version, request.headers, server)
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

/** How long a person may take to answer a question. */
const ANSWER_MS = 15 * 60_000

/** What a client has answered so far: what it sends now, and what an earlier round sealed. */
async function answersIn(
  params: RpcParams,
  place: () => string,
  seal: Exchange['seal'],
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
  ({ method, params = {} }: RpcRequest, { caller, server }: Exchange) =>
  () => {
    const { _meta, inputResponses, requestState, ...asked } = params
    return canonical([server.name, caller?.subject, method, asked])
  }

/** Writes what is asked of the client as a result, with what it has answered so far. */
async function writeQuestions(
  { requests }: InputRequired,
  { server, seal }: Exchange,
  method: string,
  revision: Revision,
  answers: RpcParams,
  place: () => string,
): Promise<string> {
  const until = Date.now() + ANSWER_MS
  return write({
    resultType: 'input_required',
    inputRequests: requests,
    requestState: await seal.seal({ answers, until }, place()),
    _meta: signature({ server, revision, method }),
  })
}

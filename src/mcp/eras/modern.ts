// The modern era: each request is independent and carries its own metadata.
import { type Client, type LogLevel, logLevelOf } from '../features/context.ts'
import type { InputRequired } from '../features/input.ts'
import { canonical } from '../state/seal.ts'
import { Stop } from '../wire/deadline.ts'
import {
  asRpcError,
  codes,
  failure,
  invalidParams,
  invalidRequest,
  isNotification,
  isObject,
  isRequest,
  notification,
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

/** HTTP statuses for errors from a method. Every other response is a 200. */
const statuses: Readonly<Record<number, number>> = {
  [codes.methodNotFound]: 404,
  [codes.missingCapability]: 400,
}

/** The protocol version in a message's modern metadata, if it has any. */
export function claimedVersion(message: RpcMessage): unknown {
  const meta = 'params' in message ? message.params?._meta : undefined
  return isObject(meta) ? meta[VERSION] : undefined
}

/** Serves one message of the modern era. */
export async function serveModern(message: RpcMessage, exchange: Exchange): Promise<Response> {
  const { request, accept } = exchange
  if (isNotification(message)) return accepted()
  if (!isRequest(message)) {
    const refusal = invalidRequest('In this revision, clients do not send responses.')
    return respond({ text: failure(message.id, refusal), status: 400 }, accept)
  }
  const { id } = message
  let admitted: AcceptedRequest
  try {
    admitted = admit(message, exchange)
  } catch (error) {
    return respond({ text: failure(id, asRpcError(error)), status: 400 }, accept)
  }
  const stop = new Stop(() => request.signal)
  const work = async (sink: ReplySink) => {
    try {
      return { text: success(id, await answer(admitted, stop, sink)), status: 200 }
    } catch (thrown) {
      const error = asRpcError(thrown)
      return { text: failure(id, error), status: statuses[error.code] ?? 200 }
    }
  }
  return reply(work, accept, () => stop.stop())
}

/** An accepted request, with everything its response depends on. */
interface AcceptedRequest {
  readonly message: RpcRequest
  readonly exchange: Exchange
  readonly revision: Revision
  readonly client: Client
  readonly logLevel: LogLevel | undefined
}

/** Runs a request and writes its result, or its questions for the client. */
async function answer(admitted: AcceptedRequest, stop: Stop, sink: ReplySink): Promise<string> {
  const { message, exchange, revision, client, logLevel } = admitted
  const answers = await answersIn(admitted)
  const result = await dispatch(exchange, message, {
    id: message.id,
    revision,
    client,
    caller: exchange.caller,
    answers,
    stop,
    streams: sink.readable,
    logLevel,
    notify: (...about) => sink.send(notification(...about)),
  })
  return typeof result === 'string' ? result : writeQuestions(result, answers, admitted)
}

/** Reads the revision and the client from a request. Throws if the request cannot be served. */
function admit(message: RpcRequest, exchange: Exchange): AcceptedRequest {
  const { request, server, hasHeaders = true } = exchange
  const meta = message.params?._meta
  if (!isObject(meta)) throw invalidParams(`params._meta is missing: it must contain ${VERSION}.`)
  const { [VERSION]: version, [CAPABILITIES]: declared, [CLIENT]: info } = meta
  if (typeof version !== 'string') throw invalidParams(`params._meta lacks ${VERSION}.`)
  if (!isObject(declared)) throw invalidParams(`params._meta lacks ${CAPABILITIES}.`)
  if (hasHeaders) checkHeaders(message, version, request.headers, server)
  const revision = revisionOf(version)
  if (revision?.era !== 'modern') {
    // We support legacy versions, but not in this era. A client that saw them listed here would try
    // them again and again.
    const supported = versions(revision && 'modern')
    const data = { supported, requested: version }
    throw new RpcError(codes.unsupportedVersion, 'Unsupported protocol version', data)
  }
  const { name, version: own } = isObject(info) ? info : {}
  const client = { name: text(name), version: text(own), capabilities: declared }
  return { message, exchange, revision, client, logLevel: logLevelOf(meta[LOG_LEVEL]) }
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Time a person has to answer a question. */
const ANSWER_MS = 15 * 60_000

/** The client's answers so far: those in this request, and the sealed ones from earlier rounds. */
async function answersIn({ message, exchange }: AcceptedRequest): Promise<RpcParams> {
  const { inputResponses: given = {}, requestState: state } = message.params ?? {}
  if (!isObject(given)) throw invalidParams('inputResponses must be an object of answers by key.')
  if (state === undefined) return given
  const { seal } = exchange
  const opened =
    typeof state === 'string' ? await seal.open(state, purpose(message, exchange)) : undefined
  if (!isObject(opened) || !isObject(opened.answers) || (opened.until as number) < Date.now()) {
    throw invalidParams(
      'This requestState belongs to another request or is too old: ask again without it.',
    )
  }
  return { ...opened.answers, ...given }
}

/** Writes questions for the client as a result, with the sealed answers so far. */
async function writeQuestions(
  { requests }: InputRequired,
  answers: RpcParams,
  { message, exchange, revision }: AcceptedRequest,
): Promise<string> {
  const { server, seal } = exchange
  const until = Date.now() + ANSWER_MS
  return write({
    resultType: 'input_required',
    inputRequests: requests,
    requestState: await seal.seal({ answers, until }, purpose(message, exchange)),
    _meta: signature({ server, revision, method: message.method }),
  })
}

/** The purpose of a requestState's seal: this caller and this request, apart from the answers in it. */
function purpose({ method, params = {} }: RpcRequest, { caller, server }: Exchange): string {
  const { _meta, inputResponses, requestState, ...asked } = params
  return canonical([server.name, caller?.subject, method, asked])
}

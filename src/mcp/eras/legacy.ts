// The legacy era without a session: each request is independent, and its header names the revision.
import { type Facts, unknownClient } from '../features/context.ts'
import { Stop } from '../wire/deadline.ts'
import {
  asRpcError,
  failure,
  invalidRequest,
  isRequest,
  notification,
  type RpcMessage,
  type RpcRequest,
  success,
} from '../wire/jsonrpc.ts'
import { accepted, type ReplySink, reply } from '../wire/reply.ts'
import { defaultLegacyRevision, type Revision, revisionOf, versions } from '../wire/revisions.ts'
import type { Exchange } from './exchange.ts'
import { dispatch } from './methods.ts'

/** All requests in a batch run at once, and each one may be a query. */
const MAX_BATCH_MESSAGES = 20

/** Serves one legacy body: a message, or a batch in revisions that support batches. */
export async function serveLegacy(
  body: RpcMessage | RpcMessage[],
  exchange: Exchange,
): Promise<Response> {
  const { request, accept } = exchange
  const messages = Array.isArray(body) ? body : [body]
  const requests = messages.filter(isRequest)
  const opens = requests.some(({ method }) => method === 'initialize')
  const revision = revisionOfRequest(request, opens)
  if (Array.isArray(body)) checkBatch(body, revision)
  if (requests.length === 0) return accepted()

  // Without a session a client cannot come back for the response, so a closed connection stops the work.
  const stop = new Stop(() => request.signal)
  const work = async ({ send, readable: streams }: ReplySink) => {
    const notify = (...about: Parameters<typeof notification>) => send(notification(...about))
    const { caller } = exchange
    const facts = { revision, stop, streams, notify, client: unknownClient, caller }
    const answers = await Promise.all(requests.map((it) => answer(it, facts, exchange)))
    return { text: Array.isArray(body) ? `[${answers.join()}]` : answers[0]!, status: 200 }
  }
  return reply(work, accept, () => stop.stop())
}

async function answer(
  message: RpcRequest,
  facts: Omit<Facts, 'id' | 'answers' | 'store'>,
  exchange: Exchange,
): Promise<string> {
  const { id } = message
  try {
    const result = await dispatch(exchange, message, { ...facts, id, answers: {} })
    if (typeof result === 'string') return success(id, result)
    // Handlers check the client's capabilities before they ask, and this client has no capabilities.
    const needs = 'This call must ask the client a question, which needs a session.'
    throw invalidRequest(needs)
  } catch (error) {
    return failure(id, asRpcError(error))
  }
}

/** `initialize` negotiates the revision in its body, so its header does not count. */
export function revisionOfRequest({ headers }: Request, opens: boolean): Revision {
  const named = headers.get('mcp-protocol-version')?.trim()
  if (!named || opens) return defaultLegacyRevision
  const revision = revisionOf(named)
  if (revision) return revision
  const spoken = versions().join(', ')
  throw invalidRequest(`Unsupported MCP-Protocol-Version. This server supports ${spoken}.`)
}

/** Refuses a batch if the revision does not support batches, or if it is too large. */
export function checkBatch(batch: readonly RpcMessage[], { batches, version }: Revision): void {
  if (!batches)
    throw invalidRequest(`Revision ${version} does not support batches: send one message.`)
  const opens = batch.some((it) => isRequest(it) && it.method === 'initialize')
  if (opens) throw invalidRequest('initialize must not be part of a batch.')
  if (batch.length > MAX_BATCH_MESSAGES)
    throw invalidRequest(`A batch can have at most ${MAX_BATCH_MESSAGES} messages.`)
}

/** True if a body opens a session: an `initialize` that will succeed. */
export const opensSession = (body: RpcMessage | RpcMessage[]): boolean =>
  !Array.isArray(body) &&
  isRequest(body) &&
  body.method === 'initialize' &&
  typeof body.params?.protocolVersion === 'string'

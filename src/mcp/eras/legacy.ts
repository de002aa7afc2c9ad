/**
 * The legacy era without a session: each request is independent, and its header names the revision.
 *
 * @module
 */

import type { Client, Facts } from '../features/context.ts'
import { Stop } from '../wire/deadline.ts'
import {
  asRpcError,
  codes,
  failure,
  isRequest,
  RpcError,
  type RpcMessage,
  type RpcParams,
  type RpcRequest,
  success,
} from '../wire/jsonrpc.ts'
import { accepted, type ReplySink, reply } from '../wire/reply.ts'
import { defaultLegacyRevision, type Revision, revisionOf, versions } from '../wire/revisions.ts'
import type { Exchange } from './exchange.ts'
import { dispatch } from './methods.ts'

/** All requests of a batch run at once, and each may be a query. */
const MAX_BATCH_MESSAGES = 20

/** Without a session, nothing is known about a client. */
const unknownClient: Client = { name: undefined, version: undefined, capabilities: {} }

/** Serves one body of the legacy era: a message, or a batch where the revision has them. */
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

  // Without a session a client cannot come back for the answer, so a closed connection stops it.
  const stop = new Stop(() => request.signal)
  const work = async ({ send, readable: streams }: ReplySink) => {
    const notify = (method: string, params: RpcParams) =>
      send(JSON.stringify({ jsonrpc: '2.0', method, params }))
    const facts = {
      revision,
      stop,
      streams,
      notify,
      client: unknownClient,
      caller: exchange.caller,
    }
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
    // Handlers check the client's capabilities before they ask, and this client has none.
    const needs = 'This has to ask the client something, which needs a session.'
    throw new RpcError(codes.invalidRequest, needs)
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
  throw new RpcError(
    codes.invalidRequest,
    `Unsupported MCP-Protocol-Version. This server speaks ${spoken}.`,
  )
}

/** Refuses a batch that the revision does not have, or that is too large. */
export function checkBatch(batch: readonly RpcMessage[], { batches, version }: Revision): void {
  if (!batches)
    throw new RpcError(
      codes.invalidRequest,
      `Revision ${version} has no batches: send one message.`,
    )
  const opens = batch.some((it) => isRequest(it) && it.method === 'initialize')
  if (opens) throw new RpcError(codes.invalidRequest, 'initialize must not be part of a batch.')
  if (batch.length > MAX_BATCH_MESSAGES)
    throw new RpcError(
      codes.invalidRequest,
      `A batch holds at most ${MAX_BATCH_MESSAGES} messages.`,
    )
}

/** Whether a body opens a session: an `initialize` that will succeed. */
export const opensSession = (body: RpcMessage | RpcMessage[]): boolean =>
  !Array.isArray(body) &&
  isRequest(body) &&
  body.method === 'initialize' &&
  typeof body.params?.protocolVersion === 'string'

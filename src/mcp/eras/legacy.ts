/**
 * The legacy era, without a session: each request is served on its own, in the shapes of the
 * revision that its header names.
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
import { type Revision, revisionOf, unnamed, versions } from '../wire/revisions.ts'
import type { Exchange } from './exchange.ts'
import { dispatch } from './methods.ts'

/** A batch runs at once, and each of its requests may be a query. */
const MAX_BATCH = 20

/** Nothing is known of a client between its requests. */
const stranger: Client = { name: undefined, version: undefined, capabilities: {} }

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

  // Without a session nobody could come back for the answer, so who hangs up is done with it.
  const stop = new Stop(() => request.signal)
  const work = async ({ send, readable: streams }: ReplySink) => {
    const notify = (method: string, params: RpcParams) =>
      send(JSON.stringify({ jsonrpc: '2.0', method, params }))
    const facts = {
      ...{ revision, stop, streams, notify },
      client: stranger,
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
    // What asks has checked whom it asks: a client of which nothing is known has no capabilities.
    const needs = 'This needs a session, to ask the client something.'
    throw new RpcError(codes.invalidRequest, needs)
  } catch (error) {
    return failure(id, asRpcError(error))
  }
}

/** `initialize` negotiates in its body: a header that comes with it names nothing yet. */
export function revisionOfRequest({ headers }: Request, opens: boolean): Revision {
  const named = headers.get('mcp-protocol-version')?.trim()
  if (!named || opens) return unnamed
  const revision = revisionOf(named)
  if (revision) return revision
  const spoken = versions().join(', ')
  throw new RpcError(
    codes.invalidRequest,
    `Unsupported MCP-Protocol-Version. This server speaks ${spoken}.`,
  )
}

export function checkBatch(batch: readonly RpcMessage[], { batches, version }: Revision): void {
  if (!batches)
    throw new RpcError(
      codes.invalidRequest,
      `Revision ${version} has no batches: send one message.`,
    )
  const opens = batch.some((it) => isRequest(it) && it.method === 'initialize')
  if (opens) throw new RpcError(codes.invalidRequest, 'initialize must not be part of a batch.')
  if (batch.length > MAX_BATCH)
    throw new RpcError(codes.invalidRequest, `A batch holds at most ${MAX_BATCH} messages.`)
}

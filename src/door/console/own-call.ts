import { version } from '../../ground/index.ts'
import { MODERN, messageIn, modernMeta, type RpcReply } from '../../host-checks/index.ts'

/** A call to an endpoint on behalf of a person viewing a page. It takes the same path as a client's call. */
export function ownCall(
  url: URL,
  { method, params, client, headers = {}, signal }: OwnCall,
): Request {
  const all = new Headers(headers)
  // Headers in the original request that do not belong in a call.
  for (const it of NOT_OF_A_CALL) all.delete(it)
  all.set('content-type', 'application/json')
  all.set('accept', 'application/json, text/event-stream')
  all.set('mcp-protocol-version', MODERN)
  all.set('mcp-method', method)
  if (typeof params.name === 'string') all.set('mcp-name', params.name)
  const _meta = modernMeta({ name: client, version })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
  return new Request(url, { method: 'POST', headers: all, body, signal })
}

interface OwnCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Name of the page, as the call log shows it. */
  readonly client: string
  readonly headers?: HeadersInit
  readonly signal: AbortSignal
}

const NOT_OF_A_CALL = [
  ...['mcp-session-id', 'last-event-id', 'cookie'],
  ...['content-length', 'content-encoding', 'transfer-encoding'],
]

/** Reads an endpoint's response, from JSON or from a stream. */
export async function rpcAnswer(answer: Response): Promise<RpcReply> {
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? ''
  const message = `The endpoint answered ${answer.status}.`
  return messageIn({ type, text: await answer.text() }) ?? { error: { code: -32_603, message } }
}

// The MCP messages that the checks send, and functions to read the responses.
import { isObject } from '../ground/index.ts'
import { jsonIn } from './json.ts'
import type { Probe, ProbeAnswer } from './probe.ts'

/** The newest revision with sessions, which most hosts open with. */
export const LEGACY = '2025-11-25'

/** The newest revision, which has no sessions. */
export const MODERN = '2026-07-28'

const clientInfo = { name: 'tidegate-doctor', version: '1' }

/** Metadata for each request in the newest revision. */
export const modernMeta = (clientInfo: { readonly name: string; readonly version: string }) => ({
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
})

const legacyHello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: LEGACY, capabilities: {}, clientInfo },
}

const modernHello = {
  jsonrpc: '2.0',
  id: 'doctor-1',
  method: 'server/discover',
  params: { _meta: modernMeta(clientInfo) },
}

/** An endpoint, and the function that sends requests. */
export interface ProbedEndpoint {
  readonly url: URL
  readonly probe: Probe
}

/** A response to a JSON-RPC request. It has either a result or an error. */
export interface RpcReply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Headers by name. */
type RpcHeaders = Readonly<Record<string, string>>

/** Sends a message to the endpoint. */
export const send = (
  { probe, url }: ProbedEndpoint,
  message: object,
  headers: RpcHeaders = {},
): Promise<ProbeAnswer> =>
  probe(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
    isEnough: replySeen(),
  })

/** Connects as hosts did until 2026. */
export const initialize = (endpoint: ProbedEndpoint, headers?: RpcHeaders) =>
  send(endpoint, legacyHello, headers)

/** Connects as hosts do with the newest revision. */
export const discover = (endpoint: ProbedEndpoint) =>
  send(endpoint, modernHello, { 'mcp-protocol-version': MODERN, 'mcp-method': 'server/discover' })

/** Headers for the requests that follow an `initialize` with this response. */
export function after({ headers }: ProbeAnswer): RpcHeaders {
  const session = headers.get('mcp-session-id')
  return {
    'mcp-protocol-version': LEGACY,
    ...(session !== null && { 'mcp-session-id': session }),
  }
}

/** Ends the session that an `initialize` started, if any. */
export async function leave({ probe, url }: ProbedEndpoint, answer: ProbeAnswer): Promise<void> {
  if (answer.headers.has('mcp-session-id'))
    await probe(url, { method: 'DELETE', headers: after(answer) })
}

/** The response to a JSON-RPC request, as JSON or in the events of a stream. */
export function messageIn({
  type,
  text,
}: Pick<ProbeAnswer, 'type' | 'text'>): RpcReply | undefined {
  const all = type === 'text/event-stream' ? messagesOf(text) : [jsonIn(text)]
  return all.find(isReply)
}

const isReply = (it: unknown): it is RpcReply =>
  isObject(it) && it.jsonrpc === '2.0' && (it.result !== undefined || it.error !== undefined)

/** The messages in the events of a stream. */
const messagesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => jsonIn(line.slice('data:'.length)))

/** Makes a function that returns true once the pieces of a stream contain the response. */
function replySeen(): (piece: string) => boolean {
  let begun = ''
  return (piece) => {
    begun += piece
    if (!piece.includes('\n')) return false
    const end = begun.lastIndexOf('\n')
    const lines = begun.slice(0, end)
    begun = begun.slice(end + 1)
    return messagesOf(lines).some(isReply)
  }
}

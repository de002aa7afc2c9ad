// The messages of MCP that the checks send, and how their answers are read.
import { jsonOf } from './probe.mjs'

/** The newest revision with sessions, which most hosts open with. */
export const LEGACY = '2025-11-25'

/** The newest revision, which has none. */
export const MODERN = '2026-07-28'

const BOTH = 'application/json, text/event-stream'
const clientInfo = { name: 'tidegate-doctor', version: '1' }

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
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

/** Sends a message to the endpoint. */
export function send({ probe, url }, message, headers = {}) {
  return probe(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: BOTH, ...headers },
    body: JSON.stringify(message),
    isEnough: replySeen(),
  })
}

/** Opens as hosts did until 2026. */
export const initialize = (visit, headers) => send(visit, legacyHello, headers)

/** Opens as hosts do by the newest revision. */
export const discover = (visit) =>
  send(visit, modernHello, { 'mcp-protocol-version': MODERN, 'mcp-method': 'server/discover' })

/** The headers of what follows an `initialize` with this answer. */
export const after = ({ headers }) => ({
  'mcp-protocol-version': LEGACY,
  ...(headers.has('mcp-session-id') && { 'mcp-session-id': headers.get('mcp-session-id') }),
})

/** Ends the session that an `initialize` began, if it began one. */
export async function leave({ probe, url }, answer) {
  if (answer.headers.has('mcp-session-id'))
    await probe(url, { method: 'DELETE', headers: after(answer) })
}

/** The answer to a JSON-RPC request, in JSON or in the events of a stream. */
export function messageIn(answer) {
  const all = answer.type === 'text/event-stream' ? messagesOf(answer.text) : [jsonOf(answer)]
  return all.find(isReply)
}

const isReply = (it) =>
  typeof it === 'object' &&
  it !== null &&
  it.jsonrpc === '2.0' &&
  (it.result !== undefined || it.error !== undefined)

/** The messages in the events of a stream. */
const messagesOf = (text) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => jsonOf({ text: line.slice(5) }))

/** Tells, for the pieces of a stream, whether the answer was in them so far. */
function replySeen() {
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

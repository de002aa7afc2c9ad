// The requests in both eras, with a check for the right answer to each.

export const MODERN = '2026-07-28'
export const LEGACY = '2025-11-25'

/** The requests that every server gets. */
export const cases = {
  small: {
    says: 'tools/call, 12 bytes back',
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hello, world' } },
    right: ({ content }) => content?.[0]?.text === 'hello, world',
  },
  rows: {
    says: 'tools/call, 5 KB back',
    method: 'tools/call',
    params: { name: 'rows', arguments: {} },
    right: ({ content }) => JSON.parse(content[0].text).length === 50,
  },
  list: {
    says: 'tools/list, three tools',
    method: 'tools/list',
    params: {},
    right: ({ tools }) => ['echo', 'add', 'rows'].every((it) => tools.some((t) => t.name === it)),
  },
}

/** The requests that the whole gateway gets, with the demo database. */
export const gatewayCases = {
  list: {
    says: 'the gateway, tools/list',
    method: 'tools/list',
    params: {},
    right: ({ tools }) => tools.some(({ name }) => name === 'query'),
  },
  query: {
    says: 'the gateway, tools/call of 20 rows of the demo',
    method: 'tools/call',
    params: {
      name: 'query',
      arguments: { sql: 'select id, sku, name, price from products order by id limit 20' },
    },
    right: ({ content, isError }) => !isError && /SKU|sku/.test(content?.[0]?.text),
  },
}

const opening = {
  method: 'initialize',
  params: {
    protocolVersion: LEGACY,
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
}

/**
 * Makes an HTTP request from a message.
 * @param how `modern`, `legacy` or `session`; the negotiated version and the session, if there is one
 */
export function request({ era, version = LEGACY, session }, { method, params, id = 1 }) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  if (era === 'modern') {
    headers['mcp-protocol-version'] = MODERN
    headers['mcp-method'] = method
    if (params.name) headers['mcp-name'] = params.name
  } else if (method !== 'initialize') headers['mcp-protocol-version'] = version
  if (session) headers['mcp-session-id'] = session
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const sent = era === 'modern' ? { ...params, _meta: { ...params._meta, ..._meta } } : params
  const message = { jsonrpc: '2.0', ...(id !== null && { id }), method, params: sent }
  return { headers, body: JSON.stringify(message) }
}

/** The bytes of a request on a connection that stays open. */
export function bytesOf({ headers, body }, path) {
  const all = { host: '127.0.0.1', ...headers, 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Sends one request and reads its answer: the result of the JSON-RPC response. */
export async function ask(url, how, message) {
  const response = await fetch(url, { method: 'POST', ...request(how, message) })
  const text = await response.text()
  const json = /event-stream/.test(response.headers.get('content-type') ?? '')
    ? text.match(/^data: ?(\{.*"result".*)$/m)?.[1]
    : text
  let result
  try {
    result = JSON.parse(json).result
  } catch {}
  return { result, response, text }
}

/** Prepares what an era needs: nothing, a negotiated version, or a session. */
export async function open(url, era) {
  if (era === 'modern') return { era }
  const { result, response, text } = await ask(url, { era }, opening)
  if (!result) throw new Error(`initialize failed: ${response.status} ${text.slice(0, 300)}`)
  const how = { era, version: result.protocolVersion }
  if (era === 'legacy') return how
  how.session = response.headers.get('mcp-session-id')
  await ask(url, how, { method: 'notifications/initialized', id: null })
  return how
}

/** The first request to a cold process. */
export const first = (era) =>
  era === 'modern' ? request({ era }, cases.list) : request({ era }, opening)

/** Throws if the answer to a case is wrong, because wrong answers are not measured. */
export async function verify(url, how, { method, params, right }) {
  const { result, response, text } = await ask(url, how, { method, params })
  if (response.status === 200 && result && right(result)) return
  throw new Error(`${how.era} ${method}: ${response.status} ${text.slice(0, 300)}`)
}

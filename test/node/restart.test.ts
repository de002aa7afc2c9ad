import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { post } from '../support/worker.ts'

let running: NodeWorker[] = []
afterEach(async () => {
  await Promise.all(running.map((it) => it.close('SIGKILL')))
  running = []
})

async function start(variables: Record<string, string>): Promise<NodeWorker> {
  const worker = await startNodeWorker(variables)
  running.push(worker)
  return worker
}

const KEY = 'the key of the operator, 0123456789 abcdef'
const ENDPOINTS = JSON.stringify([
  { name: 'shop', title: 'Shop', databases: { main: { url: 'demo:' } }, access: 'key' },
])

/** Clients of the legacy era. Neither of them opens another session on its own. */
const clients = [
  ['v1', ClientV1, TransportV1],
  ['v2', ClientV2, TransportV2],
] as const

const places = [
  { of: 'an open endpoint', variables: {}, path: '/mcp', headers: {} },
  {
    of: 'an endpoint with a key, in a process without a state file',
    variables: { ENDPOINTS, TIDEGATE_KEY: KEY },
    path: '/mcp/shop',
    headers: { authorization: `Bearer ${KEY}` },
  },
]

test.each(
  places.flatMap((place) => clients.map((client) => ({ ...place, client, sdk: client[0] }))),
)(
  'a client ($sdk) continues after a restart that lost its session: $of',
  async ({ variables, path, headers, client: [, Client, Transport] }) => {
    let worker = await start(variables)
    // The address stays the same while the process changes.
    const address = 'http://tidegate.test'
    const send = (input: string | URL | Request, init?: RequestInit) =>
      fetch(String(input instanceof Request ? input.url : input).replace(address, worker.url), init)
    const client = new Client({ name: 'test', version: '1' })
    const options = { fetch: send as typeof fetch, requestInit: { headers: { ...headers } } }
    const transport = new Transport(new URL(`${address}${path}`), options)
    await client.connect(transport as never)
    const { tools } = await client.listTools()
    expect(transport.sessionId).toMatch(/^[0-9a-f]{32}\./)
    await worker.close('SIGKILL')
    running = []
    worker = await start(variables)
    expect((await client.listTools()).tools).toEqual(tools)
    const call = { name: 'query', arguments: { sql: 'select 6 * 7 as answer' } }
    const answer = await client.callTool(call)
    expect(answer.structuredContent).toMatchObject({ rows: [[42]] })
    await client.close()
  },
)

test('a session on an open endpoint is gone after its client ended it', async () => {
  const { url } = await start({})
  const message = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params,
  })
  const clientInfo = { name: 'test', version: '1' }
  const { headers } = await post(
    `${url}/mcp`,
    message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
  )
  const session = {
    'mcp-session-id': headers.get('mcp-session-id')!,
    'mcp-protocol-version': '2025-11-25',
  }
  expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers: session })).status).toBe(204)
  expect((await post(`${url}/mcp`, message('ping'), session)).status).toBe(404)
})

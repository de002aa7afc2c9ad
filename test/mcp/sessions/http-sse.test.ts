import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import {
  elicit,
  InputRequired,
  memorySessions,
  type Server,
  serveHttpSse,
  tool,
} from '../../../src/mcp/index.ts'

const server: Server = {
  name: 'old',
  version: '1.0.0',
  tools: [
    tool({
      name: 'greet',
      description: 'Asks and greets.',
      input: z.object({}),
      run(_, context) {
        const answer = elicit(context, 'name', 'Who?', z.object({ name: z.string() }))
        return answer instanceof InputRequired ? answer : `Hello, ${answer?.name}`
      },
    }),
  ],
}
const sessions = memorySessions(() => server)

// A client with that transport insists on a real connection.
const node = createServer(async (incoming, outgoing) => {
  const { method = 'GET', url = '/', headers } = incoming
  const request = new Request(`http://127.0.0.1${url}`, {
    method,
    headers: headers as Record<string, string>,
    body: method === 'POST' ? (Readable.toWeb(incoming) as unknown as ReadableStream) : null,
    duplex: 'half',
  } as RequestInit)
  const response = await serveHttpSse(request, sessions)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body) Readable.fromWeb(response.body as never).pipe(outgoing)
  else outgoing.end()
})
let url: URL
beforeAll(async () => {
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  url = new URL(`http://127.0.0.1:${(node.address() as AddressInfo).port}/sse`)
})
afterAll(() => void node.closeAllConnections())

test('the official HTTP+SSE client lists tools, calls one, and is asked a question', async () => {
  const client = new Client({ name: 't', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }))
  // biome-ignore lint/suspicious/noExplicitAny: its types do not know exactOptionalPropertyTypes
  await client.connect(new SSEClientTransport(url) as any)
  expect((await client.listTools()).tools.map((it) => it.name)).toEqual(['greet'])
  const { content } = await client.callTool({ name: 'greet', arguments: {} })
  expect(content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
  await client.close()
})

test('an invented URL reaches no session', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  for (const address of ['/sse', '/sse?sessionId=x.y']) {
    expect((await fetch(new URL(address, url), { method: 'POST', body })).status).toBe(404)
  }
})

test('a foreign page can open no stream and post no message', async () => {
  const headers = { origin: 'http://evil.example' }
  for (const [method, body] of [
    ['GET', null],
    ['POST', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ] as const) {
    const request = new Request(url, { method, body, headers })
    expect((await serveHttpSse(request, sessions)).status).toBe(403)
  }
})

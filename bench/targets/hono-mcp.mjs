// @hono/mcp: a server and a transport for each request, responses in JSON.
import { StreamableHTTPTransport } from '@hono/mcp'
import { Hono } from 'hono'
import { build } from './sdk-1-server.mjs'

export default new Hono().all('/mcp', async (c) => {
  const transport = new StreamableHTTPTransport({ enableJsonResponse: true })
  await build().connect(transport)
  return transport.handleRequest(c)
})

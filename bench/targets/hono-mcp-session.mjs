// @hono/mcp: sessions in the isolate's memory, lost when it ends.
import { StreamableHTTPTransport } from '@hono/mcp'
import { Hono } from 'hono'
import { build } from './sdk-1-server.mjs'

const transports = new Map()

export default new Hono().all('/mcp', async (c) => {
  const id = c.req.header('mcp-session-id')
  let transport = transports.get(id)
  if (!transport) {
    if (id) return c.notFound()
    transport = new StreamableHTTPTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (made) => void transports.set(made, transport),
      onsessionclosed: (made) => void transports.delete(made),
    })
    await build().connect(transport)
  }
  return transport.handleRequest(c)
})

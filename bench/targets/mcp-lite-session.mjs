// mcp-lite: sessions in the isolate's memory, lost when it ends.
import { Hono } from 'hono'
import { InMemorySessionAdapter, StreamableHttpTransport } from 'mcp-lite'
import { build } from './mcp-lite-server.mjs'

const sessionAdapter = new InMemorySessionAdapter({ maxEventBufferSize: 1024 })
const handler = new StreamableHttpTransport({ sessionAdapter }).bind(build())

export default new Hono().all('/mcp', (c) => handler(c.req.raw))

// mcp-lite, each request by itself.
import { Hono } from 'hono'
import { StreamableHttpTransport } from 'mcp-lite'
import { build } from './mcp-lite-server.mjs'

const handler = new StreamableHttpTransport().bind(build())

export default new Hono().all('/mcp', (c) => handler(c.req.raw))

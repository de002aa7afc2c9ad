// @modelcontextprotocol/server: a server for each request, with schemas that are created once.
import { createMcpHandler } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { build } from './sdk-server.mjs'

const handler = createMcpHandler(build)

export default new Hono().all('/mcp', (c) => handler.fetch(c.req.raw))

// agents: McpAgent, a Durable Object for each session.
import { McpAgent } from 'agents/mcp'
import { build } from './sdk-1-server.mjs'

export class McpSession extends McpAgent {
  server = build()
  async init() {}
}

export default McpSession.serve('/mcp', { binding: 'SESSIONS' })

// agents: createMcpHandler.
import { createMcpHandler } from 'agents/mcp/server'
import { build } from './sdk-server.mjs'

const handler = createMcpHandler(build)

export default { fetch: (request, env, context) => handler(request, env, context) }

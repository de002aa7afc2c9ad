// mcp-handler.
import { createMcpHandler } from 'mcp-handler'
import { register } from './sdk-server.mjs'

const handler = createMcpHandler(register)

export default { fetch: (request) => handler(request) }

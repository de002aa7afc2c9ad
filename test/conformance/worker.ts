// The Worker that the official referee is run against: npm run conformance
import { worker } from '../../src/mcp/index.ts'
import { server } from './server.ts'

const mcp = worker(() => server)
export const { McpSession } = mcp
export default mcp

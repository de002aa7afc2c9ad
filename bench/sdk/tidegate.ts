// What the modules of an example that know nothing of MCP take from `tidegate/mcp`, and nothing else.
export { ToolError } from '../../src/mcp/wire/jsonrpc.ts'

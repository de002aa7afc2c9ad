// The only exports of `tidegate/mcp` that an example's modules without MCP use.
export { ToolError } from '../../src/mcp/wire/jsonrpc.ts'

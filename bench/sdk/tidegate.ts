// What the modules of an example that know nothing of MCP take from `tidegate/mcp`, and nothing else.
export { toBase64Url } from '../../src/mcp/wire/base64-url.ts'
export { ToolError } from '../../src/mcp/wire/jsonrpc.ts'

// What the modules of the examples take of `tidegate/mcp`, so that nothing else of it is in a server of the SDK.
export { toBase64Url } from '../../src/mcp/index.ts'

export class ToolError extends Error {}

import type { Server } from '../features/server.ts'
import { findTool } from '../features/tool.ts'
import { codes, isObject, RpcError, type RpcRequest } from '../wire/jsonrpc.ts'
import { toJsonSchema } from '../wire/schema.ts'

/** For each method, the field that `Mcp-Name` repeats. */
const nameFields: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/**
 * Headers repeat parts of the body, so that proxies can route without parsing it. Throws
 * {@link RpcError} if the two differ (specification, "Server Validation").
 */
export function checkHeaders(
  { method, params }: RpcRequest,
  version: string,
  headers: Headers,
  server: Server,
): void {
  check('MCP-Protocol-Version', headers, version, plain)
  check('Mcp-Method', headers, method, plain)
  const field = Object.hasOwn(nameFields, method) ? nameFields[method] : undefined
  const name = field && params?.[field]
  if (typeof name === 'string') check('Mcp-Name', headers, name, decoded)
  if (method !== 'tools/call') return
  for (const { header, path, type } of mirrored(server, name)) {
    let value: unknown = params?.arguments
    for (const key of path) value = isObject(value) ? value[key] : undefined
    // A value that the schema will reject cannot be in a header.
    if (value === undefined || value === null || typeof value === 'object') continue
    // 42.0 and 42 are the same integer.
    const read = (text: string) =>
      type === 'integer' ? String(Number(decoded(text))) : decoded(text)
    check(`Mcp-Param-${header}`, headers, String(value), read)
  }
}

function check(name: string, headers: Headers, expected: string, read: (text: string) => string) {
  const found = headers.get(name)?.trim()
  if (found === undefined) throw mismatch(name, 'is missing')
  try {
    if (read(found) === expected) return
  } catch {
    throw mismatch(name, 'is not valid Base64')
  }
  throw mismatch(name, 'does not match the body')
}

const mismatch = (name: string, why: string) =>
  new RpcError(codes.headerMismatch, `Header mismatch: ${name} ${why}.`)

const plain = (text: string) => text

/** Decodes a header value that is marked as Base64 (specification, "Value Encoding"). */
function decoded(value: string): string {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const base64 = value.slice(9, -2)
  // `atob` accepts missing padding.
  if (base64.length % 4 !== 0) throw new TypeError('not padded')
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/** A parameter that clients repeat in a header because its schema has `x-mcp-header`. */
interface MirroredParameter {
  readonly header: string
  readonly path: readonly string[]
  readonly type: unknown
}

function mirrored({ tools = [] }: Server, name: unknown): readonly MirroredParameter[] {
  const tool = findTool(tools, name)
  return tool ? search(toJsonSchema(tool.input, 'input'), []) : []
}

/** Only parameters reached through `properties` count ("Schema Extension"). */
function search(schema: unknown, path: readonly string[]): MirroredParameter[] {
  if (!isObject(schema)) return []
  const header = schema['x-mcp-header']
  if (typeof header === 'string') return [{ header, path, type: schema.type }]
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return properties.flatMap(([key, property]) => search(property, [...path, key]))
}

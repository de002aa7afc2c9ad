import { type CredentialIo, gateway, readEndpoints } from '../../src/gateway/index.ts'
import type { Server } from '../../src/mcp/index.ts'
import { ask, MODERN, requestOf } from './mcp.ts'

/** The gateway for one database, in this process. */
export function endpointBefore(
  url: string,
  more: object = {},
  io: Partial<Pick<CredentialIo, 'fetch' | 'waitUntil' | 'bindings' | 'machine'>> = {},
): Server {
  const databases = { main: { url: 'secret:DATABASE' } }
  const endpoint = { name: 'main', title: 'Main', databases, ...more }
  const [found] = readEndpoints({ ENDPOINTS: JSON.stringify([endpoint]) })
  return gateway(found!, { fetch, ...io, bindings: { ...io.bindings, DATABASE: url } })
}

/** The result of a tool call. */
export async function resultOf(server: Server, name: string, args: object = {}) {
  const params = { name, arguments: args }
  const { body } = await ask({ server }, requestOf(MODERN, { method: 'tools/call', params }))
  if (body.error) throw new Error(body.error.message)
  return body.result
}

/** The structured content of a tool's answer. Throws the error text if there is none. */
export async function structureOf(server: Server, name: string, args: object = {}) {
  const { isError, content, structuredContent } = await resultOf(server, name, args)
  if (isError) throw new Error(`${name} ${JSON.stringify(args).slice(0, 300)}: ${content[0].text}`)
  return structuredContent
}

import { type GroupRules, gateway, readEndpoints } from '../../src/gateway/index.ts'
import { type Caller, memoryStores, sealWith, storeLimits } from '../../src/mcp/index.ts'
import { ask, MODERN, requestOf } from '../support/mcp.ts'

/** The store for the results of all groups of a deployment. */
export const keepingOf = () => ({ stores: memoryStores(storeLimits), seal: sealWith('a secret') })

/** Serves an endpoint to a group, in this process. */
export function groupBefore(
  url: string,
  rules: GroupRules | undefined,
  {
    endpoint: more = {},
    send = fetch,
    keeping = keepingOf(),
    group = 'readers',
    bindings = {},
  }: {
    readonly endpoint?: object
    readonly send?: typeof fetch
    readonly keeping?: ReturnType<typeof keepingOf>
    readonly group?: string
    readonly bindings?: object
  } = {},
) {
  const databases = { main: { url: 'secret:DATABASE' } }
  const [endpoint] = readEndpoints({
    ENDPOINTS: JSON.stringify([{ name: 'shop', title: 'Shop', databases, ...more }]),
  })
  const io = { fetch: send, bindings: { DATABASE: url, ...bindings } }
  const server = gateway(endpoint!, io, { keeping, ...(rules && { rules, group }) })
  const request = async (
    method: string,
    params: Record<string, unknown> = {},
    caller: Caller = { subject: 'ada', scopes: [] },
  ) => {
    const { body } = await ask({ server, caller }, requestOf(MODERN, { method, params }))
    return body
  }
  return {
    server,
    request,
    call: (name: string, args: object = {}, caller?: Caller) =>
      request('tools/call', { name, arguments: args }, caller),
    /** The structured content of a tool's answer. Throws the error text if there is none. */
    async structure(name: string, args: object = {}, caller?: Caller) {
      const { result, error } = await request('tools/call', { name, arguments: args }, caller)
      if (error || result.isError) throw new Error(error?.message ?? result.content[0].text)
      return result.structuredContent
    },
  }
}

export type Group = ReturnType<typeof groupBefore>
